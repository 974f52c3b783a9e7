/** The report of an ingest: how many records were stored, withheld, known or rejected. */

import { noneWithheld, type WithheldReason } from "../domain/visibility.ts";
import type { Accepted } from "./commit-batch.ts";

export interface Report {
  stored: number;
  withheld: Record<WithheldReason, number>;
  duplicate: number;
  conflict: number;
  /** Records that are older than the shard's prune cutoff, and were not stored. */
  pruned: number;
  rejected: number;
  /** Private matches, withheld before, that are served because of these records. */
  released: number;
}

export function emptyReport(): Report {
  const withheld = noneWithheld();
  return { stored: 0, withheld, duplicate: 0, conflict: 0, pruned: 0, rejected: 0, released: 0 };
}

export function addTo(report: Report, accepted: Accepted): void {
  for (const outcome of accepted.outcomes) {
    if (outcome.kind === "withheld") report.withheld[outcome.reason] += 1;
    else report[outcome.kind] += 1;
  }
  report.released += accepted.released;
}

/** Whether every record is in its shard, or was pruned. */
export function isComplete(report: Report): boolean {
  return report.rejected === 0 && report.conflict === 0;
}

export function recordsIn(report: Report): number {
  const withheld = Object.values(report.withheld).reduce((sum, count) => sum + count, 0);
  const { stored, duplicate, conflict, pruned, rejected } = report;
  return stored + withheld + duplicate + conflict + pruned + rejected;
}
