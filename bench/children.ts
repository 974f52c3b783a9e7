/** Starts child processes, collects their logs, and ends them with the benchmark. */

import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { BenchError } from "./failure.ts";

type Child = ReturnType<typeof Bun.spawn>;

const TAIL_LINES = 15;
const PATIENCE_MS = 5000;
const alive = new Set<Child>();

/** Call once, at the start: ends the children when this process ends. */
export function endChildrenOnExit(): void {
  process.on("exit", () => {
    for (const child of alive) child.kill("SIGKILL");
  });
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.on(signal, () => process.exit(code));
  }
}

/** Removes environment variables that would change Matchbook's settings. */
function environment(more: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith("MATCHBOOK_"),
  );
  return { ...Object.fromEntries(kept), ...more };
}

function track<C extends Child>(child: C): C {
  alive.add(child);
  child.exited.finally(() => alive.delete(child));
  return child;
}

export interface RunOptions {
  env?: Record<string, string>;
  /** Written to standard input, as fast as it is read. */
  stdin?: AsyncIterable<string> | Iterable<string>;
  /** A file for standard input. */
  stdinFile?: string;
  /** Called with the process id. */
  onStart?(pid: number): void;
}

export interface Finished {
  stdout: string;
  seconds: number;
  /** CPU time of all threads and of awaited child processes. */
  cpuSeconds: number;
  peakMiB: number;
}

/** Runs a command; throws if it fails. */
export async function run(command: string[], options: RunOptions = {}): Promise<Finished> {
  const name = command.slice(0, 3).join(" ");
  const began = performance.now();
  const input = options.stdinFile === undefined ? undefined : Bun.file(options.stdinFile);
  const child = track(
    Bun.spawn(command, {
      stdin: input ?? (options.stdin ? "pipe" : "ignore"),
      stdout: "pipe",
      stderr: "pipe",
      env: environment(options.env),
    }),
  );
  options.onStart?.(child.pid);
  const outputs = Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (options.stdin) await feed(child, options.stdin);
  const [stdout, stderr, exitCode] = await outputs;
  const seconds = (performance.now() - began) / 1000;
  if (exitCode !== 0) {
    throw new BenchError(
      `"${name} …" failed with exit code ${exitCode}:\n${tailOf(`${stdout}\n${stderr}`)}`,
    );
  }
  const usage = child.resourceUsage();
  return {
    stdout,
    seconds,
    cpuSeconds: Number(usage?.cpuTime.total ?? 0) / 1e6,
    peakMiB: (usage?.maxRSS ?? 0) / 1024 ** 2,
  };
}

async function feed(child: Child, pieces: AsyncIterable<string> | Iterable<string>) {
  const sink = child.stdin;
  if (sink === undefined || typeof sink === "number") throw new TypeError("no pipe to write to");
  try {
    for await (const piece of pieces) {
      sink.write(piece);
      await sink.flush();
    }
    await sink.end();
  } catch (error) {
    // A program that fails closes its input; its own output is the better error message.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
}

export interface Server {
  name: string;
  url: string;
  pid: number;
  /** The last lines of its log. */
  tail(): string;
  stop(): Promise<void>;
}

/** Starts a server and waits for the line with its URL. */
export async function startServer(
  name: string,
  command: string[],
  log: string,
  env: Record<string, string> = {},
): Promise<Server> {
  mkdirSync(dirname(log), { recursive: true });
  const file = openSync(log, "w");
  const child = track(
    Bun.spawn(command, {
      stdin: "ignore",
      stdout: "pipe",
      stderr: file,
      env: environment(env),
    }),
  );
  closeSync(file);
  const tail = () => tailOf(readFileSync(log, "utf8").slice(-20_000));
  const url = await listening(child.stdout);
  if (url === undefined) {
    throw new BenchError(
      `${name} exited before it was listening (${command.join(" ")}):\n${tail()}`,
    );
  }
  return {
    name,
    url,
    pid: child.pid,
    tail,
    async stop() {
      child.kill("SIGTERM");
      const impatient = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
      await child.exited;
      clearTimeout(impatient);
      rmSync(log, { force: true });
    },
  };
}

async function listening(stdout: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const reader = stdout.getReader();
  const decoder = new TextDecoder();
  let said = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return undefined;
    said += decoder.decode(value, { stream: true });
    const url = /listening (?:on )?(http:\/\/\S+)\n/.exec(said)?.[1];
    if (url === undefined) continue;
    // Keep reading, so that the server never blocks on its output.
    (async () => {
      while (!(await reader.read()).done);
    })().catch(() => {});
    return url;
  }
}

const tailOf = (text: string): string =>
  text
    .trim()
    .split("\n")
    .slice(-TAIL_LINES)
    .map((line) => `    ${line.slice(0, 400)}`)
    .join("\n");
