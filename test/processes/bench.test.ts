/** Tests the benchmark as a process: wrong usage. The long run measures something with it. */

import { expect, test } from "bun:test";
import { bench } from "../support/bench.ts";

test.each([
  [["everything"], '"everything"'],
  [["--match", "5"], "--match"],
  [["--rounds", "0"], "--rounds"],
])("the benchmark refuses %p with exit 2 and says why", async (args, words) => {
  const { exitCode, stderr } = await bench(...args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(words);
});
