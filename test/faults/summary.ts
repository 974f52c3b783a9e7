/** The table of all runs by kind, in Markdown. */

import type { Result } from "./one-run.ts";

const HEADS = ["Kind", "Runs", "Hit", "Acknowledged", "Lost", "Wrong values"].concat([
  "Responses compared",
  "Named damage",
  "Failed runs",
]);

export function summary(results: readonly Result[]): string {
  const kinds = [...new Set(results.map(({ kind }) => kind))].sort();
  const rows = kinds.map((kind) =>
    row(
      kind,
      results.filter((one) => one.kind === kind),
    ),
  );
  const lines = [HEADS, HEADS.map((_, at) => (at === 0 ? "---" : "---:")), ...rows];
  return [...lines, row("**all**", results)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function row(name: string, results: readonly Result[]): string[] {
  const sum = (of: (result: Result) => number) =>
    results.reduce((total, result) => total + of(result), 0).toLocaleString("en");
  return [
    name,
    sum(() => 1),
    sum(({ hasHit }) => Number(hasHit)),
    sum(({ acknowledged }) => acknowledged),
    sum(({ lost }) => lost),
    sum(({ wrong }) => wrong),
    sum(({ responses }) => responses),
    sum(({ named }) => named),
    sum(({ problems }) => Number(problems.length > 0)),
  ];
}
