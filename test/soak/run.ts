/** `npm run soak`: reads, changes and restarts against a server for some time, with every response compared. */

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bodyOf } from "./judge.ts";
import { csvOf, reportOf, tableOf } from "./report.ts";
import { soak } from "./soak.ts";

const HELP = `npm run soak -- [options]

Serves records with "matchbook serve", reads them in every way at a set rate, and changes them meanwhile: ingest, uploads,
replacement, prune, redaction, keys, replacement of workers. Every response is compared with a model.

  --minutes N       how long to run (default 60)
  --rate N          requests per second (default 800)
  --workers N       worker processes (default 2)
  --connections N   kept-alive connections (default 16)
  --postgres URL    store the shard there, e.g. postgres://me@localhost/test?schema=soak; the schema must be empty
  --seed N          repeats the choices of a run (default: a new one each time)
  --out DIR         where to write soak.csv and soak.json (default: a new folder)

Exit codes: 1 a response was wrong, or something else was; 2 wrong usage.`;

const { values } = parseOptions();
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const seed = count("seed", Math.floor(Math.random() * 2 ** 31));
const options = {
  seed,
  minutes: count("minutes", 60),
  rate: count("rate", 800),
  workers: count("workers", 2),
  connections: count("connections", 16),
  ...(values.postgres === undefined ? {} : { postgres: values.postgres }),
};
const out = values.out ?? mkdtempSync(join(tmpdir(), "matchbook-soak-"));
mkdirSync(out, { recursive: true });
console.log(`seed ${seed}, ${options.minutes} minutes, ${options.rate} requests per second`);

const result = await soak({
  ...options,
  sampleSeconds: Math.min(10, options.minutes),
  onProgress: ({ seconds, responses, mismatches }) =>
    console.log(`${Math.round(seconds)} s  ${responses} responses, ${mismatches} mismatches`),
});
const { summary, isRight } = reportOf(result);
console.log(`\n${tableOf(result)}\n\n${summary}`);
writeFileSync(join(out, "soak.csv"), csvOf(result.samples));
writeFileSync(join(out, "soak.json"), JSON.stringify({ ...options, ...shortened() }, undefined, 2));
console.log(`written to ${out}: soak.csv, soak.json`);
if (!isRight) {
  const file = join(out, "mismatches.json");
  const { mismatches, problems, steps } = result;
  writeFileSync(
    file,
    JSON.stringify({ seed, problems, steps, mismatches: mismatches.map(shown) }, undefined, 2),
  );
  console.log(
    `what was wrong is in ${file}; npm run soak -- --seed ${seed} makes the same choices again`,
  );
}
process.exit(isRight ? 0 : 1);

function parseOptions() {
  const text = { type: "string" } as const;
  const names = { minutes: text, rate: text, workers: text, connections: text, postgres: text };
  try {
    return parseArgs({
      options: { ...names, seed: text, out: text, help: { type: "boolean", short: "h" } },
    });
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    return process.exit(2);
  }
}

function count(
  name: "seed" | "minutes" | "rate" | "workers" | "connections",
  usual: number,
): number {
  const value = Number(values[name] ?? usual);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} must be a positive integer`);
  return process.exit(2);
}

function shortened() {
  const { responses, kinds, changes, problems, refused, samples } = result;
  const tables = { kinds: Object.fromEntries(kinds), changes: Object.fromEntries(changes) };
  return { responses, ...tables, problems, refused, samples };
}

/** A mismatch without keys. */
function shown({ what, exchange, expected }: (typeof result.mismatches)[number]) {
  const { question, method, headers, span, reply, known } = exchange;
  const { Authorization: _, ...sent } = headers;
  return {
    what,
    request: { kind: question.kind, method, path: question.path, headers: sent },
    versions: span,
    tag: known?.tag,
    status: reply.status,
    responseHeaders: Object.fromEntries(reply.headers),
    body: bodyOf(reply),
    expected,
  };
}
