/** In charge of ingests so large that threads read them: the report, what is served, and a kill at work. */

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../../src/ingest/report.ts";
import { demoLines, writeLines } from "../support/demo.ts";
import { matchbook, spawnMatchbook } from "../support/process.ts";
import { countsOf, servedPages, sumsOf, until } from "../support/state.ts";
import { aFolder } from "../support/world.ts";

// Several processes may share a slow machine.
setDefaultTimeout(180_000);

const MATCHES = 1500;
/** Of so many, no thread is started. */
const SMALL = 150;
const NOW = Date.now();

const folder = aFolder();
afterAll(folder.remove);
const path = (name: string) => join(folder.path, name);
const lines = demoLines(MATCHES, NOW);
writeLines(path("all"), lines);

async function inSmallFiles(data: string): Promise<void> {
  for (let start = 0; start < MATCHES; start += SMALL) {
    writeLines(path("part"), lines.slice(start, start + SMALL));
    expect((await matchbook(["ingest", path("part"), "--data", path(data)])).exitCode).toBe(0);
  }
}

async function stateOf(data: string) {
  return { counts: await countsOf(path(data)), pages: await servedPages(path(data), NOW) };
}

test("one large file leaves what many small ones leave, killed in the middle or not", async () => {
  await inSmallFiles("small");
  const expected = await stateOf("small");

  const whole = await matchbook(["ingest", path("all"), "--json", "--data", path("large")]);
  expect({ exitCode: whole.exitCode, stderr: whole.stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(await stateOf("large")).toEqual(expected);

  const flags = ["--batch", "100", "--json", "--data", path("killed")];
  const child = spawnMatchbook(["ingest", path("all"), ...flags]);
  const held = async () => {
    const { served, withheld } = await sumsOf(path("killed"));
    return Object.values(withheld).reduce((sum, count) => sum + count, served);
  };
  const early = await until("a quarter of the records is stored", async () =>
    (await held()) > MATCHES / 4 ? held() : undefined,
  );
  child.kill("SIGKILL");
  await child.exited;
  expect(await held()).toBeGreaterThanOrEqual(early);
  const again = await matchbook(["ingest", path("all"), ...flags]);
  const report: Report = JSON.parse(again.stdout);
  expect(again.exitCode).toBe(0);
  expect(report.duplicate).toBeGreaterThanOrEqual(early);
  expect(await stateOf("killed")).toEqual(expected);
});

test("what is rejected or in conflict far into a large file is told by its line", async () => {
  const other = (line: string) => line.replace('"duration":', '"note":1,"duration":');
  const bad = [...lines];
  bad[1100] = "this is no JSON";
  bad[1200] = other(lines[5]!);
  bad[1300] = lines[1299]!;
  writeLines(path("bad"), bad);
  const rejects = path("rejects");
  const flags = ["--rejects", rejects, "--json", "--data", path("bad-data")];
  const { exitCode, stdout, stderr } = await matchbook(["ingest", path("bad"), ...flags]);
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ rejected: 1, conflict: 1, duplicate: 1 });
  expect(stderr).toContain(`${path("bad")}:1101: rejected\n    this is not JSON`);
  expect(stderr).toContain(`${path("bad")}:1201: conflict: `);
  expect(JSON.parse(readFileSync(rejects, "utf8")).meta.rejected).toMatchObject({
    line: 1101,
    text: "this is no JSON",
  });
});
