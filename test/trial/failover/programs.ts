/** Finds, starts and stops the programs of the test, and reports missing packages. */

import { existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { asOtherUser, binaries } from "../../support/postgres.ts";

/** The Debian package of each program. */
const PACKAGES = {
  etcd: "etcd-server",
  patroni: "patroni",
  haproxy: "haproxy",
  pgbouncer: "pgbouncer",
  "redis-server": "redis-server",
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

/** The versions of the programs, for the report. */
export function versions(): string {
  const version = (command: string[]): string => {
    const { stdout, stderr } = Bun.spawnSync([
      Bun.which(command[0]!, { PATH })!,
      ...command.slice(1),
    ]);
    return /\d+(\.\d+)+/.exec(`${stdout}${stderr}`)?.[0] ?? "unknown";
  };
  return [
    `PostgreSQL ${version([join(binaries(), "postgres"), "--version"])}`,
    `Patroni ${version(["patroni", "--version"])}`,
    `etcd ${version(["etcd", "--version"])}`,
    `HAProxy ${version(["haproxy", "-v"])}`,
    `pgbouncer ${version(["pgbouncer", "--version"])}`,
    `Redis ${version(["redis-server", "--version"])}`,
    `Bun ${Bun.version}`,
  ].join(", ");
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

/** The last lines of the logs of all programs in a folder, for troubleshooting. */
export function lastWords(folder: string): string {
  const logs = [...new Bun.Glob("**/*.log").scanSync(folder)].sort();
  return logs
    .map((log) => {
      const lines = readFileSync(join(folder, log), "utf8").trimEnd().split("\n");
      return [`== ${log}`, ...lines.slice(-15)].join("\n");
    })
    .join("\n");
}
