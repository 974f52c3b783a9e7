/** Finds and starts the programs of the test, and reports missing packages. */

import { existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { asOtherUser, binaries } from "../support/postgres.ts";

/** The Debian package of each program. */
const PACKAGES = {
  etcd: "etcd-server",
  patroni: "patroni",
  haproxy: "haproxy",
  setpriv: "util-linux",
} as const;

export type Program = keyof typeof PACKAGES;

/** Some packages install programs that are only on root's PATH. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/bin`;

/** Reports all missing packages at once. */
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

/** Starts a program as the user that runs PostgreSQL; its output is appended to a file. */
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

/** A process and all its descendants, itself first. */
export function family(pid: number): number[] {
  let children: string;
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  } catch {
    return [];
  }
  return [pid, ...children.split(" ").filter(Boolean).map(Number).flatMap(family)];
}

/** Kills processes all at once, like the loss of a machine. */
export function killAtOnce(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // It has exited in the meantime.
      if ((error as { code?: string }).code !== "ESRCH") throw error;
    }
  }
}

/** Polls until there is a result. */
export async function until<T>(
  what: string,
  seconds: number,
  check: () => Promise<T | undefined>,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const result = await check();
    if (result !== undefined) return result;
    if (performance.now() > end) throw new Error(`it did not happen within ${seconds} s: ${what}`);
    await Bun.sleep(50);
  }
}
