/** Describes the machine and the time of a measurement. */

import { existsSync, readFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { PINNING } from "./cores.ts";
import { ROOT } from "./places.ts";

export interface Circumstances {
  date: string;
  command: string;
  /** The measured commit; with "+" if there were uncommitted changes. Absent without Git. */
  commit?: string;
  machine: {
    cpu: string;
    cores: number;
    memoryGiB: number;
    system: string;
    bun: string;
    node: string;
    wrk: string;
    pinning: string;
  };
}

export function circumstances(command: string): Circumstances {
  const commit = commitNow();
  return {
    date: new Date().toISOString(),
    command,
    ...(commit === undefined ? {} : { commit }),
    machine: {
      cpu: cpus()[0]?.model.trim() ?? "unknown",
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 1024 ** 3),
      system: `${distribution()}${type()} ${release().split(".").slice(0, 2).join(".")}`,
      bun: Bun.version,
      node: outputOf(["node", "--version"])?.replace(/^v/, "") ?? "none",
      wrk: /^wrk (?:debian\/)?(\S+)/.exec(outputOf(["wrk", "--version"]) ?? "")?.[1] ?? "none",
      pinning: PINNING,
    },
  };
}

function commitNow(): string | undefined {
  const commit = outputOf(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"]);
  if (commit === undefined || commit === "") return undefined;
  const changes = outputOf(["git", "-C", ROOT, "status", "--porcelain", "--", "src", "bin"]);
  return changes === "" ? commit : `${commit}+`;
}

function distribution(): string {
  if (!existsSync("/etc/os-release")) return "";
  const name = /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
  return name === undefined ? "" : `${name}, `;
}

function outputOf(command: string[]): string | undefined {
  if (Bun.which(command[0]!) === null) return undefined;
  // wrk prints its version and exits with 1.
  const { stdout } = Bun.spawnSync(command, { cwd: join(ROOT), stderr: "ignore" });
  return stdout.toString().trim();
}
