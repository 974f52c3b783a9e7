/** `matchbook demo`: prints realistic records of an invented game as NDJSON. */

import { type DemoOptions, demoDocuments } from "../demo/demo.ts";
import { parseTimestamp, TIMESTAMP_EXAMPLE } from "../domain/time.ts";
import { wholeNumber } from "../settings/parsers.ts";
import {
  type AddCommand,
  flagValue,
  UsageError,
  withExamples,
  withSettings,
  write,
} from "./command.ts";

interface Flags {
  matches: string;
  seed: string;
  until?: string;
}

/** Without --until, runs within ten minutes print the same. */
const STEP_MS = 10 * 60 * 1000;

/** Approximate size of a piece. */
const PIECE = 256 * 1024;

export const demo: AddCommand = (program) => {
  const command = program
    .command("demo")
    .description("print realistic match documents as NDJSON; the same flags give the same output")
    .option("--matches <N>", "number of matches", "1000")
    .option("--seed <S>", "random seed", "1")
    .option(
      "--until <TIME>",
      "end of the thirty days that the matches cover (default: now, rounded down to ten minutes)",
    )
    .action(async (flags: Flags) => {
      const matches = flagValue("--matches", flags.matches, wholeNumber(1, 1_000_000_000));
      const seed = flagValue("--seed", flags.seed, wholeNumber(0, 2 ** 32 - 1));
      const until = readUntil(flags.until);
      for (const lines of demoLines({ matches, seed, until })) await write(lines);
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook demo --matches 3", "print three matches"],
    ["matchbook demo --matches 20000 --seed 7 | matchbook ingest -", "ingest demo data"],
  ]);
};

function readUntil(text: string | undefined): number {
  if (text === undefined) return Math.floor(Date.now() / STEP_MS) * STEP_MS;
  const until = parseTimestamp(text);
  if (until === undefined) {
    throw new UsageError(
      `invalid --until "${text}": must be a timestamp with a time zone, e.g. ${TIMESTAMP_EXAMPLE}`,
    );
  }
  return until;
}

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
