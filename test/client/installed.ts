/** The client as users install it: built by `npm run client`, and installed in a folder. */

import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { scripts } from "../../package.json";
import { ROOT } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

export interface Installed {
  folder: string;
  remove(): void;
}

/** A folder with the installed package: only the files that it lists. */
export async function installClient(): Promise<Installed> {
  const { path: folder, remove } = aFolder();
  const home = join(folder, "node_modules", "matchbook-client");
  mkdirSync(home, { recursive: true });
  cpSync(join(ROOT, "client", "package.json"), join(home, "package.json"));
  await run([
    "node_modules/.bin/tsc",
    ...scripts.client.split(" ").slice(1),
    "--outDir",
    join(home, "dist"),
  ]);
  return { folder, remove };
}

/** Runs a program; throws its error output if it fails. */
export async function run(
  command: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
) {
  const child = Bun.spawn(command, {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...options.env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`${command[0]} ended with ${exitCode}:\n${stdout}${stderr}`);
  return stdout;
}
