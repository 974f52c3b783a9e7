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
