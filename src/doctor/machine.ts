/** Checks the machine: versions, file descriptors and the clock. */

import { existsSync, readFileSync } from "node:fs";
import { CLOCK_TOLERANCE_MS, formatTimestamp } from "../domain/time.ts";
import { type Finding, ok, problem, warning } from "./findings.ts";

/** As in deploy/systemd/matchbook.service. */
const WANTED_DESCRIPTORS = 65_536;
/** With less, a few thousand connections are too many. */
const LEAST_DESCRIPTORS = 4096;

export function descriptorFindings(): Finding[] {
  const limits = readDescriptorLimits();
  return limits === undefined ? [] : [descriptorFinding(limits)];
}

export interface DescriptorLimits {
  /** Undefined: unlimited. */
  soft: number | undefined;
  hard: number | undefined;
}

/** Every connection and every open shard takes some. */
export function descriptorFinding({ soft, hard }: DescriptorLimits): Finding {
  const message = `soft limit ${soft ?? "unlimited"}, hard limit ${hard ?? "unlimited"} of this process`;
  if (soft === undefined || soft >= LEAST_DESCRIPTORS) return ok("descriptors", message);
  const advice = `a public server should have ${WANTED_DESCRIPTORS}: LimitNOFILE in its unit, or 'ulimit -n'`;
  return warning("descriptors", message, advice);
}

/** Undefined where the system does not report them. */
function readDescriptorLimits(): DescriptorLimits | undefined {
  if (process.platform !== "linux") return undefined;
  const line = /^Max open files +(\S+) +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
  if (!line) return undefined;
  const parse = (text: string) => (text === "unlimited" ? undefined : Number(text));
  return { soft: parse(line[1]!), hard: parse(line[2]!) };
}

const TOLERATED_AHEAD_MS = 60_000;

/** `newestMatch` is the latest of all shards; `isSynchronized` is undefined if it is unknown. */
export function clockFindings(
  now: number,
  newestMatch: number | undefined,
  isSynchronized: boolean | undefined,
): Finding[] {
  const found: Finding[] = [];
  const time = formatTimestamp(Math.floor(now / 1000) * 1000);
  if (isSynchronized === false) {
    const message = `${time}, not synchronized with a time server`;
    found.push(warning("clock", message, "run chrony or systemd-timesyncd"));
  } else {
    const state = isSynchronized ? "synchronized" : "unknown whether it is synchronized";
    found.push(ok("clock", `${time}, ${state}`));
  }
  const aheadMs = (newestMatch ?? now) - now;
  if (aheadMs <= TOLERATED_AHEAD_MS) return found;
  const message = `the newest match is dated ${formatTimestamp(newestMatch!)}, which is in the future: it is not listed until then`;
  const advice = "compare the clocks of this machine and of the game servers with a time server";
  const judge = aheadMs > CLOCK_TOLERANCE_MS ? problem : warning;
  return [...found, judge("clock", message, advice)];
}

const PATIENCE_MS = 1000;

/** Whether the clock is synchronized by NTP, as far as this user can find out. */
export function isClockSynchronized(): boolean | undefined {
  if (existsSync("/run/systemd/timesync/synchronized")) return true;
  if (Bun.which("timedatectl") === null) return undefined;
  const { stdout, exitCode } = Bun.spawnSync(
    ["timedatectl", "show", "--property=NTPSynchronized", "--value"],
    { stderr: "ignore", timeout: PATIENCE_MS },
  );
  const answer = stdout.toString().trim();
  return exitCode === 0 && /^(yes|no)$/.test(answer) ? answer === "yes" : undefined;
}
