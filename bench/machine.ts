/** The machine: which cores the programs run on, and how a measurement describes it. */

import { existsSync, readFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "..");

const canPin = availableParallelism() >= 2 && Bun.which("taskset") !== null;

const pinnedTo = (core: number, command: string[]): string[] =>
  canPin ? ["taskset", "-c", String(core), ...command] : command;

export const onServerCore = (command: string[]): string[] => pinnedTo(0, command);
export const onLoadCore = (command: string[]): string[] => pinnedTo(1, command);

/** When, with which command, at which commit and where something was measured, as a sentence. */
export function measuredWith(command: string, ...details: string[]): string {
  const commit = commitNow();
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GiB`;
  const place = [`${cpus().length} cores of ${cpus()[0]?.model.trim() ?? "unknown"}`, memory];
  const system = `${distribution()}${type()} ${release().split(".").slice(0, 2).join(".")}`;
  const date = new Date().toISOString().slice(0, 10);
  const at = commit === undefined ? "" : ` at commit ${commit}`;
  return `Measured on ${date}${at} with \`${command}\`: ${[...place, system, ...details].join(", ")}.`;
}

/** Of the benchmark. */
export function measuredHere(command: string): string {
  const node = outputOf(["node", "--version"])?.replace(/^v/, "") ?? "none";
  const cores = canPin ? "server on core 0, load generator on core 1" : "not pinned to cores";
  return measuredWith(command, `Bun ${Bun.version}`, `Node.js ${node}`, cores);
}

/** With "+" if there were uncommitted changes; undefined without Git. */
function commitNow(): string | undefined {
  const commit = outputOf(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"]);
  if (!commit) return undefined;
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
  return Bun.spawnSync(command, { stderr: "ignore" }).stdout.toString().trim();
}
