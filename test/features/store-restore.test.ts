/** A shard that is restored to an earlier state while it is served. */

import { expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { restoreRows, settle } from "../support/engine-sqlite.ts";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

test("players are served from the restored state, not from the cache", async () => {
  const rosters = () => duel({ id: "player-a" }, { id: "player-b" });
  await using world = await startWorld([aMatch({ createdAt: minutesAgo(9), rosters: rosters() })]);
  const played = async () =>
    (await world.get("/shards/na/players/player-a")).body.data.attributes.stats.played;
  expect(await played()).toBe(1);

  const file = join(world.data, "na.db");
  const backup = join(world.data, "na.backup");
  settle(file);
  copyFileSync(file, backup);
  await world.ingest([aMatch({ createdAt: minutesAgo(5), rosters: rosters() })]);
  await world.ingest([aMatch({ createdAt: minutesAgo(4), rosters: rosters() })]);
  expect(await played()).toBe(3);

  restoreRows(file, backup);
  expect(await played()).toBe(1);
});
