/** `matchbook compact` as a process, on both engines. */

import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { engineHomes } from "../support/engine-worlds.ts";
import { digestAt, ingestAt, linesOf, matchbookAt } from "../support/places.ts";
import { startWorld } from "../support/world.ts";

const DAY = 86_400_000;
const homeIn = engineHomes();

const prune = (data: string) => matchbookAt(data, ["prune", "na", "--older-than", "5d"]);

async function compact(data: string): Promise<{ before: number; after: number }> {
  const { exitCode, stdout, stderr } = await matchbookAt(data, ["compact", "na"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const [before, after] = stdout.match(/\d+/g)!.map(Number);
  return { before: before!, after: after! };
}

test("in SQLite, compact makes the file shorter after a prune, while the shard is served", async () => {
  const now = Date.now();
  await using world = await startWorld([], {}, undefined, "[shards.na]\n");
  await ingestAt(world.data, [
    ...linesOf("na", 600, now - 10 * DAY),
    ...linesOf("na", 20, now - DAY).map((line) => line.replaceAll('"id":"', '"id":"x')),
  ]);
  await prune(world.data);
  const served = await world.get("/shards/na/matches");
  const digest = await digestAt(world.data);
  const { before, after } = await compact(world.data);
  expect(after).toBeLessThan(before / 2);
  expect(statSync(join(world.data, "na.db")).size).toBe(after);
  expect(await digestAt(world.data)).toEqual(digest);
  expect((await world.get("/shards/na/matches")).body.data).toEqual(served.body.data);
  const again = await matchbookAt(world.data, ["compact", "na"]);
  expect(again.stdout).toBe(`before  ${after} bytes\nafter   ${after} bytes\n`);
});

test("in PostgreSQL, compact says who gives back free space", async () => {
  const { data } = homeIn("PostgreSQL");
  await ingestAt(data, linesOf("na", 2, Date.now()));
  expect(await matchbookAt(data, ["compact", "na"])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/autovacuum gives free space back; run VACUUM/),
  });
});
