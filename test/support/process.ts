/** Runs command lines of Matchbook, and `bin/matchbook` as a process. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { BUILT_PACK } from "../../src/http/portal-assets.ts";
import type { CommandEnd, CommandLine } from "./command-process.ts";

export const ROOT = join(import.meta.dir, "..", "..");
export const MATCHBOOK = join(ROOT, "bin", "matchbook");
/** `npm test` builds an executable from the sources, which starts twice as fast. */
export const PROGRAM = process.env.TEST_EXECUTABLE ?? MATCHBOOK;

/** As in bin/matchbook. */
export const RUNTIME_OPTIONS = { BUN_JSC_useConcurrentGC: "0", MIMALLOC_PURGE_DELAY: "1000" };

export interface Finished {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** The program to run instead of bin/matchbook or the executable. */
  program?: string;
  stdin?: string | Uint8Array;
  cwd?: string;
  env?: Record<string, string>;
  /** A file descriptor used as standard error, which then cannot be read from the process. */
  stderr?: number;
}

/** Commands that change how their process handles signals and errors. */
const SERVING = ["serve", "quickstart"];

/**
 * Runs a command line to the end. MATCHBOOK_ variables of the environment are not passed on. Its process stays for the
 * next one, because most of what a short command takes is the start of its process; `asProcess()` starts a new one.
 * Command lines that run at the same time have different processes.
 */
export function matchbook(args: string[], options: RunOptions = {}): Promise<Finished> {
  const { program, stderr, stdin = "", cwd = ROOT, env = {} } = options;
  const isOwn = program !== undefined || stderr !== undefined || SERVING.includes(args[0] ?? "");
  if (isOwn) return asProcess(args, options);
  const runner = idle.pop() ?? startRunner();
  return runner({ args, env, cwd, stdin, end: `\0${crypto.randomUUID()}\0` });
}

/** Runs a command line to the end in a process of its own. */
export async function asProcess(args: string[], options: RunOptions = {}): Promise<Finished> {
  const child = spawnMatchbook(args, options);
  if (options.stdin !== undefined) child.stdin.write(options.stdin);
  await child.stdin.end();
  return finished(child);
}

/** What a process prints, and its exit code, once it has ended. */
export async function finished({
  stdout,
  stderr,
  exited,
}: Subprocess<"ignore" | "pipe", "pipe", "pipe">): Promise<Finished> {
  const [printed, complaints, exitCode] = await Promise.all([
    new Response(stdout).text(),
    new Response(stderr).text(),
    exited,
  ]);
  return { exitCode, stdout: printed, stderr: complaints };
}

/** Runs another program to its end. */
export const runProgram = (
  command: readonly string[],
  options: { cwd?: string; env?: Record<string, string | undefined> } = {},
): Promise<Finished> =>
  finished(
    Bun.spawn([...command], { ...options, stdin: "ignore", stdout: "pipe", stderr: "pipe" }),
  );

type Runner = (line: CommandLine) => Promise<Finished>;

const idle: Runner[] = [];

function startRunner(): Runner {
  let onEnd: (end: CommandEnd) => void;
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "command-process.ts")], {
    cwd: ROOT,
    env: { ...surroundings(), ...RUNTIME_OPTIONS },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    ipc: (end: CommandEnd) => onEnd(end),
  });
  // It exits with this process.
  child.unref();
  const stdout = child.stdout.getReader();
  const stderr = child.stderr.getReader();
  // A command may exit by itself.
  const exited = child.exited.then((exitCode): CommandEnd => ({ exitCode, isReusable: false }));
  const run: Runner = async (line) => {
    const ended = new Promise<CommandEnd>((resolve) => {
      onEnd = resolve;
    });
    // Without anything to wait for, the test runner would poll.
    const waiting = setInterval(() => {}, 60_000);
    child.send(line);
    const [out, err, { exitCode, isReusable }] = await Promise.all([
      readTo(line.end, stdout),
      readTo(line.end, stderr),
      Promise.race([ended, exited]),
    ]);
    clearInterval(waiting);
    if (isReusable) idle.push(run);
    return { exitCode, stdout: out, stderr: err };
  };
  return run;
}

/** Reads the output of one command line: up to its end, or everything if the process has exited. */
async function readTo(
  end: string,
  reader: { read(): Promise<{ value?: Uint8Array | undefined }> },
): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const { value } = await reader.read();
    if (value === undefined) return Buffer.concat(chunks).toString();
    chunks.push(value);
    // The end may be divided between two chunks.
    const isOver = Buffer.concat(chunks.slice(-2)).toString("latin1").endsWith(end);
    if (isOver) return Buffer.concat(chunks).toString().slice(0, -end.length);
  }
}

/** The environment without MATCHBOOK_ variables. */
export function surroundings(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith("MATCHBOOK_"),
  );
  return Object.fromEntries(kept);
}

/** Starts a process of its own. */
export function spawnMatchbook(args: string[], options: RunOptions = {}) {
  // A busy machine must not refuse the requests of a test.
  const limits = SERVING.includes(args[0] ?? "") ? { MATCHBOOK_MAX_DELAY_MS: "0" } : {};
  // Without them, the executable starts itself a second time.
  const runtime = options.program === undefined ? RUNTIME_OPTIONS : {};
  return Bun.spawn([options.program ?? PROGRAM, ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...surroundings(), ...runtime, ...limits, ...options.env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: (options.stderr ?? "pipe") as "pipe",
  });
}

/**
 * Starts a server process and waits until it has printed where it listens. With workers, it chooses a free port before it
 * listens, which another test may take meanwhile: then it is started again.
 */
export async function startServerProcess(
  args: string[],
  options: RunOptions = {},
): Promise<Awaited<ReturnType<typeof startOnce>>> {
  try {
    return await startOnce(args, options);
  } catch (error) {
    const isTaken = (error as Error).message.includes("the port is in use");
    if (!isTaken || args.includes("--port")) throw error;
    return startServerProcess(args, options);
  }
}

async function startOnce(args: string[], options: RunOptions) {
  const child = spawnMatchbook(["serve", "--port", "0", ...args], options);
  const reader = child.stdout.getReader();
  let output = "";
  const saying = async (what: RegExp): Promise<string> => {
    for (;;) {
      const found = what.exec(output)?.[1];
      if (found !== undefined) return found;
      const { done, value } = await reader.read();
      if (done) throw new Error(`the server ended: ${await new Response(child.stderr).text()}`);
      output += Buffer.from(value).toString();
    }
  };
  return {
    url: await saying(/^listening on (http:\S+)\n/m),
    child,
    /** Waits until standard output matches, and returns the first group. */
    saying,
    /** Sends a signal and waits for the exit. */
    async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number> {
      child.kill(signal);
      return child.exited;
    },
  };
}

let isBuilt = false;

/** Builds the portal, unless what was built is newer than everything that it may be built from. */
export function buildPortal(): void {
  if (isBuilt || isUpToDate()) return;
  const built = Bun.spawnSync([process.execPath, "scripts/portal.ts", "--quiet"], { cwd: ROOT });
  if (built.exitCode !== 0) throw new Error(`the portal cannot be built: ${built.stderr}`);
  isBuilt = true;
}

function isUpToDate(): boolean {
  if (!existsSync(BUILT_PACK)) return false;
  const builtAt = statSync(BUILT_PACK).mtimeMs;
  const sources = ["src", "docs", "scripts"].flatMap((folder) => [
    folder,
    ...readdirSync(join(ROOT, folder), { recursive: true }).map((path) => `${folder}/${path}`),
  ]);
  // Folders too: their time says that a file was removed or renamed.
  return [...sources, "CHANGELOG.md", "package.json", "package-lock.json", "tsconfig.json"].every(
    (path) => statSync(join(ROOT, path)).mtimeMs < builtAt,
  );
}
