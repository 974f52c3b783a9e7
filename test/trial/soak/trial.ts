/** `npm run trial -- soak`. */

import type { Trial } from "../trial.ts";
import { bodyOf, type Mismatch } from "./judge.ts";
import { flatness } from "./samples.ts";
import { type SoakResult, soak } from "./soak.ts";

export const SOAK: Trial = {
  what: "reads, changes and restarts for a long time; every response is compared with a model",
  help: `Serves records with "matchbook serve", reads them in every way at a set rate, and changes them meanwhile: ingest,
uploads, replacement, prune, redaction, replacement of workers. Every response must equal the model.`,
  usually: "60",
  options: {
    rate: { takes: "number", help: "requests per second (default: 800)" },
    postgres: { takes: "text", help: "the URL of an empty schema for the shard" },
  },
  async run(given) {
    const postgres = given.text("postgres");
    const minutes = given.minutes ?? 60;
    const result = await soak({
      seed: given.seed,
      minutes,
      rate: given.number("rate") ?? 800,
      ...(postgres === undefined ? {} : { postgres }),
      sampleSeconds: Math.min(10, minutes),
      onProgress(seconds, { responses, mismatches }) {
        const found = `${responses} responses, ${mismatches.length} mismatches`;
        console.log(`${Math.round(seconds)} s  ${found}`);
      },
    });
    return report(result);
  },
};

/** Prints how often everything happened and what went wrong. Returns whether nothing did. */
function report({ kinds, changes, samples, steps, ...result }: SoakResult): boolean {
  const { responses, mismatches, problems, refused, processes } = result;
  const counted = [...kinds, ...[...changes].map(([kind, count]) => [`change: ${kind}`, count])];
  for (const [kind, count] of counted.sort()) console.log(`${String(count).padStart(8)}  ${kind}`);
  const flat = flatness(samples);
  const memory = flat
    ? `${Math.round(flat.firstMiB)} MiB in the first quarter, ${Math.round(flat.lastMiB)} MiB in the last (medians): ${flat.isFlat ? "flat" : "NOT flat, it may rise by 5 %"}`
    : "the run was too short to tell whether it is flat (20 minutes)";
  console.log(`
${responses} responses of ${processes} processes, ${mismatches.length} mismatches
${refused} connections were reset while they were opened
memory after ten minutes: ${memory}`);
  for (const problem of problems.slice(0, 20)) console.log(`PROBLEM ${problem}`);
  for (const one of mismatches.slice(0, 5)) console.log(`MISMATCH ${shown(one)}`);
  if (mismatches.length > 0) console.log(`The last steps: ${JSON.stringify(steps)}`);
  return mismatches.length + problems.length === 0 && flat?.isFlat !== false;
}

/** A mismatch without keys. */
function shown({ what, exchange, expected }: Mismatch): string {
  const { question, method, headers, span, reply, known } = exchange;
  const { Authorization: _, ...sent } = headers;
  const lines = [
    `${method} ${question.path} (${question.kind}): ${what}`,
    JSON.stringify({ sent, versions: span, tag: known?.tag, status: reply.status }),
    `response: ${JSON.stringify([Object.fromEntries(reply.headers), bodyOf(reply)])}`,
    ...expected.map((one) => `expected: ${JSON.stringify(one)}`),
  ];
  return lines.map((line) => line.slice(0, 10_000)).join("\n  ");
}
