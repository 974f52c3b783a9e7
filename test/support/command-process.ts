/** A process of `matchbook()`: runs one command line after another, each as if it were alone. */

import { existsSync, fstatSync, readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { run } from "../../src/cli/program.ts";

export interface CommandLine {
  args: string[];
  env: Record<string, string>;
  cwd: string;
  stdin: string | Uint8Array;
  /** Follows the output on both streams. */
  end: string;
}

/** Sent after the end of the output. */
export interface CommandEnd {
  exitCode: number;
  /** Whether the process can run another command line. */
  isReusable: boolean;
}

const DESCRIPTORS = "/proc/self/fd";

/** The number of open files; undefined on systems that do not list them. */
function openFiles(): number | undefined {
  if (!existsSync(DESCRIPTORS)) return undefined;
  return readdirSync(DESCRIPTORS).filter(isFile).length;
}

function isFile(descriptor: string): boolean {
  try {
    return fstatSync(Number(descriptor)).isFile();
  } catch {
    // The one of the list itself is closed by now.
    return false;
  }
}

const openAtStart = openFiles();

process.on("message", async ({ args, env, cwd, stdin, end }: CommandLine) => {
  const before = { ...process.env };
  Object.assign(process.env, env);
  process.chdir(cwd);
  Bun.stdin.stream = () => new Blob([Buffer.from(stdin as string)]).stream();
  process.exitCode = 0;
  const exitCode = await run(args);
  // SQLite files are closed when their last statement is collected, which few commands leave behind. Collecting takes
  // as much CPU time as a short command, and all code has to be compiled again.
  if (openAtStart === undefined || openFiles()! > openAtStart) Bun.gc(true);
  for (const name of Object.keys(env)) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  const isReusable = restorePriority();
  await Promise.all([write(process.stdout, end), write(process.stderr, end)]);
  process.send!({ exitCode, isReusable } satisfies CommandEnd);
});

// The tests are over.
process.on("disconnect", () => process.exit());

const write = (stream: NodeJS.WriteStream, text: string) =>
  new Promise<void>((resolve) => stream.write(text, () => resolve()));

/** `verify` lowers the priority of its process, and only root can raise it again. */
function restorePriority(): boolean {
  if (getPriority() === 0) return true;
  try {
    setPriority(0);
    return true;
  } catch {
    return false;
  }
}
