/** A shard that is restored to an earlier state while it is served. */

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

test("players are served from the restored state, not from the cache", async () => {
  const rosters = () => duel({ id: "player-a" }, { id: "player-b" });
  const world = await startWorld([aMatch({ createdAt: minutesAgo(9), rosters: rosters() })]);
  const played = async () =>
    (await world.get("/shards/na/players/player-a")).body.data.attributes.stats.played;
  expect(await played()).toBe(1);

  const file = join(world.data, "na.db");
  const backup = join(world.data, "na.backup");
  const database = new Database(file);
  database.run(`VACUUM INTO '${backup}'`);
  await world.ingest([aMatch({ createdAt: minutesAgo(5), rosters: rosters() })]);
  await world.ingest([aMatch({ createdAt: minutesAgo(4), rosters: rosters() })]);
  expect(await played()).toBe(3);

  database.run(`ATTACH '${backup}' AS kept`);
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM main.sqlite_master WHERE type = 'table'")
    .all();
  database.transaction(() => {
    for (const { name } of tables) {
      database.run(`DELETE FROM main.${name}`);
      database.run(`INSERT INTO main.${name} SELECT * FROM kept.${name}`);
    }
  })();
  database.close();
  expect(await played()).toBe(1);
  await world.stop();
});
