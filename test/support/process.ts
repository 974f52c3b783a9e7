/** Runs `bin/matchbook` as a process. */

import { join } from "node:path";

export const ROOT = join(import.meta.dir, "..", "..");
export const MATCHBOOK = join(ROOT, "bin", "matchbook");

export interface Finished {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** The program to run instead of bin/matchbook. */
  program?: string;
  stdin?: string | Uint8Array;
  cwd?: string;
  env?: Record<string, string>;
  /** A file descriptor used as standard error, which then cannot be read from the process. */
  stderr?: number;
}

/** Runs to the end. MATCHBOOK_ variables of the environment are not passed on. */
export async function matchbook(args: string[], options: RunOptions = {}): Promise<Finished> {
  const child = spawnMatchbook(args, options);
  if (options.stdin !== undefined) child.stdin.write(options.stdin);
  await child.stdin.end();
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

export function spawnMatchbook(args: string[], options: RunOptions = {}) {
  const surroundings = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith("MATCHBOOK_"),
  );
  return Bun.spawn([options.program ?? MATCHBOOK, ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...Object.fromEntries(surroundings), ...options.env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: (options.stderr ?? "pipe") as "pipe",
  });
}

/** Starts a server process and waits until it has printed where it listens. */
export async function startServerProcess(args: string[], options: RunOptions = {}) {
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

/** Builds the portal from its current sources, once. */
export function buildPortal(): void {
  if (isBuilt) return;
  const built = Bun.spawnSync([process.execPath, "scripts/portal.ts", "--quiet"], { cwd: ROOT });
  if (built.exitCode !== 0) throw new Error(`the portal cannot be built: ${built.stderr}`);
  isBuilt = true;
}
