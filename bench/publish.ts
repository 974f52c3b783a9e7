/**
 * Updates the figures in the documents: replaces the text between markers with the results in
 * results.json.
 *
 *   bun bench/publish.ts           writes the documents below and the plots
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { placesIn, ROOT } from "./places.ts";
import { writePlots } from "./plots.ts";
import { PARTS, render } from "./report.ts";
import { type Results, readResults } from "./results.ts";

/** The documents with markers, and the relative path from each to the plots. */
export const DOCUMENTS = [
  { file: "docs/performance.md", plots: "../bench/plots" },
  { file: "docs/scaling.md", plots: "../bench/plots" },
  { file: "docs/reliability.md", plots: "../bench/plots" },
] as const;

/** Updates every marked part; parts without results stay unchanged. */
export function published(text: string, results: Results, plots: string): string {
  let current = text;
  for (const part of PARTS) {
    const marked = new RegExp(`(<!-- bench:${part} -->)[\\s\\S]*?(<!-- /bench:${part} -->)`, "g");
    const rendered = render(part, results, plots);
    if (rendered === undefined) continue;
    current = current.replace(marked, (_, open, close) => `${open}\n\n${rendered}\n\n${close}`);
  }
  return current;
}

function publish(): void {
  const { results: file, plots: folder } = placesIn(import.meta.dir);
  const results = readResults(file);
  writePlots(folder, results);
  for (const { file: name, plots } of DOCUMENTS) {
    const path = join(ROOT, name);
    if (!existsSync(path)) continue;
    const before = readFileSync(path, "utf8");
    const after = published(before, results, plots);
    if (after !== before) writeFileSync(path, after);
    process.stdout.write(`${name}: ${after === before ? "unchanged" : "updated"}\n`);
  }
}

if (import.meta.main) publish();
