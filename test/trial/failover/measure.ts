/** What a fault did to readers and writers, as a row of the table in docs/scaling.md. */

import type { Ledger } from "../ledger.ts";
import type { Readers, ReadResult } from "./readers.ts";
import type { Sender } from "./sender.ts";

export type Measured = ReturnType<ReturnType<typeof watch>>;

/** Counts from now on. `at` is when the fault began, in performance.now time. */
export function watch(readers: Readers, sender: Sender, { lost, wrong }: Ledger) {
  const before = {
    reads: readers.results.length,
    failures: sender.failures.length,
    lost: lost.length,
    wrong: wrong.length,
  };
  return (title: string, at: number) => {
    const reads = readers.results.slice(before.reads);
    const failed = reads.filter(({ status }) => status !== 200);
    const resumed = sender.successes.find((attempt) => attempt.at > at);
    return {
      title,
      reads: reads.length,
      /** How many reads failed, by status; 0 is no response. */
      failed: countByStatus(failed),
      /** From the first failed read to the end of the last one. */
      failedSeconds: failed.length === 0 ? 0 : (lastEnd(failed) - firstStart(failed)) / 1000,
      slowestSeconds: Math.max(...reads.map(({ milliseconds }) => milliseconds)) / 1000,
      /** From the fault to the first acknowledgement of an upload that was sent after it. */
      writesAfterSeconds: ((resumed?.until ?? Number.NaN) - at) / 1000,
      uploadsRepeated: sender.failures.length - before.failures,
      lost: lost.length - before.lost,
      wrong: wrong.length - before.wrong,
    };
  };
}

const firstStart = (reads: readonly ReadResult[]) => Math.min(...reads.map(({ at }) => at));
const lastEnd = (reads: readonly ReadResult[]) =>
  Math.max(...reads.map(({ at, milliseconds }) => at + milliseconds));

function countByStatus(reads: readonly ReadResult[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { status } of reads) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

/** A Markdown table. */
export function table(rows: readonly Measured[]): string {
  const lines = rows.map((row) => [
    row.title,
    String(row.reads),
    failures(row.failed),
    seconds(row.failedSeconds),
    seconds(row.slowestSeconds),
    seconds(row.writesAfterSeconds),
    String(row.uploadsRepeated),
    String(row.lost),
    String(row.wrong),
  ]);
  const head = [
    ["Fault", "Reads", "Reads that failed", "Failed for", "Slowest read"],
    ["Writes again after", "Uploads repeated", "Lost", "Wrong"],
  ].flat();
  const rule = head.map((_, at) => (at === 0 ? "---" : "---:"));
  return [head, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

const seconds = (value: number): string => `${value.toFixed(1)} s`;

function failures(counts: ReadonlyMap<number, number>): string {
  if (counts.size === 0) return "0";
  const named = ([status, count]: [number, number]) =>
    status === 0 ? `${count} without response` : `${count} × ${status}`;
  return [...counts].map(named).join(", ");
}
