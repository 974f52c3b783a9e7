/** The memory sections: whether a server's memory stays constant under load, alone or with a concurrent ingest. */

import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Data, dataOf, linesOf, MATCHBOOK } from "./data.ts";
import { chance, markdownTable, percent, readable, shuffled } from "./figures.ts";
import { addressesOf, chosen } from "./measure-scenarios.ts";
import { memoryOf, progress, run, type Server } from "./processes.ts";
import type { Address } from "./requests.ts";
import type { Options } from "./run.ts";
import { startMatchbook } from "./servers.ts";
import { Load } from "./wrk.ts";

const SAMPLE_MS = 5000;
const SETTLED_SECONDS = 120;

/** Since the start of the load; in MiB. */
export interface MemorySample {
  seconds: number;
  resident: number;
  /** The part that is not mapped from files. */
  own: number;
  ingest: number;
}

export async function measureMemory(options: Options, ingests: boolean): Promise<string> {
  const seconds = Math.ceil(options.minutes * 60);
  const data = await dataOf(options.data, options.matches);
  // A copy, because other sections use the data.
  const copy = join(options.scratch, "memory");
  cpSync(data.folder, copy, { recursive: true });
  const server = await startMatchbook(copy, options);
  const addresses = await mixedAddresses(options, data, server);
  const load = new Load(server, data.key, addresses, options.connections, options.scratch);

  const watch = new Watch(server);
  const [measured, ingested] = await Promise.all([
    load.measure(seconds),
    ingests ? ingestMeanwhile(data, copy, seconds, watch) : 0,
  ]);
  const samples = watch.end();
  await server.stop();
  rmSync(copy, { recursive: true, force: true });
  return [
    `All scenarios mixed, ${options.connections} connections, ${readable(data.matches)} matches at the start.`,
    markdownTable(
      ["Measure", "Value"],
      [
        ["duration of the load, minutes", readable(options.minutes)],
        ["requests answered", readable(measured.requests)],
        ["requests/s", readable(measured.requestsPerSecond)],
        ...(ingests ? [["matches ingested meanwhile", readable(ingested)]] : []),
        ...memoryRows(samples, seconds),
      ],
    ),
  ].join("\n\n");
}

/** The URLs of all scenarios, in random order. */
async function mixedAddresses(options: Options, data: Data, server: Server): Promise<Address[]> {
  const all: Address[] = [];
  for (const scenario of chosen(options)) {
    for (const address of await addressesOf(scenario, server, data)) all.push(address);
  }
  return shuffled(all, chance(7));
}

/** Ingests new matches in the middle third. Returns how many were served. */
async function ingestMeanwhile(
  { matches, until }: Data,
  folder: string,
  seconds: number,
  watch: Watch,
): Promise<number> {
  await Bun.sleep((seconds / 3) * 1000);
  const end = performance.now() + (seconds / 3) * 1000;
  progress("ingest started …");
  const { stdout } = await run([MATCHBOOK, "ingest", "-", "--json", "--data", folder], {
    stdin: linesBefore(end, linesOf(matches, until, 2)),
    onStart: (pid) => {
      watch.ingest = pid;
    },
  });
  const { stored } = JSON.parse(stdout) as { stored: number };
  progress(`ingest finished: ${stored} new matches served`);
  return stored;
}

function* linesBefore(end: number, lines: Iterable<string>): Generator<string> {
  for (const piece of lines) {
    if (performance.now() > end) return;
    yield piece;
  }
}

/** Samples the memory of the server and of the ingest. */
class Watch {
  readonly #samples: MemorySample[] = [];
  readonly #began = performance.now();
  readonly #timer = setInterval(() => this.#look(), SAMPLE_MS);
  ingest: number | undefined;

  constructor(private readonly server: Server) {
    this.#look();
  }

  end(): MemorySample[] {
    clearInterval(this.#timer);
    this.#look();
    return this.#samples;
  }

  #look(): void {
    const seconds = Math.round((performance.now() - this.#began) / 1000);
    const server = memoryOf(this.server.pid);
    const ingest = this.ingest === undefined ? 0 : memoryOf(this.ingest).resident;
    this.#samples.push({ seconds, ...server, ingest });
    if (seconds % 30 >= SAMPLE_MS / 1000) return;
    const [resident, own] = [server.resident, server.own].map(readable);
    progress(`${seconds} s: server ${resident} MiB, ${own} MiB without mapped files`);
  }
}

/** Growth counts after caches and the JIT compiler have settled. */
export function memoryRows(samples: readonly MemorySample[], seconds: number): string[][] {
  const settledSeconds = Math.min(SETTLED_SECONDS, Math.round(seconds / 5));
  const settled = samples.find((sample) => sample.seconds >= settledSeconds) ?? samples[0]!;
  const last = samples.at(-1)!;
  const most = (name: "resident" | "ingest") => Math.max(...samples.map((one) => one[name]));
  const growth = (name: "resident" | "own") => percent(last[name] / settled[name] - 1);
  const ingest = most("ingest");
  return [
    [`resident memory of the server after ${settledSeconds} s, MiB`, readable(settled.resident)],
    ["resident memory at the end, MiB", readable(last.resident)],
    ["peak resident memory, MiB", readable(most("resident"))],
    ...(ingest > 0 ? [["peak resident memory of the ingest, MiB", readable(ingest)]] : []),
    [`growth from ${settledSeconds} s to the end`, growth("resident")],
    [`without mapped files, after ${settledSeconds} s, MiB`, readable(settled.own)],
    ["without mapped files, at the end, MiB", readable(last.own)],
    [`without mapped files, growth from ${settledSeconds} s to the end`, growth("own")],
  ];
}
