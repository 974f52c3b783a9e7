/** Writes the table of a run into docs/scaling.md, with the circumstances. */

import { readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { measuredWith } from "../../../bench/machine.ts";
import { ROOT } from "../../support/process.ts";

export interface Run {
  command: string;
  versions: string;
  /** Reads, records and the like. */
  totals: string;
}

export function described(table: string, { command, versions, totals }: Run): string {
  const load = `average load ${loadavg()[2]!.toFixed(1)}`;
  const origin = measuredWith(command, load, versions);
  return `${table}\n\n${totals} ${origin}`;
}

export function publish(text: string): void {
  const file = join(ROOT, "docs/scaling.md");
  const marked = /(<!-- trial failover -->)[\s\S]*?(<!-- \/trial failover -->)/;
  const page = readFileSync(file, "utf8");
  if (!marked.test(page)) throw new Error("docs/scaling.md has no place for the table");
  const written = page.replace(marked, (_, open, close) => `${open}\n\n${text}\n\n${close}`);
  writeFileSync(file, written);
}
