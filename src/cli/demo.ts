/** `matchbook demo`: plausible records of an invented game, as NDJSON. */

import { type DemoOptions, demoDocuments } from "../demo/demo.ts";
import { parseTimestamp, TIMESTAMP_EXAMPLE } from "../domain/time.ts";
import { wholeNumber } from "../settings/parsers.ts";
import { type AddCommand, flagValue, UsageError, withExamples, withSettings } from "./command.ts";

interface Flags {
  matches: string;
  seed: string;
  until?: string;
}

/** Without --until, runs that follow each other closely print the same. */
const STEP_MS = 10 * 60 * 1000;

/** About how large a piece is. */
const PIECE = 256 * 1024;

export const demo: AddCommand = (program) => {
  const command = program
    .command("demo")
    .description("print plausible match documents as NDJSON, the same for the same flags")
    .option("--matches <N>", "how many matches", "1000")
    .option("--seed <S>", "another seed makes other matches", "1")
    .option(
      "--until <TIME>",
      "the end of the thirty days they are spread over (default: the last full ten minutes)",
    )
    .action(async (flags: Flags) => {
      const matches = flagValue("--matches", flags.matches, wholeNumber(1, 1_000_000_000));
      const seed = flagValue("--seed", flags.seed, wholeNumber(0, 2 ** 32 - 1));
      const until = readUntil(flags.until);
      for (const lines of demoLines({ matches, seed, until })) await write(lines);
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook demo --matches 3", "look at a few"],
    ["matchbook demo --matches 20000 --seed 7 | matchbook ingest -", "fill the shards"],
  ]);
};

function readUntil(text: string | undefined): number {
  if (text === undefined) return Math.floor(Date.now() / STEP_MS) * STEP_MS;
  const until = parseTimestamp(text);
  if (until === undefined) {
    throw new UsageError(
      `--until "${text}" must be a time with a zone, for example ${TIMESTAMP_EXAMPLE}`,
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

/** Waits for the reader. */
function write(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}
