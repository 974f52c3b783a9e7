/** Checks the age of the last backup, by its manifest. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formatTimestamp } from "../domain/time.ts";
import { type Finding, ok, problem, warning } from "./findings.ts";

const MANIFEST = "manifest.json";
const HOUR_MS = 3_600_000;
/** A day, and another one in which somebody may notice that it failed. */
const OLD_MS = 48 * HOUR_MS;

/** `folder` is a backup, or has one in each of its folders. */
export function backupFinding(folder: string, now: number): Finding {
  const times = [folder, ...foldersIn(folder)].flatMap((one) => timeOf(one) ?? []);
  if (times.length === 0) {
    const message = `there is no backup in ${folder}: it has no ${MANIFEST} with a time`;
    return problem("backup", message, "run 'matchbook backup', or correct --backup");
  }
  const latest = Math.max(...times);
  const hours = Math.floor((now - latest) / HOUR_MS);
  const message = `the last one in ${folder} is of ${formatTimestamp(latest)}, ${hours} h ago`;
  if (now - latest <= OLD_MS) return ok("backup", message);
  return warning("backup", message, "check why none was made since");
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

/** Undefined if there is no manifest, or one that cannot be read. */
function timeOf(folder: string): number | undefined {
  try {
    const { createdAt } = JSON.parse(readFileSync(join(folder, MANIFEST), "utf8"));
    const time = typeof createdAt === "number" ? createdAt : Date.parse(String(createdAt));
    return Number.isFinite(time) ? time : undefined;
  } catch {
    return undefined;
  }
}
