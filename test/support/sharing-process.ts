/**
 * In charge of one of several processes that use the same memory at the same time. What it does there is
 * its first argument; its number is the second; what it has found it prints.
 */

import { openCounters, openLimits } from "../../src/workers/memory.ts";
import { machineClock } from "../../src/workers/system.ts";
import { INHERITED } from "../../src/workers/worker-process.ts";

/** Evenly distributed bits, the same in every process. */
export function hashOf(number: number): { high: number; low: number } {
  const hash = Bun.hash.wyhash(String(number));
  return { high: Number(hash >> 32n), low: Number(hash & 0xffffffffn) };
}

const JOBS: Record<string, (number: number) => number> = {
  /** How many requests of one key pass until one does not. */
  take(burst) {
    const { limiter } = openLimits(INHERITED, 1, 1);
    const clock = machineClock();
    let passed = 0;
    while (limiter.take("k_one", { rate: 1, burst }, clock()).allowed) passed += 1;
    return passed;
  },
  /** Counts as many records as it is told, which others count too, in another order. */
  count(records) {
    const counter = openCounters(INHERITED)("k_one", 20_000);
    const isOdd = process.pid % 2 === 1;
    for (let time = 0; time < records; time++) {
      counter.addWithin([hashOf(isOdd ? time : records - 1 - time)], 1_000_000);
    }
    return counter.count;
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
