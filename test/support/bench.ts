/** Runs the benchmark as a process. */

import { ROOT, runProgram } from "./process.ts";

export const bench = (...args: string[]) =>
  runProgram([process.execPath, "bench/run.ts", ...args], { cwd: ROOT });
