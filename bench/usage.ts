/** Reads CPU time and memory of a process from /proc. */

import { readdirSync, readFileSync } from "node:fs";

/** All threads, in microseconds. */
export interface Work {
  cpu: number;
  /** Runnable, but waiting for the core. */
  waiting: number;
}

/** schedstat counts nanoseconds; the usual counters count ticks of 10 ms. */
export function workOf(pid: number): Work {
  const work = { cpu: 0, waiting: 0 };
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      const numbers = readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ");
      work.cpu += Number(numbers[0]) / 1000;
      work.waiting += Number(numbers[1]) / 1000;
    } catch {
      // The thread has ended.
    }
  }
  return work;
}

/** CPU time of processes, including ended threads, in microseconds. */
export function totalCpu(pids: readonly number[]): number {
  // Fields 14 and 15, in ticks of 10 ms.
  const ticks = pids.map((pid) => Number(statOf(pid)[11]) + Number(statOf(pid)[12]));
  return ticks.reduce((sum, one) => sum + one, 0) * 10_000;
}

/** Undefined if the process has ended. */
export function parentOf(pid: number): number | undefined {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    return undefined;
  }
}

/** Fields from the third on: the second is a name that may contain spaces. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** In MiB. */
export interface Memory {
  resident: number;
  /** Without mapped files, which the kernel can reclaim. */
  own: number;
}

/** Undefined if the process has ended. */
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
