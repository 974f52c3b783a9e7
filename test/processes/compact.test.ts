/** `matchbook compact` as a process, on both engines. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { digestAt, homeAt, ingestAt, linesOf, lookInto, matchbookAt } from "../support/places.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
import { until } from "../support/state.ts";
import { aFolder, startWorld } from "../support/world.ts";

const DAY = 86_400_000;

let postgres: Awaited<ReturnType<typeof aPostgres>>;
beforeAll(async () => {
  postgres = await aPostgres();
});
afterAll(() => postgres.stop());

const prune = (data: string) => matchbookAt(data, ["prune", "na", "--older-than", "5d"]);

test("in SQLite, compact makes the file shorter after a prune, while the shard is served", async () => {
  const now = Date.now();
  const world = await startWorld([], {}, undefined, "[shards.na]\n");
  await ingestAt(world.data, [
    ...linesOf("na", 600, now - 10 * DAY),
    ...linesOf("na", 20, now - DAY).map((line) => line.replaceAll('"id":"', '"id":"x')),
  ]);
  await prune(world.data);
  const served = await world.get("/shards/na/matches");
  const digest = await digestAt(world.data);
  const path = join(world.data, "na.db");
  const compacted = await matchbookAt(world.data, ["compact", "na", "--json"]);
  expect(compacted).toMatchObject({ exitCode: 0, stderr: "" });
  const { before, after } = JSON.parse(compacted.stdout);
  expect(after).toBeLessThan(before / 2);
  expect(statSync(path).size).toBe(after);
  expect(await digestAt(world.data)).toEqual(digest);
  expect((await world.get("/shards/na/matches")).body.data).toEqual(served.body.data);
  const again = await matchbookAt(world.data, ["compact", "na"]);
  expect(again.stdout).toBe(`shard   na\nbefore  ${after}\nafter   ${after}\n`);
  await world.stop();
});

test("in PostgreSQL, compact gives back free space at the ends of tables, and has no --full", async () => {
  const folder = aFolder();
  const schema = `compact_${process.pid}`;
  const data = homeAt(folder.path, `${postgres.url}?schema=${schema}`);
  const compact = async () => {
    const compacted = await matchbookAt(data, ["compact", "na", "--json"]);
    expect(compacted).toMatchObject({ exitCode: 0, stderr: "" });
    return JSON.parse(compacted.stdout) as { before: number; after: number };
  };
  await ingestAt(data, linesOf("na", 60, Date.now() - 100 * DAY));
  // Before the prune: autovacuum may give back some of it on its own.
  const stored = await compact();
  await prune(data);
  expect(await lookInto(data, async (writer) => (await writer.counts()).served)).toBe(0);
  // Transactions of other tests keep old rows from being removed while they last.
  await until("space is given back", async () => (await compact()).after < stored.after);
  const full = await matchbookAt(data, ["compact", "na", "--full"]);
  expect(full).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("leave out --full, or run VACUUM FULL"),
  });
  await dropSchema(postgres.url, schema);
  folder.remove();
});
