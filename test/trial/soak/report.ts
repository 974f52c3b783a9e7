/** What a run reports: tables and figures. */

import { flatness } from "./samples.ts";
import type { SoakResult } from "./soak.ts";

/** How often everything happened. */
export function tableOf({ kinds, changes }: SoakResult): string {
  const rows = [
    ...[...kinds].sort(([a], [b]) => (a < b ? -1 : 1)),
    ...[...changes].map(([kind, count]) => [`change: ${kind}`, count] as const),
  ];
  const width = Math.max(...rows.map(([kind]) => kind.length));
  return rows
    .map(([kind, count]) => `${kind.padEnd(width)}  ${String(count).padStart(8)}`)
    .join("\n");
}

export function reportOf(result: SoakResult): { summary: string; isRight: boolean } {
  const { responses, mismatches, problems, refused, processes, samples } = result;
  const flat = flatness(samples);
  const lines = [
    `${responses} responses of ${processes} processes, ${mismatches.length} mismatches`,
    `${refused} connections were reset while they were opened`,
    flat
      ? `memory after ten minutes: ${mib(flat.firstMiB)} in the first quarter, ${mib(flat.lastMiB)} in the last (medians): ${flat.isFlat ? "flat" : "NOT flat, it may rise by 5 %"}`
      : "memory: the run was too short to tell whether it is flat (20 minutes)",
    ...mismatches
      .slice(0, 5)
      .map(({ what, exchange }) => `MISMATCH ${exchange.question.path}: ${what}`),
    ...problems.slice(0, 20).map((problem) => `PROBLEM ${problem}`),
  ];
  const isRight = mismatches.length + problems.length === 0 && flat?.isFlat !== false;
  return { summary: lines.join("\n"), isRight };
}

const mib = (value: number) => `${Math.round(value)} MiB`;
