/** `matchbook demo`: prints realistic records of an invented game as NDJSON. */

import { type DemoOptions, demoDocuments } from "../demo/demo.ts";
import { timestamp, wholeNumber } from "../settings/parsers.ts";
import { defineCommand, flagValue, write } from "./command.ts";

interface Flags {
  matches: string;
  seed: string;
  until?: string;
}

/** Without --until, runs within ten minutes print the same. */
const STEP_MS = 10 * 60 * 1000;

/** Approximate size of a piece. */
const PIECE = 256 * 1024;

export const demo = defineCommand<Flags>({
  name: "demo",
  description: "print realistic match documents as NDJSON; the same flags give the same output",
  options: {
    "--matches <N>": ["number of matches", "1000"],
    "--seed <S>": ["random seed", "1"],
    "--until <TIME>":
      "end of the thirty days that the matches cover (default: now, rounded down to ten minutes)",
  },
  examples: {
    "matchbook demo --matches 3": "print three matches",
    "matchbook demo --matches 20000 --seed 7 | matchbook ingest -": "ingest demo data",
  },
  async run({ flags }) {
    const matches = flagValue("--matches", flags.matches, wholeNumber(1, 1_000_000_000));
    const seed = flagValue("--seed", flags.seed, wholeNumber(0, 2 ** 32 - 1));
    const until =
      flags.until === undefined
        ? Math.floor(Date.now() / STEP_MS) * STEP_MS
        : flagValue("--until", flags.until, timestamp);
    for (const lines of demoLines({ matches, seed, until })) await write(lines);
  },
});

/** NDJSON in pieces. */
export function* demoLines(options: DemoOptions): Generator<string> {
  let lines = "";
  for (const document of demoDocuments(options)) {
    lines += `${JSON.stringify(document)}\n`;
    if (lines.length < PIECE) continue;
    yield lines;
    lines = "";
  }
  yield lines;
}
