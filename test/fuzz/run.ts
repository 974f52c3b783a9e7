/** `npm run fuzz`: fuzzes for some minutes, prints what was covered, and exits with 1 if anything was found. */

import { parseArgs } from "node:util";
import { KINDS, type Kind, type Summary } from "./campaign.ts";
import { fuzzKind, newSeed, toRepeat } from "./targets.ts";

const HELP = `npm run fuzz -- [--minutes M] [--seed N] [--cases C] [requests] [records] [admin]

Sends generated requests, match documents and admin requests to Matchbook, and compares
what comes back with a reference. First the corpus in test/fuzz/corpus, then new cases.

  --minutes M   how long, shared equally by the kinds (default 1)
  --cases C     instead of a time: how many cases of each kind
  --seed N      repeats a run: the same seed generates the same cases (default: a new one)

Exit codes: 0 nothing found, 1 something found (the minimised case is printed), 2 wrong usage.`;

const { values, positionals } = options();
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const kinds = positionals.length === 0 ? KINDS : (positionals as Kind[]);
const seed = numberOf("seed", values.seed) ?? newSeed();
const minutes = numberOf("minutes", values.minutes) ?? 1;
const cases = numberOf("cases", values.cases);
for (const kind of kinds) if (!KINDS.includes(kind)) misused(`there is no kind ${kind}`);

console.log(`seed ${seed}`);
const summaries: [Kind, Summary, seconds: number][] = [];
for (const kind of kinds) {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  let told = 0;
  const summary = await fuzzKind(kind, {
    seed,
    goesOn: (generated) =>
      cases === undefined ? seconds() < (minutes * 60) / kinds.length : generated < cases,
    onComplaint: (from, complaint) =>
      console.log(`${kind}, ${from}: ${complaint.slice(0, 4000)}\nNow it is minimised.`),
    onProgress(generated, behaviours, findings) {
      if (seconds() < told + 10) return;
      told = seconds();
      console.log(
        `${kind}: ${generated} cases in ${told.toFixed(0)} s, ${behaviours} behaviours, ${findings} findings`,
      );
    },
  });
  summaries.push([kind, summary, seconds()]);
  for (const finding of summary.findings) console.log(`\n${toRepeat(kind, seed, finding)}\n`);
}

console.log("\nkind      corpus  generated  behaviours  findings  seconds");
for (const [kind, { corpus, generated, seen, findings }, seconds] of summaries) {
  const cells = [corpus, generated, seen.size, findings.length, seconds.toFixed(0)];
  const widths = [8, 11, 12, 10, 9];
  console.log(
    kind.padEnd(8) + cells.map((cell, at) => String(cell).padStart(widths[at]!)).join(""),
  );
}
process.exit(summaries.some(([, { findings }]) => findings.length > 0) ? 1 : 0);

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: "boolean" },
        minutes: { type: "string" },
        cases: { type: "string" },
        seed: { type: "string" },
      },
    });
  } catch (error) {
    return misused((error as Error).message);
  }
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  return text !== "" && number >= 0 ? number : misused(`--${name} must be a number, not "${text}"`);
}

function misused(problem: string): never {
  console.error(`${problem}\n\n${HELP}`);
  process.exit(2);
}
