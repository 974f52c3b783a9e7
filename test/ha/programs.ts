/** In charge of the programs of the test: where they are, which packages are missing, and their processes. */

import { existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { asOtherUser, binaries } from "../support/postgres.ts";

/** By program, the package of Debian that brings it. */
const PACKAGES = {
  etcd: "etcd-server",
  patroni: "patroni",
  haproxy: "haproxy",
  setpriv: "util-linux",
} as const;

export type Program = keyof typeof PACKAGES;

/** Packages put some of them where only root's path leads. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/bin`;

/** Says everything that is missing at once. */
export function checkPrograms(): void {
  const missing: string[] = Object.entries(PACKAGES)
    .filter(([program]) => Bun.which(program, { PATH }) === null)
    .map(([, name]) => name);
  if (!hasServer()) missing.push("postgresql");
  if (missing.length > 0) {
    throw new Error(
      `programs are missing: install them (apt-get install --no-install-recommends ${missing.join(" ")})`,
    );
  }
}

function hasServer(): boolean {
  try {
    return existsSync(join(binaries(), "pg_rewind"));
  } catch {
    return false;
  }
}

/** Starts a program as the user that runs PostgreSQL; what it says is added to a file. */
export function start(program: Program, args: string[], folder: string, log: string): Subprocess {
  const file = openSync(join(folder, log), "a");
  return Bun.spawn(asOtherUser([Bun.which(program, { PATH })!, ...args]), {
    cwd: folder,
    env: { PATH: `${binaries()}:${PATH}`, HOME: folder, LC_ALL: "C.UTF-8" },
    stdin: "ignore",
    stdout: file,
    stderr: file,
  });
}

/** A process with all that it has started, itself first. */
export function family(pid: number): number[] {
  let children: string;
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  } catch {
    return [];
  }
  return [pid, ...children.split(" ").filter(Boolean).map(Number).flatMap(family)];
}

/** Ends processes as the loss of a machine would: all at once, without a word. */
export function killAtOnce(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // It has ended meanwhile.
      if ((error as { code?: string }).code !== "ESRCH") throw error;
    }
  }
}

/** Asks again and again until there is an answer. */
export async function until<T>(
  what: string,
  seconds: number,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > end) throw new Error(`it did not happen within ${seconds} s: ${what}`);
    await Bun.sleep(50);
  }
}
