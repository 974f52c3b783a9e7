/** `matchbook compact` as a process, on both engines. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { dropSchema, EXPECTED, putSqliteShard } from "../support/formats.ts";
import { digestAt, homeAt, ingestAt, linesOf, lookInto, matchbookAt } from "../support/places.ts";
import { aPostgres } from "../support/postgres.ts";
import { matchbook } from "../support/process.ts";
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
  expect(again.stdout).toBe(`before  ${after} bytes\nafter   ${after} bytes\n`);
  await world.stop();
});

describe("a SQLite file from before free pages could be cut off", () => {
  test("needs --full, which rewrites it once", async () => {
    const folder = aFolder();
    const path = putSqliteShard(folder.path, 1);
    await matchbook(["migrate", "--data", folder.path]);
    const refused = await matchbook(["compact", "na", "--data", folder.path]);
    expect(refused).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `matchbook: ${path} was created by an earlier version and cannot be made shorter in steps: add --full, which rewrites it once\n`,
    });
    const full = await matchbook(["compact", "na", "--full", "--data", folder.path]);
    expect(full).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await digestAt(folder.path)).toEqual(EXPECTED.digest);
    const then = await matchbook(["compact", "na", "--data", folder.path]);
    expect(then.exitCode).toBe(0);
    folder.remove();
  });
});

test("in PostgreSQL, compact gives back the tables of pruned months, and has no --full", async () => {
  const folder = aFolder();
  const schema = `compact_${process.pid}`;
  const data = homeAt(folder.path, `${postgres.url}?schema=${schema}`);
  await ingestAt(data, linesOf("na", 60, Date.now() - 100 * DAY));
  await prune(data);
  expect(await lookInto(data, async (writer) => (await writer.counts()).served)).toBe(0);
  const compacted = await matchbookAt(data, ["compact", "na", "--json"]);
  expect(compacted).toMatchObject({ exitCode: 0, stderr: "" });
  const { before, after } = JSON.parse(compacted.stdout);
  expect(after).toBeLessThan(before);
  const full = await matchbookAt(data, ["compact", "na", "--full"]);
  expect(full).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("leave out --full, or run VACUUM FULL"),
  });
  await dropSchema(postgres.url, schema);
  folder.remove();
});
