/** Damage to an SQLite file affects the requests that read it, and nothing else; a write says what to do. */

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { serveWithKeys } from "../support/keys.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

test("requests that read a damaged page fail, and the server continues", async () => {
  const world = await startWorld([
    aMatch({ id: "match-a", shard: "na" }),
    aMatch({ id: "match-b", shard: "eu" }),
  ]);
  overwriteRoot(join(world.data, "na.db"), "matches");
  const server = await serveWithKeys(world, []);
  const get = (path: string) => world.get(`${server.url}${path}`);
  try {
    // Each read ends its snapshot in a later turn of the event loop: an error thrown there would fail this test.
    for (let time = 0; time < 3; time++) {
      const response = await get("/shards/na/matches/match-a");
      expect([response.status, response.body.errors[0].code]).toEqual([503, "damaged-data"]);
    }
    expect((await get("/shards/eu/matches/match-b")).status).toBe(200);
    expect((await get("/healthz")).status).toBe(200);
  } finally {
    await server.stop();
    await world.stop();
  }
});

test("ingest into a shard with a damaged index says what to do", async () => {
  const match = aMatch({ id: "match-a" });
  const world = await startWorld([match]);
  const database = new Database(join(world.data, "na.db"));
  database.run("DELETE FROM matches");
  database.close();
  await expect(world.ingest([match])).rejects.toThrow(/na\.db is damaged.*[Rr]estore/);
  await world.stop();
});

/** Overwrites the first page of a table. */
function overwriteRoot(file: string, table: string): void {
  const database = new Database(file);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const { rootpage, page_size } = database
    .query<{ rootpage: number; page_size: number }, [string]>(
      "SELECT rootpage, page_size FROM sqlite_master, pragma_page_size WHERE name = ?",
    )
    .get(table)!;
  database.close();
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.alloc(page_size, 0xff), 0, page_size, (rootpage - 1) * page_size);
  closeSync(handle);
}
