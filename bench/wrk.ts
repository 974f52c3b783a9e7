/** Runs the load generator wrk and parses its output. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, type Server } from "./children.ts";
import { onLoadCore } from "./cores.ts";
import { BenchError } from "./failure.ts";
import { type Work, workOf } from "./usage.ts";

const SCRIPT = join(import.meta.dir, "wrk", "replay.lua");

/** A request: a path, and additional headers. */
export interface Address {
  path: string;
  headers: Record<string, string>;
}

/** The output of replay.lua; times in microseconds. */
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
  /** A file written by `writeAddresses`. */
  file: string;
}

export interface Measured {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p90Ms: number;
  p99Ms: number;
  maxMs: number;
  /** CPU time of all server threads per request. */
  cpuMicros: number;
  /** The shares of time that the server used its core and waited for it. */
  busyShare: number;
  waitingShare: number;
  /** Bytes on the wire per response, with headers. */
  wireBytes: number;
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

export function writeAddresses(file: string, addresses: readonly Address[]): void {
  const lines = addresses.map(({ path, headers }) =>
    [path, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\t"),
  );
  writeFileSync(file, `${lines.join("\n")}\n`);
}

/** Puts load on a server. Fails on any error response. */
export async function measure(server: Server, load: Load): Promise<Measured> {
  const before = workOf(server.pid);
  const replay = await loadWith(server, load);
  const after = workOf(server.pid);
  return measuredFrom(replay, {
    cpu: after.cpu - before.cpu,
    waiting: after.waiting - before.waiting,
  });
}

/** Load without measuring: on a busy machine, a short run may end before the first response. */
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
    `${server.name} failed (${problem}) for the requests in ${load.file}. End of its log:\n${server.tail()}`,
  );
}

/** wrk takes whole seconds. */
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

/** Problems that invalidate a run, if any. */
export function problemIn(replay: Replay): string | undefined {
  return errorsIn(replay) ?? (replay.requests === 0 ? "no response" : undefined);
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
