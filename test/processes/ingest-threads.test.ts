/** Ingests so large that threads read them: what is served, and the report. */

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadSettings } from "../../src/settings/load.ts";
import { demoLines, writeLines } from "../support/demo.ts";
import { matchbook } from "../support/process.ts";
import { countsOf, servedPages } from "../support/state.ts";
import { aFolder, ingestInto } from "../support/world.ts";

// Several processes may share a slow machine.
setDefaultTimeout(180_000);

const MATCHES = 1500;
const SMALL = 150;
const NOW = Date.now();

const folder = aFolder();
afterAll(folder.remove);
const path = (name: string) => join(folder.path, name);
const lines = demoLines(MATCHES, NOW);
writeLines(path("all"), lines);

async function stateOf(data: string) {
  return { counts: await countsOf(path(data)), pages: await servedPages(path(data), NOW) };
}

test("a file that threads read leaves what the same records leave when one thread reads them", async () => {
  const { values: settings } = loadSettings({
    flags: { data: path("small") },
    env: {},
    cwd: folder.path,
  });
  const documents = lines.map((line) => JSON.parse(line));
  for (let start = 0; start < MATCHES; start += SMALL) {
    await ingestInto(settings, documents.slice(start, start + SMALL), { threads: 0 });
  }
  const whole = await matchbook(["ingest", path("all"), "--json", "--data", path("large")]);
  expect({ exitCode: whole.exitCode, stderr: whole.stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(await stateOf("large")).toEqual(await stateOf("small"));
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
  expect(stderr).toContain(`${path("bad")}:1101: rejected\n    `);
  expect(stderr).toContain(`${path("bad")}:1201: conflict: `);
  expect(JSON.parse(readFileSync(rejects, "utf8")).meta.rejected).toMatchObject({
    line: 1101,
    text: "this is no JSON",
  });
});
