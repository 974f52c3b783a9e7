/** The format of results.json. A run of one section keeps the others. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Circumstances } from "./machine.ts";
import type { Measured } from "./wrk.ts";

/** The median of all rounds, and the mean body size of sampled responses. */
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
  /** One number per scenario. */
  rows: { stage: string; micros: number[] }[];
}

export interface GrowthRow {
  name: string;
  /** One entry per size, in the order of sizes. */
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
  /** Since the start of the load. */
  seconds: number;
  serverMiB: number;
  /** The part that is not mapped from files. */
  ownMiB: number;
  /** Only while the ingest runs. */
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
  /** The end of the warm-up: two minutes, or a fifth of a shorter run. */
  settledSeconds: number;
  settledMiB: number;
  settledOwnMiB: number;
  endMiB: number;
  endOwnMiB: number;
  maxMiB: number;
  maxIngestMiB: number;
  /** From the end of the warm-up to the end. */
  growthPercent: number;
  ownGrowthPercent: number;
}

/** A shard in PostgreSQL, with the database on the same machine. */
export interface PostgresSection extends Circumstances {
  matches: number;
  rounds: number;
  connections: number;
  /** One ingest of all matches. */
  seconds: number;
  matchesPerSecond: number;
  databaseCpuSeconds: number;
  ownCpuSeconds: number;
  storedBytesPerMatch: number;
  /** Medians, compared with a server that looks up and sends the same bytes. */
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
  /** CPU time of all processes per request, with one worker and with two. */
  oneMicros: number;
  twoMicros: number;
  /** The median of the rounds. */
  ratio: number;
}

export interface WorkersSection extends Circumstances {
  matches: number;
  rounds: number;
  /** Per worker. */
  connections: number;
  rows: WorkersRow[];
}

/** Medians. */
export type CostFigures = Pick<Measured, "requestsPerSecond" | "wireBytes" | "cpuMicros">;

export interface CostRow {
  name: string;
  /** One connection; with zstd: of a client that accepts it. */
  idle: CostFigures;
  idleZstd: CostFigures;
  /** With compression = auto and fast. */
  busy: CostFigures;
  busyFast: CostFigures;
  conventional?: CostFigures;
  /** Sizes of single responses, as multiples of gzip -6 and zstd -3 of the same documents. */
  gzipRatio: number;
  zstdRatio: number;
  /** Requests per second when busy. */
  autoToFast: number;
}

/** Prices in dollars: per GB sent, and per hour of a core. */
export interface CostSection extends Circumstances {
  matches: number;
  seconds: number;
  rounds: number;
  connections: number;
  trafficPrice: number;
  corePrice: number;
  rows: CostRow[];
}

/** A constant rate of requests, as a multiple of what the server can carry. Latencies from the time a request is due. */
export interface OverloadRow {
  factor: number;
  rate: number;
  admittedPerSecond: number;
  refusedPerSecond: number;
  /** Without a response, or with another status. */
  failed: number;
  p50Ms: number;
  p99Ms: number;
  refusedP50Ms: number;
  refusedP99Ms: number;
  healthP99Ms: number;
  memoryMiB: number;
}

/** Connections that send nothing, or too little. */
export interface ConnectionsRow {
  name: string;
  connections: number;
  beforeMiB: number;
  openMiB: number;
  afterMiB: number;
  closedAfterSeconds: number;
  /** Not closed by the server. */
  left: number;
  /** The slowest health check meanwhile. */
  healthMs: number;
}

export interface OverloadSection extends Circumstances {
  matches: number;
  seconds: number;
  /** Requests per second of a closed loop. */
  capacity: number;
  rows: OverloadRow[];
  connections: ConnectionsRow[];
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
  cost?: CostSection;
  overload?: OverloadSection;
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
