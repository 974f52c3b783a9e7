/**
 * In charge of one of several processes that use the same memory at the same time. What it does there is
 * its first argument; its number is the second; what it has found it prints.
 */

import { machineClock } from "../../src/workers/libc.ts";
import { openSharedLimits } from "../../src/workers/shared-limits.ts";
import { INHERITED } from "../../src/workers/worker-process.ts";

const JOBS: Record<string, (number: number) => number> = {
  /** How many requests of one key pass until one does not. */
  take(burst) {
    const { limiter } = openSharedLimits(INHERITED, 1, 1);
    const clock = machineClock();
    let passed = 0;
    while (limiter.take("k_one", { rate: 1, burst }, clock()).allowed) passed += 1;
    return passed;
  },
  clock: () => machineClock()(),
};

if (import.meta.main) {
  const [, , job = "", number] = process.argv;
  // All begin together, once each is there.
  console.log("ready");
  await Bun.stdin.text();
  console.log(JOBS[job]!(Number(number)));
}
