/** Writes files of demo matches for tests that need many. */

import { writeFileSync } from "node:fs";
import { demoDocuments } from "../../src/demo/demo.ts";

/** One line of NDJSON per match. */
export function demoLines(matches: number, until: number): string[] {
  return Array.from(demoDocuments({ matches, seed: 7, until }), (one) => JSON.stringify(one));
}

export function writeLines(file: string, lines: readonly string[]): void {
  writeFileSync(file, `${lines.join("\n")}\n`);
}

/** The same lines shuffled; the same seed gives the same order. */
export function shuffled<T>(lines: readonly T[], seed: number): T[] {
  const order = lines.map((line, index) => ({ line, at: Bun.hash.wyhash(`${seed} ${index}`) }));
  return order.sort((a, b) => (a.at < b.at ? -1 : 1)).map(({ line }) => line);
}
