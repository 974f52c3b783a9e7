/** Starts child processes, reads their CPU time and memory, and ends them with the benchmark. */

import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";

/** Ends the benchmark with exit code 1, a message and no stack trace. */
export class BenchError extends Error {
  override name = "BenchError";
}

/** Writes progress to standard error; only results go to standard output. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

type Child = ReturnType<typeof Bun.spawn>;

const TAIL_LINES = 15;
const alive = new Set<Child>();

/** Call once, at the start: ends the children when this process ends. */
export function endChildrenOnExit(): void {
  process.on("exit", () => {
    for (const child of alive) child.kill("SIGKILL");
  });
  process.on("SIGINT", () => process.exit(130));
  process.on("SIGTERM", () => process.exit(143));
}

/** Without environment variables that would change Matchbook's settings. */
function environment(more: Record<string, string>): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("MATCHBOOK_"));
  return { ...Object.fromEntries(kept), ...more };
}

function track<C extends Child>(child: C): C {
  alive.add(child);
  child.exited.finally(() => alive.delete(child));
  return child;
}

export interface Finished {
  stdout: string;
  seconds: number;
  /** CPU time of all threads and of awaited child processes. */
  cpuSeconds: number;
  peakMiB: number;
}

/** Runs a command with this standard input; throws if it fails. */
export async function run(
  command: string[],
  {
    stdin = [],
    env = {},
    onStart = () => {},
  }: {
    stdin?: Iterable<string>;
    env?: Record<string, string>;
    onStart?: (pid: number) => void;
  } = {},
): Promise<Finished> {
  const began = performance.now();
  const options = { stdin: "pipe", stdout: "pipe", stderr: "pipe" } as const;
  const child = track(Bun.spawn(command, { ...options, env: environment(env) }));
  onStart(child.pid);
  const outputs = Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  try {
    for (const piece of stdin) {
      child.stdin.write(piece);
      await child.stdin.flush();
    }
    await child.stdin.end();
  } catch (error) {
    // A program that fails closes its input; its own output is the better error message.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
  const [stdout, stderr, exitCode] = await outputs;
  const seconds = (performance.now() - began) / 1000;
  if (exitCode !== 0) {
    const name = command.slice(0, 3).join(" ");
    const output = tailOf(`${stdout}\n${stderr}`);
    throw new BenchError(`"${name} …" failed with exit code ${exitCode}:\n${output}`);
  }
  const usage = child.resourceUsage();
  return {
    stdout,
    seconds,
    cpuSeconds: Number(usage?.cpuTime.total ?? 0) / 1e6,
    peakMiB: (usage?.maxRSS ?? 0) / 1024 ** 2,
  };
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
  const file = openSync(log, "w");
  const options = { stdin: "ignore", stdout: "pipe", stderr: file } as const;
  const child = track(Bun.spawn(command, { ...options, env: environment(env) }));
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
      // Nothing that it would still do matters, and draining takes seconds.
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function listening(stdout: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const reader = stdout.getReader();
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

/** CPU time of all threads, and their time waiting for a core, in microseconds. */
export interface Work {
  cpu: number;
  waiting: number;
}

/** schedstat counts nanoseconds; the usual counters count ticks of 10 ms. */
export function workOf(pid: number): Work {
  const work = { cpu: 0, waiting: 0 };
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      const numbers = readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ");
      work.cpu += Number(numbers[0]) / 1000;
      work.waiting += Number(numbers[1]) / 1000;
    } catch {
      // The thread has ended.
    }
  }
  return work;
}

/** Resident memory in MiB, also without mapped files, which the kernel can reclaim. Zero if the process has ended. */
export function memoryOf(pid: number): { resident: number; own: number } {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const mebibytes = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0) / 1024;
    return { resident: mebibytes("VmRSS"), own: mebibytes("RssAnon") };
  } catch {
    return { resident: 0, own: 0 };
  }
}
