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

/** Of processes and all their threads, those that have ended included, in microseconds. */
export function totalCpu(pids: readonly number[]): number {
  // Counted in ticks of 10 ms, the 14th and 15th of the fields.
  const ticks = pids.map((pid) => Number(statOf(pid)[11]) + Number(statOf(pid)[12]));
  return ticks.reduce((sum, one) => sum + one, 0) * 10_000;
}

/** Undefined once the process is gone. */
export function parentOf(pid: number): number | undefined {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    return undefined;
  }
}

/** The fields from the third on: the second is a name, which may have blanks in it. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** In MiB. */
export interface Memory {
  resident: number;
  /** Without the parts of files that are mapped, which the kernel can take back. */
  own: number;
}

/** Undefined once the process is gone. */
export function memoryOf(pid: number): Memory | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const resident = mebibytes("VmRSS", status);
    const own = mebibytes("RssAnon", status);
    return resident === undefined || own === undefined ? undefined : { resident, own };
  } catch {
    return undefined;
  }
}

function mebibytes(name: string, status: string): number | undefined {
  const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  return kib === undefined ? undefined : Number(kib) / 1024;
}
