/** Tests the benchmark as a process: wrong usage; in the long run, short measurements give complete tables. */

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bench } from "../support/bench.ts";
import { hasProgram, skipWithout } from "../support/needs.ts";
import { ROOT } from "../support/process.ts";
import { testLong } from "../support/scale.ts";
import { sharedFolder } from "../support/shared.ts";

const folder = sharedFolder();

const data = join(folder, "data");
// A starved machine may give no response within one second.
const LENGTH = ["--matches", "60", "--seconds", "3", "--rounds", "1", "--data", data];

async function tables(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const { exitCode, stdout, stderr } = await bench(...args, ...LENGTH);
  expect([exitCode, exitCode === 0 ? "" : stderr]).toEqual([0, ""]);
  return { stdout, stderr };
}

function measuring() {
  testLong("a short run of the benchmark measures Matchbook and the ceiling", async () => {
    const { stdout } = await tables("scenarios", "--only", "by id", "--without-conventional");
    expect(stdout).toContain("60 matches in one shard, 32 connections, one round of 3 s.");
    const rates = /\| match by id +\| +([\d,]+) \| +([\d,]+) \| +[\d.]+ % \|/.exec(stdout)!;
    for (const rate of rates.slice(1)) expect(Number(rate.replace(",", ""))).toBeGreaterThan(0);
    expect(stdout).toContain(`Bun ${Bun.version}`);
    // The data is kept; nothing else of the run remains.
    expect(readdirSync(data)).toEqual(["na-60"]);
  });

  testLong(
    "a comparison with another version gives ratios, and skips a scenario that it lacks",
    async () => {
      const program = join(folder, "other", "bin", "matchbook");
      mkdirSync(dirname(program), { recursive: true });
      const real = join(ROOT, "bin", "matchbook");
      // A version without deep pages.
      const script = `#!/bin/sh\nif [ "$1" = serve ]; then set -- "$@" --max-offset 5; fi\nexec ${real} "$@"\n`;
      writeFileSync(program, script, { mode: 0o755 });

      const other = join(folder, "other");
      const { stdout, stderr } = await tables("--against", other, "--only", "by id|deep page");
      expect(stdout).toMatch(/^\| match by id +\| +\d+\.\d\d \| +\d+\.\d\d \|$/m);
      expect(stdout).not.toContain("| deep page");
      expect(stderr).toContain("deep page: skipped, because the other version lacks it.");
    },
  );
}

if (hasProgram("wrk")) measuring();
else skipWithout("wrk", measuring);

test.each([
  [["everything"], '"everything"'],
  [["--match", "5"], "--match"],
  [["--rounds", "0"], "--rounds"],
])("the benchmark refuses %p with exit 2 and says why", async (args, words) => {
  const { exitCode, stderr } = await bench(...args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(words);
});
