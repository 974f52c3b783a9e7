/** Draws all plots from results.json, as SVG by file name. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { barChart } from "./bars.ts";
import { smallCharts, timeChart } from "./curves.ts";
import type { GrowthSection, MemorySection, Results, ScenariosSection } from "./results.ts";
import { COLOURS } from "./svg.ts";
import { readable, times } from "./table.ts";

export function plotsOf({
  scenarios,
  growth,
  memory,
  memoryBesideIngest,
}: Results): Record<string, string> {
  return {
    ...(scenarios && scenarioPlots(scenarios)),
    ...(growth && growthPlots(growth)),
    ...(memory && { "memory.svg": memoryPlot(memory) }),
    ...(memoryBesideIngest && { "memory-beside-ingest.svg": memoryPlot(memoryBesideIngest) }),
  };
}

export function writePlots(folder: string, results: Results): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, svg] of Object.entries(plotsOf(results))) {
    writeFileSync(join(folder, name), svg);
  }
}

function scenarioPlots({ rows }: ScenariosSection): Record<string, string> {
  const requests = barChart({
    title: "Requests per second",
    series: [
      { name: "Matchbook", colour: COLOURS.matchbook },
      { name: "conventional server", colour: COLOURS.conventional },
      { name: "ceiling of the runtime", colour: COLOURS.ceiling },
    ],
    groups: rows.map(({ name, ...row }) => ({
      label: name,
      values: [row.matchbook, row.conventional, row.ceiling].map((one) => one?.requestsPerSecond),
    })),
    show: readable,
  });
  const ratios = barChart({
    title: "Matchbook's requests per second as a multiple",
    series: [
      { name: "of the conventional", colour: COLOURS.conventional },
      { name: "of the ceiling", colour: COLOURS.ceiling },
    ],
    groups: rows.map(({ name, ...row }) => ({
      label: name,
      values: [row.conventional, row.ceiling].map(
        (other) => other && row.matchbook.requestsPerSecond / other.requestsPerSecond,
      ),
    })),
    base: 1,
    show: times,
  });
  return { "scenarios-requests.svg": requests, "scenarios-ratios.svg": ratios };
}

function growthPlots({ sizes, rows }: GrowthSection): Record<string, string> {
  const panels = (pick: (row: (typeof rows)[number]) => number[]) =>
    rows.map((row) => ({
      label: row.name,
      points: sizes.map((size, at) => [size, pick(row)[at]!] as const),
    }));
  const show = { x: shortNumber, y: readable };
  return {
    "growth-p50.svg": smallCharts(
      "Median latency as the shard grows",
      "milliseconds",
      panels(({ p50Ms }) => p50Ms),
      show,
    ),
    "growth-cpu.svg": smallCharts(
      "CPU time per request as the shard grows",
      "microseconds",
      panels(({ cpuMicros }) => cpuMicros),
      show,
    ),
  };
}

function memoryPlot({ samples }: MemorySection): string {
  const server = samples.map(({ seconds, serverMiB }) => [seconds, serverMiB] as const);
  const own = samples.map(({ seconds, ownMiB }) => [seconds, ownMiB] as const);
  const ingest = samples.flatMap(({ seconds, ingestMiB }) =>
    ingestMiB === undefined ? [] : [[seconds, ingestMiB] as const],
  );
  return timeChart("Resident memory under load", "MiB", [
    { name: "server", colour: COLOURS.matchbook, points: server },
    { name: "server, without mapped files", colour: COLOURS.ceiling, points: own },
    ...(ingest.length > 0
      ? [{ name: "ingest beside it", colour: COLOURS.conventional, points: ingest }]
      : []),
  ]);
}

function shortNumber(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 1000 ? `${value / 1000}k` : String(value);
}
