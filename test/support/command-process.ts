/** A process of `matchbook()`: runs one command line after another, each as if it were alone. */

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

process.on("message", async ({ args, env, cwd, stdin, end }: CommandLine) => {
  const before = { ...process.env };
  Object.assign(process.env, env);
  process.chdir(cwd);
  Bun.stdin.stream = () => new Blob([Buffer.from(stdin as string)]).stream();
  process.exitCode = 0;
  const exitCode = await run(args);
  // SQLite files are closed when their last statement is collected.
  Bun.gc(true);
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
