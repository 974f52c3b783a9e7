/** The client's types are generated from the OpenAPI document, and complete. */

import { expect, test } from "bun:test";
import {
  CHANGES_TABLE,
  HEROES_TABLE,
  LEADERBOARD_TABLE,
  MATCHES_TABLE,
  NEAR_TABLE,
  PLAYED_WITH_TABLE,
  PLAYERS_TABLE,
  RECORD_TABLE,
} from "../../client/src/query.ts";
import { CLIENT_TYPES, clientTypes } from "../../scripts/client-types.ts";
import { describeApi } from "../../src/http/routes.ts";

test("match the OpenAPI document (update them with npm run client:types)", async () => {
  expect(await Bun.file(CLIENT_TYPES).text()).toBe(clientTypes());
});

const { paths } = describeApi({ version: "", maxOffset: 0, publicUrl: "" }) as {
  paths: Record<string, { get: { parameters: { name: string; in: string }[] } }>;
};

/** The client follows the links between pages of a leaderboard. */
const BY_LINKS = { after: { parameter: "page[after]" } };

/** The client reads streams, which have no pages, and begins them with page[after]. */
const NOT_SENT = {
  limit: { parameter: "page[limit]" },
  lastEventId: { parameter: "lastEventId" },
};

test.each([
  ["/shards/{shard}/matches", MATCHES_TABLE],
  ["/shards/{shard}/players", PLAYERS_TABLE],
  ["/shards/{shard}/matches/{id}", RECORD_TABLE],
  ["/shards/{shard}/players/{id}", RECORD_TABLE],
  ["/shards/{shard}/players/{id}/played-with", PLAYED_WITH_TABLE],
  ["/shards/{shard}/player-names", NEAR_TABLE],
  ["/shards/{shard}/heroes", HEROES_TABLE],
  ["/shards/{shard}/leaderboards/{board}", { ...LEADERBOARD_TABLE, ...BY_LINKS }],
  ["/shards/{shard}/changes", { ...CHANGES_TABLE, ...NOT_SENT }],
])("allow every query parameter of %s", (path, table) => {
  const described = paths[path]!.get.parameters.filter((parameter) => parameter.in === "query").map(
    ({ name }) => name.replace(/^fields\[\w+\]$/, "fields"),
  );
  const written = Object.values(table).map(({ parameter }): string => parameter);
  expect(written.toSorted()).toEqual([...new Set(described)].toSorted());
});
