/** Runs the benchmark as a process. */

import { join } from "node:path";
import { ROOT } from "./process.ts";

export async function bench(...args: string[]) {
  const child = Bun.spawn([process.execPath, join(ROOT, "bench", "run.ts"), ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, exitCode };
}
