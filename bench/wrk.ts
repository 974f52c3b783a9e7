/** In charge of the load generator: how wrk is called, and what its output says. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, type Server } from "./children.ts";
import { onLoadCore } from "./cores.ts";
import { BenchError } from "./failure.ts";
import { type Work, workOf } from "./usage.ts";

const SCRIPT = join(import.meta.dir, "wrk", "replay.lua");

/** A request to replay: a path, and headers beyond those that all requests carry. */
export interface Address {
  path: string;
  headers: Record<string, string>;
}

/** What replay.lua prints; times in microseconds. */
export interface Replay {
  requests: number;
  duration: number;
  bytes: number;
  errors: { connect: number; read: number; write: number; status: number; timeout: number };
  latency: { p50: number; p90: number; p99: number; max: number };
}

export interface Load {
  seconds: number;
  connections: number;
  key: string;
  /** The addresses, as written by `writeAddresses`. */
  file: string;
}

export interface Measured {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p90Ms: number;
  p99Ms: number;
  maxMs: number;
  /** CPU time of the server, all threads, for one request. */
  cpuMicros: number;
  /** How much of the time the server's core worked for it, and how much it had to wait for it. */
  busyShare: number;
  waitingShare: number;
  /** Bytes on the wire for one reply, head included. */
  wireBytes: number;
}

export function checkLoadGenerator(): void {
  if (process.platform !== "linux") {
    throw new BenchError("This needs Linux: CPU time and memory are read from /proc.");
  }
  if (Bun.which("wrk") !== null) return;
  throw new BenchError(
    "The load generator wrk is not installed. Install it (Debian, Ubuntu: apt-get install wrk) and run this again.",
  );
}

export function writeAddresses(file: string, addresses: readonly Address[]): void {
  const lines = addresses.map(({ path, headers }) =>
    [path, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\t"),
  );
  writeFileSync(file, `${lines.join("\n")}\n`);
}

/** Loads a server for a while. Any reply that is not a good one makes the whole run fail. */
export async function measure(server: Server, load: Load): Promise<Measured> {
  const before = workOf(server.pid);
  const replay = await loadWith(server, load);
  const after = workOf(server.pid);
  return measuredFrom(replay, {
    cpu: after.cpu - before.cpu,
    waiting: after.waiting - before.waiting,
  });
}

/** The same without measuring: on a busy machine a short one may end before the first reply. */
export async function warmUp(server: Server, load: Load): Promise<void> {
  await loadWith(server, load, errorsIn);
}

async function loadWith(
  server: Server,
  load: Load,
  judge: (replay: Replay) => string | undefined = problemIn,
): Promise<Replay> {
  const { stdout } = await run(onLoadCore(wrkCommand(server.url, load)));
  const replay = parseReplay(stdout);
  const problem = judge(replay);
  if (problem === undefined) return replay;
  throw new BenchError(
    `${server.name} did not answer well (${problem}) to the addresses in ${load.file}. Its log ends with:\n${server.tail()}`,
  );
}

/** wrk counts in whole seconds. */
function wrkCommand(url: string, { seconds, connections, key, file }: Load): string[] {
  const flags = ["-t1", `-c${connections}`, `-d${Math.ceil(seconds)}s`, "--timeout", "30s"];
  const headers = [`Authorization: Bearer ${key}`, "Accept: application/vnd.api+json"];
  const asFlags = headers.flatMap((header) => ["-H", header]);
  return ["wrk", ...flags, "--latency", ...asFlags, "-s", SCRIPT, url, "--", file];
}

export function parseReplay(output: string): Replay {
  const line = /^replay (\{.*\})$/m.exec(output)?.[1];
  if (line === undefined) throw new BenchError(`wrk printed no result:\n${output.slice(-2000)}`);
  return JSON.parse(line) as Replay;
}

/** What must not be in a run that counts; undefined when all is well. */
export function problemIn(replay: Replay): string | undefined {
  return errorsIn(replay) ?? (replay.requests === 0 ? "no reply at all" : undefined);
}

function errorsIn({ errors }: Replay): string | undefined {
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
    p90Ms: latency.p90 / 1000,
    p99Ms: latency.p99 / 1000,
    maxMs: latency.max / 1000,
    cpuMicros: cpu / requests,
    busyShare: cpu / duration,
    waitingShare: waiting / duration,
    wireBytes: bytes / requests,
  };
}
