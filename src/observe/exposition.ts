/**
 * In charge of writing metrics in the text form of Prometheus. prom-client does it, and adds what it
 * knows of the process. It is loaded when somebody asks for the first time: that takes longer than
 * the whole of most commands, and many a server is never asked.
 */

import type { Metric, Registry } from "prom-client";
import type { Family, Sample } from "./family.ts";

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Of what prom-client would collect, that which is true under Bun. */
const OF_THE_PROCESS: ReadonlySet<string> = new Set([
  "process_cpu_user_seconds_total",
  "process_cpu_system_seconds_total",
  "process_cpu_seconds_total",
  "process_start_time_seconds",
  "process_resident_memory_bytes",
  "process_open_fds",
  "process_max_fds",
  "nodejs_heap_size_total_bytes",
  "nodejs_heap_size_used_bytes",
  "nodejs_external_memory_bytes",
  "nodejs_eventloop_lag_seconds",
  "nodejs_eventloop_lag_max_seconds",
  "nodejs_eventloop_lag_p50_seconds",
  "nodejs_eventloop_lag_p90_seconds",
  "nodejs_eventloop_lag_p99_seconds",
]);

export async function exposition(families: readonly Family[]): Promise<string> {
  const { Registry } = await import("prom-client");
  const registry = new Registry();
  for (const family of families) registry.registerMetric(asMetric(family));
  return registry.metrics();
}

/** What is known of this process, as it is now. */
export async function processFamilies(): Promise<Family[]> {
  const metrics = await (await processRegistry()).getMetricsAsJSON();
  return metrics.map(({ name, help, type, values }) => ({
    name,
    help,
    type: type as unknown as Family["type"],
    samples: () => values as Sample[],
  }));
}

/** The registry asks a metric for its name and its values, and for nothing else. */
function asMetric(family: Family): Metric {
  const { name, help, type } = family;
  const get = async () => ({ name, help, type, values: family.samples() });
  return { name, get } as unknown as Metric;
}

let started: Promise<Registry> | undefined;

/** One for the whole process, since its clocks cannot be stopped again. */
function processRegistry(): Promise<Registry> {
  started ??= startProcessRegistry();
  return started;
}

async function startProcessRegistry(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const register = new Registry();
  collectDefaultMetrics({ register });
  for (const { name } of register.getMetricsAsArray()) {
    if (!OF_THE_PROCESS.has(name)) register.removeSingleMetric(name);
  }
  return register;
}
