/** Metrics of this process: CPU, memory, open files and event loop delay. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { gauge, type MetricFamily, total } from "./prometheus.ts";

const STARTED_AT = Math.round(Date.now() / 1000 - process.uptime());

/** Measures from the first scrape on: many servers are never scraped. */
let delays: ReturnType<typeof monitorEventLoopDelay> | undefined;

export function processFamilies(): MetricFamily[] {
  if (!delays) {
    delays = monitorEventLoopDelay();
    delays.enable();
  }
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const delay = (percent: number) => delays!.percentile(percent) / 1e9;
  const families = [
    total("process_cpu_user_seconds_total", "User CPU time in seconds", user / 1e6),
    total("process_cpu_system_seconds_total", "System CPU time in seconds", system / 1e6),
    total(
      "process_cpu_seconds_total",
      "User and system CPU time in seconds",
      (user + system) / 1e6,
    ),
    gauge("process_start_time_seconds", "Start time in seconds since 1970", STARTED_AT),
    gauge("process_resident_memory_bytes", "Resident memory in bytes", rss),
    ...fileFamilies(),
    gauge("nodejs_heap_size_total_bytes", "Heap of the runtime in bytes", heapTotal),
    gauge("nodejs_heap_size_used_bytes", "Used heap of the runtime in bytes", heapUsed),
    gauge("nodejs_external_memory_bytes", "Memory of the runtime outside its heap", external),
    gauge("nodejs_eventloop_lag_max_seconds", "Longest event loop delay", delays.max / 1e9),
    gauge("nodejs_eventloop_lag_p50_seconds", "Median event loop delay", delay(50)),
    gauge("nodejs_eventloop_lag_p99_seconds", "99th percentile of event loop delays", delay(99)),
  ];
  delays.reset();
  return families;
}

/** Available on Linux only. */
function fileFamilies(): MetricFamily[] {
  if (process.platform !== "linux") return [];
  const limit = descriptorLimit() ?? Number.NaN;
  return [
    gauge("process_open_fds", "Open file descriptors", openDescriptors() ?? limit),
    gauge("process_max_fds", "Limit of open file descriptors", limit),
  ];
}

/** The limit of open file descriptors; undefined where there is none, or the system does not report it. */
export function descriptorLimit(): number | undefined {
  if (process.platform !== "linux") return undefined;
  const limits = readFileSync("/proc/self/limits", "utf8");
  const limit = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return limit === undefined ? undefined : Number(limit);
}

/** How many descriptors are open; undefined if none is left to count them with. */
export function openDescriptors(): number | undefined {
  // Linux 6.2 and later report the number as the size, which needs no descriptor and takes no time.
  const { size } = statSync("/proc/self/fd");
  if (size > 0) return size;
  try {
    // One of them is the directory being read.
    return readdirSync("/proc/self/fd").length - 1;
  } catch {
    return undefined;
  }
}
