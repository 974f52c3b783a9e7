/**
 * One of several processes that use the same shared memory at the same time. The first argument names the
 * job, the second is its number. It prints the result.
 */

import { machineClock, openSharedLimits } from "../../src/workers/shared-limits.ts";
import { INHERITED } from "../../src/workers/worker-process.ts";

const JOBS: Record<string, (number: number) => number> = {
  /** How many requests of one key pass before one is refused. */
  take(burst) {
    const { limiter } = openSharedLimits(INHERITED, "secret");
    const clock = machineClock();
    let passed = 0;
    while (limiter.take("k_one", { rate: 1, burst }, clock()).allowed) passed += 1;
    return passed;
  },
  clock: () => machineClock()(),
};

if (import.meta.main) {
  const [, , job = "", number] = process.argv;
  // All processes start together once each is ready.
  console.log("ready");
  await Bun.stdin.text();
  console.log(JOBS[job]!(Number(number)));
}
