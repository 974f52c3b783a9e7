/** `npm run trial -- soak`. */

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Trial } from "../trial.ts";
import { bodyOf } from "./judge.ts";
import { reportOf, tableOf } from "./report.ts";
import { type SoakResult, soak } from "./soak.ts";

export const SOAK: Trial = {
  what: "reads, changes and restarts for a long time; every response is compared with a model",
  help: `Serves records with "matchbook serve", reads them in every way at a set rate, and changes them meanwhile: ingest,
uploads, replacement, prune, redaction, keys, replacement of workers. Every response must equal the model.`,
  usually: "60",
  options: {
    rate: { takes: "number", help: "requests per second (default: 800)" },
    workers: { takes: "number", help: "worker processes (default: 2)" },
    connections: { takes: "number", help: "kept-alive connections (default: 16)" },
    postgres: { takes: "text", help: "the URL of an empty schema for the shard" },
    out: { takes: "text", help: "where to write soak.json (default: a new folder)" },
  },
  async run(given) {
    const postgres = given.text("postgres");
    const options = {
      seed: given.seed,
      minutes: given.minutes ?? 60,
      rate: given.number("rate") ?? 800,
      workers: given.number("workers") ?? 2,
      connections: given.number("connections") ?? 16,
      ...(postgres === undefined ? {} : { postgres }),
    };
    const out = given.text("out") ?? mkdtempSync(join(tmpdir(), "matchbook-soak-"));
    mkdirSync(out, { recursive: true });
    const result = await soak({
      ...options,
      sampleSeconds: Math.min(10, options.minutes),
      onProgress: ({ seconds, responses, mismatches }) =>
        console.log(`${Math.round(seconds)} s  ${responses} responses, ${mismatches} mismatches`),
    });
    const { summary, isRight } = reportOf(result);
    console.log(`\n${tableOf(result)}\n\n${summary}`);
    const { mismatches, kinds, changes, steps, ...rest } = result;
    const tables = { kinds: Object.fromEntries(kinds), changes: Object.fromEntries(changes) };
    const write = (name: string, content: object) =>
      writeFileSync(join(out, name), JSON.stringify(content, undefined, 2));
    write("soak.json", { ...options, ...tables, ...rest });
    if (!isRight) write("mismatches.json", { steps, mismatches: mismatches.map(shown) });
    console.log(`written to ${out}`);
    return isRight;
  },
};

/** A mismatch without keys. */
function shown({ what, exchange, expected }: SoakResult["mismatches"][number]) {
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
