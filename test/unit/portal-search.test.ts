/** Tests the search for players over all regions. */

import { expect, test } from "bun:test";
import { MatchbookError } from "../../client/src/index.ts";
import { findPlayers } from "../../src/portal/search/find.ts";

type Client = Parameters<typeof findPlayers>[0];

const failing = (code: "shard-closed" | "shard-unavailable") =>
  Object.assign(Object.create(MatchbookError.prototype), { code });

/** A client whose regions answer with one player, or fail. */
const client = (regions: Record<string, Error | undefined>) =>
  ({
    shard: (id: string) => ({
      async playerNames() {
        if (regions[id]) throw regions[id];
        return [{ id: `${id}-1`, name: "Ada" }];
      },
    }),
  }) as unknown as Client;

test("a region that the key may not read is not reported as one that does not answer", async () => {
  const regions = { na: undefined, eu: failing("shard-closed"), sa: failing("shard-unavailable") };
  const found = await findPlayers(
    client(regions),
    Object.keys(regions),
    "Ada",
    new AbortController().signal,
  );
  expect(found.players.map(({ id }) => id)).toEqual(["na-1"]);
  expect(found.missing).toEqual(["sa"]);
});
