/** `npm run trial`: its help, mistakes on its command line, and its exit codes. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT, runProgram } from "../support/process.ts";
import { aFolder } from "../support/world.ts";
import { TRIALS } from "./run.ts";
import { read } from "./trial.ts";

const trial = (args: string[], env: Record<string, string> = {}) =>
  runProgram([process.execPath, join(ROOT, "test/trial/run.ts"), ...args], {
    env: { ...process.env, ...env },
  });

const helpFor = (...args: string[]) => (read(TRIALS, args) as { help: string }).help;

test("the help lists the kinds, and that of each its options and parts", () => {
  for (const kind of Object.keys(TRIALS)) {
    expect(helpFor("--help")).toMatch(new RegExp(`^  ${kind} +\\S`, "m"));
    const help = helpFor(kind, "--help");
    expect(help).toStartWith(`npm run trial -- ${kind} [options]\n`);
    for (const option of ["--seed N", "--minutes N"]) expect(help).toContain(option);
  }
  expect(helpFor("faults", "--help")).toContain("kill-in-commit");
});

test.each([
  [["everything"], "there is no kind everything; kinds: soak, faults, power-cuts, fuzz, failover"],
  [["fuzz", "--only", "all"], "fuzz has no all; --only accepts requests, records"],
  [["soak", "--minutes", "long"], '--minutes must be a number, not "long"'],
  [["soak", "--cuts", "5"], "--cuts"],
])("%p is wrong usage", (args, message) => {
  expect(() => read(TRIALS, args)).toThrow(message);
});

test("a part whose program is not installed is left out, with what to install", async () => {
  const folder = aFolder();
  const args = ["faults", "--only", "clock-jump", "--seed", "1"];
  expect(await trial(args, { PATH: folder.path })).toEqual({
    exitCode: 2,
    stdout: "faults, seed 1\nclock-jump is left out: apt-get install faketime\n",
    stderr: "trial: no kind is left. See npm run trial -- --help\n",
  });
  folder.remove();
});

test("the seed is printed, and the exit code says that everything held", async () => {
  const args = ["fuzz", "--only", "records", "--cases", "3"];
  const { exitCode, stdout } = await trial(args);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^fuzz, seed \d+\n/)]);
});
