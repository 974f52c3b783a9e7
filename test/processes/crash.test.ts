/** Tests an ingest that is killed while it writes: nothing is lost, and nothing counted twice. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { Report } from "../../src/ingest/report.ts";
import { demoLines, shuffled, writeLines } from "../support/demo.ts";
import { matchbook, spawnMatchbook } from "../support/process.ts";
import { countsOf, servedPages, sumsOf, until } from "../support/state.ts";
import { aFolder } from "../support/world.ts";

const MATCHES = 240;
const BATCH = 30;
const SHARD = "na";
/** The minimum of stored records when it is killed, and how often it is resumed before. */
const KILLS = [
  { stored: 0, steps: 0 },
  { stored: BATCH, steps: 3 },
  { stored: 2 * BATCH, steps: 6 },
];
const now = Date.now();
const folder = aFolder();
afterAll(() => folder.remove());

// Shuffled, so that private matches come before and after those that make them valid.
const lines = shuffled(demoLines(MATCHES, now), 1).map((line) =>
  line.replaceAll(/"shardId":"[a-z0-9-]+"/g, `"shardId":"${SHARD}"`),
);
const file = join(folder.path, "matches.ndjson");
writeLines(file, lines);
const undisturbed = join(folder.path, "undisturbed");
let pages: Map<string, string>;

const ingest = (data: string) => ["ingest", file, "--data", data, "--batch", `${BATCH}`, "--json"];

beforeAll(async () => {
  const { exitCode, stderr } = await matchbook(ingest(undisturbed));
  expect([exitCode, stderr]).toEqual([0, ""]);
  pages = await servedPages(undisturbed, now);
}, 60_000);

test("an ingest that is killed repeatedly, then completed, gives the state of one ingest", async () => {
  const killed = join(folder.path, "killed");
  for (const { stored, steps } of KILLS) {
    const child = spawnMatchbook(ingest(killed));
    await until(`${stored} records are stored`, async () => (await recordsIn(killed)) >= stored);
    await stoppedInTransaction(child, join(killed, `${SHARD}.db`), steps);
    child.kill("SIGKILL");
    await child.exited;
    expect([child.signalCode, await new Response(child.stdout).text()]).toEqual(["SIGKILL", ""]);
    const left = await recordsIn(killed);
    expect([left < MATCHES, left % BATCH]).toEqual([true, 0]);
  }
  const before = await sumsOf(killed);
  const last = await matchbook(ingest(killed));
  expect([last.exitCode, last.stderr]).toEqual([0, ""]);
  const report: Report = JSON.parse(last.stdout);
  expect(report).toMatchObject({ conflict: 0, rejected: 0 });
  expect(report.duplicate).toBe(known(before));
  const after = await sumsOf(killed);
  expect(after).toEqual({
    served: before.served + report.stored + report.released,
    withheld: {
      "game-mode": before.withheld["game-mode"] + report.withheld["game-mode"],
      ending: before.withheld.ending + report.withheld.ending,
      "no-ranked-player":
        before.withheld["no-ranked-player"] + report.withheld["no-ranked-player"] - report.released,
    },
  });
  expect(known(after)).toBe(MATCHES);

  expect(await countsOf(killed)).toEqual(await countsOf(undisturbed));
  expect(await servedPages(killed, now)).toEqual(pages);
}, 180_000);

test("running a complete ingest again changes nothing", async () => {
  const { exitCode, stdout } = await matchbook(ingest(undisturbed));
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    stored: 0,
    withheld: { "game-mode": 0, ending: 0, "no-ranked-player": 0 },
    duplicate: MATCHES,
    conflict: 0,
    pruned: 0,
    rejected: 0,
    released: 0,
  });
  expect(await servedPages(undisturbed, now)).toEqual(pages);
}, 60_000);

/**
 * A writer in the middle of a transaction holds the file's lock, even while it is stopped. It resumes for
 * this many short steps, so that it is not always killed at the beginning of a transaction.
 */
async function stoppedInTransaction(child: Subprocess, file: string, steps: number): Promise<void> {
  await until("the file is made", () => existsSync(file));
  for (let step = 0; ; step++) {
    await until("a transaction is under way", () => isLocked(file));
    child.kill("SIGSTOP");
    if (step >= steps && isLocked(file)) return;
    child.kill("SIGCONT");
    await Bun.sleep(10);
  }
}

function isLocked(file: string): boolean {
  const database = new Database(file);
  try {
    database.run("BEGIN IMMEDIATE");
    return false;
  } catch (error) {
    if ((error as { code?: string }).code === "SQLITE_BUSY") return true;
    throw error;
  } finally {
    database.close();
  }
}

function known({ served, withheld }: Awaited<ReturnType<typeof sumsOf>>): number {
  return served + Object.values(withheld).reduce((sum, count) => sum + count, 0);
}

const recordsIn = async (data: string) => known(await sumsOf(data));
