/** In charge of what the kernel knows about a process: its CPU time and its memory. */

import { readdirSync, readFileSync } from "node:fs";

/** Of all threads, in microseconds. */
export interface Work {
  cpu: number;
  /** Ready to run, while something else had the core. */
  waiting: number;
}

/**
 * The first two numbers in schedstat count nanoseconds, where the usual counters count ticks of
 * 10 ms.
 */
export function workOf(pid: number): Work {
  const work = { cpu: 0, waiting: 0 };
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      const numbers = readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ");
      work.cpu += Number(numbers[0]) / 1000;
      work.waiting += Number(numbers[1]) / 1000;
    } catch {
      // A thread that ended between the listing and the reading.
    }
  }
  return work;
}

/** Resident memory in MiB; undefined once the process is gone. */
export function residentMiB(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    return kib === undefined ? undefined : Number(kib) / 1024;
  } catch {
    return undefined;
  }
}
