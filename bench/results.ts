/** In charge of results.json: its shape, and that a run of one section keeps the others. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Circumstances } from "./machine.ts";
import type { Measured } from "./wrk.ts";

/** The median of all rounds, and the mean size of the bodies of some replies. */
export interface ServerFigures extends Measured {
  bodyBytes: number;
}

export interface ScenarioRow {
  name: string;
  about: string;
  addresses: number;
  ceiling: ServerFigures;
  matchbook: ServerFigures;
  conventional?: ServerFigures;
}

export interface ScenariosSection extends Circumstances {
  matches: number;
  served: number;
  seconds: number;
  rounds: number;
  connections: number;
  rows: ScenarioRow[];
}

export interface IngestSection extends Circumstances {
  matches: number;
  rounds: number;
  /** Medians. */
  seconds: number;
  cpuSeconds: number;
  peakMiB: number;
  matchesPerSecond: number;
  jsonBytesPerMatch: number;
  storedBytesPerMatch: number;
}

export interface StagesSection extends Circumstances {
  matches: number;
  scenarios: string[];
  /** One number for each scenario. */
  rows: { stage: string; micros: number[] }[];
}

export interface GrowthRow {
  name: string;
  /** One entry for each size, in the order of the sizes. */
  p50Ms: number[];
  cpuMicros: number[];
}

export interface GrowthSection extends Circumstances {
  seconds: number;
  rounds: number;
  connections: number;
  sizes: number[];
  storedBytes: number[];
  rows: GrowthRow[];
}

export interface MemorySample {
  /** Since the load began. */
  seconds: number;
  serverMiB: number;
  /** Of that, what is not mapped from files. */
  ownMiB: number;
  /** Only while it runs. */
  ingestMiB?: number;
}

export interface MemorySection extends Circumstances {
  matches: number;
  minutes: number;
  connections: number;
  requests: number;
  requestsPerSecond: number;
  ingested: number;
  samples: MemorySample[];
  /** When the warm-up counts as over: after two minutes, or a fifth of a shorter run. */
  settledSeconds: number;
  settledMiB: number;
  settledOwnMiB: number;
  endMiB: number;
  endOwnMiB: number;
  maxMiB: number;
  maxIngestMiB: number;
  /** From the settled state to the end. */
  growthPercent: number;
  ownGrowthPercent: number;
}

/** A shard in PostgreSQL, with the database on the same machine. */
export interface PostgresSection extends Circumstances {
  matches: number;
  rounds: number;
  connections: number;
  /** Of one ingest of all matches. */
  seconds: number;
  matchesPerSecond: number;
  databaseCpuSeconds: number;
  ownCpuSeconds: number;
  storedBytesPerMatch: number;
  /** Medians of the rounds, beside a server that looks up the same bytes and sends them. */
  byId: {
    requestsPerSecond: number;
    cpuMicros: number;
    bareRequestsPerSecond: number;
    bareCpuMicros: number;
    ratio: number;
  };
}

export interface WorkersRow {
  name: string;
  /** CPU time of all processes of a server for one request, with one worker and with two. */
  oneMicros: number;
  twoMicros: number;
  /** The median of what each round gave. */
  ratio: number;
}

export interface WorkersSection extends Circumstances {
  matches: number;
  rounds: number;
  /** For each worker. */
  connections: number;
  rows: WorkersRow[];
}

export interface Results {
  scenarios?: ScenariosSection;
  ingest?: IngestSection;
  stages?: StagesSection;
  growth?: GrowthSection;
  memory?: MemorySection;
  memoryBesideIngest?: MemorySection;
  postgres?: PostgresSection;
  workers?: WorkersSection;
}

export function readResults(file: string): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Results) : {};
}

export function mergeResults(file: string, sections: Results): Results {
  const merged = { ...readResults(file), ...sections };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(merged, null, 2)}\n`);
  return merged;
}
