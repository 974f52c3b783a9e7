/**
 * The memory sections: whether a server's memory stays constant under load, alone or with a
 * concurrent ingest.
 */

import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { askerOf } from "./asking.ts";
import { run, type Server } from "./children.ts";
import { type Data, dataOf, demoLines } from "./data.ts";
import { progress } from "./failure.ts";
import type { Flags } from "./flags.ts";
import type { Circumstances } from "./machine.ts";
import { addressesOf, chosen } from "./measure-scenarios.ts";
import { MATCHBOOK, type Places } from "./places.ts";
import type { MemorySample, MemorySection } from "./results.ts";
import { startMatchbook } from "./servers.ts";
import { chance, growthPercent, shuffled, significant } from "./statistics.ts";
import { memoryOf } from "./usage.ts";
import { type Address, measure, writeAddresses } from "./wrk.ts";

const CONNECTIONS = 32;
const SAMPLE_MS = 5000;
const SETTLED_SECONDS = 120;

export async function measureMemory(
  flags: Flags,
  places: Places,
  where: Circumstances,
  ingests: boolean,
): Promise<MemorySection> {
  const seconds = Math.ceil(flags.minutes * 60);
  const data = await dataOf(places.data, flags.matches, flags.fresh);
  // A copy, because other sections use the data.
  const copy = join(places.scratch, "memory");
  rmSync(copy, { recursive: true, force: true });
  cpSync(data.matchbook, copy, { recursive: true });
  const server = await startMatchbook(copy, places);
  const file = join(places.scratch, "memory.txt");
  writeAddresses(file, await mixedAddresses(flags, data, server));

  const watch = new Watch(server);
  const load = { seconds, connections: CONNECTIONS, key: data.key, file };
  const [measured, ingested] = await Promise.all([
    measure(server, load),
    ingests ? ingestMeanwhile(data, copy, seconds, watch) : 0,
  ]);
  const samples = watch.end();
  await server.stop();
  rmSync(copy, { recursive: true, force: true });
  return {
    ...where,
    matches: data.matches,
    minutes: flags.minutes,
    connections: CONNECTIONS,
    requests: measured.requests,
    requestsPerSecond: significant(measured.requestsPerSecond),
    ingested,
    samples,
    ...verdict(samples, seconds),
  };
}

/** The URLs of all scenarios, in random order. */
async function mixedAddresses(flags: Flags, data: Data, server: Server): Promise<Address[]> {
  const ask = askerOf(server, data.key);
  const all: Address[] = [];
  for (const scenario of chosen(flags)) all.push(...(await addressesOf(scenario, data, ask)));
  return shuffled(all, chance(7));
}

/** Ingests new matches in the middle third. Returns how many were served. */
async function ingestMeanwhile(
  data: Data,
  folder: string,
  seconds: number,
  watch: Watch,
): Promise<number> {
  await Bun.sleep((seconds / 3) * 1000);
  const end = performance.now() + (seconds / 3) * 1000;
  progress("ingest started …");
  const { stdout } = await run([MATCHBOOK, "ingest", "-", "--json", "--data", folder], {
    stdin: linesBefore(end, data),
    onStart: (pid) => watch.ingestIs(pid),
  });
  const { stored } = JSON.parse(stdout) as { stored: number };
  progress(`ingest finished: ${stored} new matches served`);
  return stored;
}

/** Generates matches until then, with another seed. */
function* linesBefore(end: number, { until, matches }: Data): Generator<string> {
  for (const lines of demoLines({ matches, until, seed: 2 })) {
    if (performance.now() > end) return;
    yield lines;
  }
}

/** Samples the memory of the server and of the ingest. */
class Watch {
  readonly #samples: MemorySample[] = [];
  readonly #began = performance.now();
  readonly #timer = setInterval(() => this.#look(), SAMPLE_MS);
  #ingest: number | undefined;

  constructor(private readonly server: Server) {
    this.#look();
  }

  ingestIs(pid: number): void {
    this.#ingest = pid;
  }

  end(): MemorySample[] {
    clearInterval(this.#timer);
    this.#look();
    return this.#samples;
  }

  #look(): void {
    const server = memoryOf(this.server.pid);
    if (server === undefined) return;
    const ingest = this.#ingest === undefined ? undefined : memoryOf(this.#ingest);
    const seconds = Math.round((performance.now() - this.#began) / 1000);
    this.#samples.push({
      seconds,
      serverMiB: significant(server.resident),
      ownMiB: significant(server.own),
      ...(ingest === undefined ? {} : { ingestMiB: significant(ingest.resident) }),
    });
    if (seconds % 30 < SAMPLE_MS / 1000)
      progress(
        `${seconds} s: server ${server.resident.toFixed(0)} MiB, ${server.own.toFixed(0)} MiB without mapped files`,
      );
  }
}

/** Measures growth after caches and the JIT compiler have settled. */
export function verdict(
  samples: readonly MemorySample[],
  seconds: number,
): Pick<
  MemorySection,
  | "settledSeconds"
  | "settledMiB"
  | "settledOwnMiB"
  | "endMiB"
  | "endOwnMiB"
  | "maxMiB"
  | "growthPercent"
  | "ownGrowthPercent"
  | "maxIngestMiB"
> {
  const settledSeconds = Math.min(SETTLED_SECONDS, Math.round(seconds / 5));
  const settled = samples.find((sample) => sample.seconds >= settledSeconds) ?? samples[0]!;
  const last = samples.at(-1)!;
  return {
    settledSeconds,
    settledMiB: settled.serverMiB,
    settledOwnMiB: settled.ownMiB,
    endMiB: last.serverMiB,
    endOwnMiB: last.ownMiB,
    maxMiB: Math.max(...samples.map(({ serverMiB }) => serverMiB)),
    maxIngestMiB: Math.max(0, ...samples.map(({ ingestMiB }) => ingestMiB ?? 0)),
    growthPercent: significant(growthPercent(settled.serverMiB, last.serverMiB), 3),
    ownGrowthPercent: significant(growthPercent(settled.ownMiB, last.ownMiB), 3),
  };
}
