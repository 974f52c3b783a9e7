/** The client as users install it: packed by `npm pack` from its sources, and unpacked in a folder. */

import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../client/package.json";
import { ROOT, runProgram } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

export type Installed = Awaited<ReturnType<typeof installClient>>;

/** Beside it are no sources, and nothing was built before. */
export async function installClient() {
  const sources = aFolder();
  const { path: folder, remove } = aFolder();
  try {
    const client = join(sources.path, "client");
    const isBuilt = (path: string) => path.startsWith(join(ROOT, "client", "dist"));
    cpSync(join(ROOT, "client"), client, { recursive: true, filter: (path) => !isBuilt(path) });
    symlinkSync(join(ROOT, "node_modules"), join(sources.path, "node_modules"));
    const cache = join(sources.path, "npm-cache");
    const pack = ["npm", "pack", "--offline", "--ignore-scripts=false", "--cache", cache];
    await run([...pack, "--pack-destination", folder], { cwd: client });
    const home = join(folder, "node_modules", "matchbook-client");
    mkdirSync(home, { recursive: true });
    const archive = join(folder, `matchbook-client-${version}.tgz`);
    await run(["tar", "-xzf", archive, "--strip-components=1", "-C", home]);
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  } finally {
    sources.remove();
  }
}

/** Runs a program; throws its error output if it fails. */
export async function run(
  command: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
) {
  const { exitCode, stdout, stderr } = await runProgram(command, {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...options.env },
  });
  if (exitCode !== 0) throw new Error(`${command[0]} ended with ${exitCode}:\n${stdout}${stderr}`);
  return stdout;
}
