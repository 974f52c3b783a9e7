/** Tests the benchmark as a process: a short run gives complete results. */

import { afterAll, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Results } from "../../bench/results.ts";
import { hasProgram, skipWithout } from "../support/needs.ts";
import { ROOT } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

const folder = aFolder();
afterAll(() => folder.remove());

async function bench(...args: string[]) {
  const child = Bun.spawn([process.execPath, join(ROOT, "bench", "run.ts"), ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, exitCode };
}

test.each([
  [["everything"], '"everything"'],
  [["--match", "5"], "--match"],
  [["--rounds", "0"], "--rounds"],
])("the benchmark refuses %p with exit 2 and says why", async (args, words) => {
  const { exitCode, stderr } = await bench(...args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(words);
});

// A starved machine may give no response within one second.
const LENGTH = ["--matches", "60", "--seconds", "3", "--rounds", "1"];

function measuring() {
  test("a short run of the benchmark measures Matchbook and the ceiling", async () => {
    const where = ["--without-conventional", "--out", folder.path];
    const run = await bench("scenarios", ...LENGTH, "--only", "match by id", ...where);
    expect([run.exitCode, run.exitCode === 0 ? "" : run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain("| match by id ");

    const results: Results = await Bun.file(join(folder.path, "results.json")).json();
    expect(Object.keys(results)).toEqual(["scenarios"]);
    const { rows, machine, ...section } = results.scenarios!;
    expect(section).toMatchObject({ matches: 60, rounds: 1, connections: 32 });
    expect(section.served).toBeGreaterThan(40);
    expect(machine.bun).toBe(Bun.version);
    expect(rows.map(({ name }) => name)).toEqual(["match by id"]);
    for (const figures of [rows[0]!.ceiling, rows[0]!.matchbook]) {
      for (const value of [figures.requests, figures.requestsPerSecond, figures.cpuMicros]) {
        expect(value).toBeGreaterThan(0);
      }
      expect(figures.p50Ms).toBeLessThanOrEqual(figures.p99Ms);
      expect(figures.bodyBytes).toBeGreaterThan(1000);
    }
    // The data and the results are kept; nothing else of the run remains.
    expect(readdirSync(join(folder.path, ".data"))).toEqual(["na-60"]);
    expect(existsSync(join(folder.path, "plots", "scenarios-requests.svg"))).toBe(true);
  }, 60_000);

  test("a short comparison of a checkout with itself gives ratios", async () => {
    const where = ["--against", ROOT, "--out", folder.path];
    const run = await bench(...LENGTH, "--only", "match by id", ...where);
    expect([run.exitCode, run.exitCode === 0 ? "" : run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toMatch(/^\| match by id +\| +\d+\.\d\d \| +\d+\.\d\d \|$/m);
  }, 60_000);
}

if (hasProgram("wrk")) measuring();
else skipWithout("wrk", measuring);
