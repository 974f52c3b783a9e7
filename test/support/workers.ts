/** Starts a server with several workers for tests and reads its log. */

import { readdirSync, readFileSync } from "node:fs";
import { Connection } from "./connection.ts";
import { startServerProcess } from "./process.ts";
import { until } from "./state.ts";

// biome-ignore lint/suspicious/noExplicitAny: log lines have many shapes.
export type LogLine = Record<string, any>;

/** A server process whose log is read continuously. */
export async function startWorkers(
  args: string[],
  options: Parameters<typeof startServerProcess>[1] = {},
) {
  const server = await startServerProcess(args, options);
  const log: LogLine[] = [];
  // Under load, there are many lines of requests for one of the others.
  const byEvent = new Map<string, LogLine[]>();
  // A log that goes elsewhere is not read here.
  const stderr = options.stderr === undefined ? server.child.stderr : new Blob([]).stream();
  const reading = readLines(stderr, (text) => {
    // A worker that cannot start prints plain text.
    const line: LogLine = text.startsWith("{") ? JSON.parse(text) : { said: text };
    log.push(line);
    const same = byEvent.get(line.event);
    if (same) same.push(line);
    else byEvent.set(line.event, [line]);
  });
  return {
    ...server,
    pid: server.child.pid,
    log,
    /** The log lines of an event, once there are at least this many. */
    events: (event: string, least = 1): Promise<LogLine[]> =>
      until(
        `${least} times ${event} in the log`,
        () => {
          const found = byEvent.get(event) ?? [];
          return found.length >= least ? [...found] : undefined;
        },
        // A worker that is replaced may wait fourteen seconds for idle connections.
        110,
      ),
    /** Sends a signal, then waits for the exit and the last line of the log. */
    async end(signal?: NodeJS.Signals): Promise<number> {
      const exitCode = await server.end(signal);
      await reading;
      return exitCode;
    },
  };
}

/** One request on a new connection, which goes to any of the workers. */
export async function requestOnce(url: string, path: string, headers: Record<string, string> = {}) {
  const line = new Connection(url);
  const { status, body } = await line.ask(path, headers);
  line.close();
  return { status, process: line.process, body: JSON.parse(body.toString()) };
}

/** Connections to each of both workers. The system assigns a new one at random. */
export async function linesToBoth(url: string, each = 20): Promise<Connection[][]> {
  const byProcess = new Map<string | undefined, Connection[]>();
  await until("there are connections to both workers", async () => {
    const line = new Connection(url);
    await line.ask("/healthz", {});
    byProcess.set(line.process, [...(byProcess.get(line.process) ?? []), line]);
    return byProcess.size === 2 && [...byProcess.values()].every(({ length }) => length >= each);
  });
  const all = [...byProcess.values()];
  for (const line of all.flatMap((lines) => lines.slice(each))) line.close();
  return all.map((lines) => lines.slice(0, each));
}

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void) {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    text = lines.pop()!;
    for (const line of lines) take(line);
  }
}

/** The running children of a process. */
export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return state === "Z" ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

/** Not if it has ended and nobody has noticed yet. */
export function isAlive(pid: number): boolean {
  return parentOf(String(pid)) !== undefined;
}

/** A process and all its descendants, itself first. */
export const familyOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(familyOf)];

/** Signals processes all at once. One may have ended since it was listed. */
export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}
