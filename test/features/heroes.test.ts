/** GET /shards/{shard}/heroes: how many are listed. The statistics, filters and orders are compared with the model. */

import { expect, test } from "bun:test";
import type { JsonObject } from "../../src/domain/json.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

test("at most 500 heroes are listed, and meta says so", async () => {
  const members = Array.from({ length: 251 }, () => ({ bot: true as const }));
  const document = aMatch({ rosters: [{ members }, { members }] });
  const participants = document.included.filter(({ type }) => type === "participant");
  for (const [at, { attributes }] of participants.entries()) {
    (attributes as JsonObject).actor = `actor-${at + 100}`;
  }
  await using many = await startWorld([document]);
  const { data, meta } = (await many.get("/shards/na/heroes?sort=hero")).body;
  expect([data.length, meta]).toEqual([500, { matches: 1, heroes: 502, isTruncated: true }]);
  expect(data[0].id).toBe("actor-100");
});
