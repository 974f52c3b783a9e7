/** In charge of what is left when an ingest is killed: nothing lost, nothing counted twice. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Report } from "../../src/ingest/report.ts";
import { demoLines, shuffled, writeLines } from "../support/demo.ts";
import { matchbook, spawnMatchbook } from "../support/process.ts";
import { countsOf, servedPages, sumsOf, until } from "../support/state.ts";
import { aFolder } from "../support/world.ts";

const MATCHES = 2000;
const now = Date.now();
const folder = aFolder();
afterAll(() => folder.remove());

const file = join(folder.path, "matches.ndjson");
const undisturbed = join(folder.path, "undisturbed");
let pages: Map<string, string>;

beforeAll(async () => {
  // Out of order, so that private matches come before and after those that make them valid.
  writeLines(file, shuffled(demoLines(MATCHES, now), 1));
  const { exitCode, stderr } = await matchbook(ingest(undisturbed));
  expect([exitCode, stderr]).toEqual([0, ""]);
  pages = await servedPages(undisturbed, now);
}, 60_000);

const ingest = (data: string) => ["ingest", file, "--data", data, "--batch", "150", "--json"];

test("an ingest killed again and again, then run to its end, leaves what one ingest leaves", async () => {
  const killed = join(folder.path, "killed");
  for (const enough of [1, 300, 700]) {
    const child = spawnMatchbook(ingest(killed));
    await until(`${enough} records are stored`, async () => (await recordsIn(killed)) >= enough);
    child.kill("SIGKILL");
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    expect(await new Response(child.stdout).text()).toBe("");
  }
  const before = await sumsOf(killed);
  expect(await recordsIn(killed)).toBeLessThan(MATCHES);

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

test("a complete ingest run once more changes nothing", async () => {
  const { exitCode, stdout } = await matchbook(ingest(undisturbed));
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    stored: 0,
    withheld: { "game-mode": 0, ending: 0, "no-ranked-player": 0 },
    duplicate: MATCHES,
    conflict: 0,
    rejected: 0,
    released: 0,
  });
  expect(await servedPages(undisturbed, now)).toEqual(pages);
}, 60_000);

function known({ served, withheld }: Awaited<ReturnType<typeof sumsOf>>): number {
  return served + Object.values(withheld).reduce((sum, count) => sum + count, 0);
}

const recordsIn = async (data: string) => known(await sumsOf(data));
