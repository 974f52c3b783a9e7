/** Puts load on servers with wrk, one after the other, and measures them. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "./figures.ts";
import { onLoadCore } from "./machine.ts";
import { BenchError, run, type Server, type Work, workOf } from "./processes.ts";
import type { Address } from "./requests.ts";

const SCRIPT = join(import.meta.dir, "wrk", "replay.lua");
const WARM_UP_SECONDS = 3;

/** The output of replay.lua; times in microseconds. */
export interface Replay {
  requests: number;
  duration: number;
  bytes: number;
  errors: Record<string, number>;
  latency: { p50: number; p99: number };
}

export interface Measured {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time of all server threads per request. */
  cpuMicros: number;
  /** The share of time that the server waited for its core. */
  waitingShare: number;
  /** Per response, with headers. */
  bytes: number;
}

export function checkLoadGenerator(): void {
  if (process.platform !== "linux") {
    throw new BenchError("The benchmark needs Linux: it reads CPU time and memory from /proc.");
  }
  if (Bun.which("wrk") !== null) return;
  throw new BenchError(
    "The load generator wrk is not installed. Install it (Debian, Ubuntu: apt-get install wrk).",
  );
}

/**
 * Requests for one server. A run of wrk continues where the run before it ended, so that a response comes from a cache
 * of results only if there are few different requests.
 */
export class Load {
  readonly #file: string;
  #next = 0;

  constructor(
    readonly server: Server,
    private readonly key: string,
    readonly addresses: readonly Address[],
    private readonly connections: number,
    scratch: string,
  ) {
    this.#file = join(scratch, `${server.name.replaceAll(" ", "-")}.txt`);
    const lines = addresses.map(({ path, headers }) =>
      [path, ...Object.entries(headers).map((pair) => pair.join(": "))].join("\t"),
    );
    writeFileSync(this.#file, `${lines.join("\n")}\n`);
  }

  /** Fails on any error response. */
  async measure(seconds: number): Promise<Measured> {
    const before = workOf(this.server.pid);
    const replay = await this.send(seconds);
    const after = workOf(this.server.pid);
    if (replay.requests === 0) throw this.#failed("no response");
    return measuredFrom(replay, {
      cpu: after.cpu - before.cpu,
      waiting: after.waiting - before.waiting,
    });
  }

  /** On a busy machine, a short run may end before the first response. */
  async send(seconds: number): Promise<Replay> {
    const { stdout } = await run(onLoadCore(this.#command(seconds)));
    const replay = parseReplay(stdout);
    this.#next = (this.#next + replay.requests) % this.addresses.length;
    const errors = errorsIn(replay);
    if (errors !== undefined) throw this.#failed(errors);
    return replay;
  }

  /** wrk takes whole seconds. */
  #command(seconds: number): string[] {
    const { server, key, connections } = this;
    const flags = ["-t1", `-c${connections}`, `-d${Math.ceil(seconds)}s`, "--timeout", "30s"];
    const headers = [`Authorization: Bearer ${key}`, "Accept: application/vnd.api+json"];
    const more = ["--latency", ...headers.flatMap((header) => ["-H", header]), "-s", SCRIPT];
    return ["wrk", ...flags, ...more, server.url, "--", this.#file, String(this.#next)];
  }

  #failed(problem: string): BenchError {
    const { name, tail } = this.server;
    return new BenchError(
      `${name} failed (${problem}) for the requests in ${this.#file}. End of its log:\n${tail()}`,
    );
  }
}

/**
 * Measures each load several times, in turns, so that a disturbance affects all of them; the order changes with every
 * round. The results are in the order of the loads.
 */
export async function measureInTurns(
  loads: readonly Load[],
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Measured[][]> {
  for (const load of loads) await load.send(Math.min(WARM_UP_SECONDS, seconds * rounds));
  const measured = loads.map((): Measured[] => []);
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [...loads.keys()] : [...loads.keys()].reverse();
    for (const at of order) measured[at]!.push(await loads[at]!.measure(seconds));
  }
  return measured;
}

/** The median of each figure. */
export function medians(rounds: readonly Measured[]): Measured {
  const names = Object.keys(rounds[0]!) as (keyof Measured)[];
  const pairs = names.map((name) => [name, median(rounds.map((one) => one[name]))]);
  return Object.fromEntries(pairs);
}

export function parseReplay(output: string): Replay {
  const line = /^replay (\{.*\})$/m.exec(output)?.[1];
  if (line === undefined) throw new BenchError(`wrk printed no result:\n${output.slice(-2000)}`);
  return JSON.parse(line) as Replay;
}

/** Any of them invalidates a run. */
export function errorsIn({ errors }: Replay): string | undefined {
  const found = Object.entries(errors).filter(([, count]) => count > 0);
  if (found.length === 0) return undefined;
  return found.map(([kind, count]) => `${count} ${kind} errors`).join(", ");
}

export function measuredFrom(replay: Replay, { cpu, waiting }: Work): Measured {
  const { requests, duration, bytes, latency } = replay;
  return {
    requests,
    requestsPerSecond: requests / (duration / 1e6),
    p50Ms: latency.p50 / 1000,
    p99Ms: latency.p99 / 1000,
    cpuMicros: cpu / requests,
    waitingShare: waiting / duration,
    bytes: bytes / requests,
  };
}
