/** A short run of each kind of fuzzing, with a new seed each time: FUZZ_SEED repeats one. */

import { describe, expect, test } from "bun:test";
import { newSeed } from "../../support/chance.ts";
import type { RawReply } from "../../support/connection.ts";
import { scaled } from "../../support/scale.ts";
import { KINDS, type Kind } from "./campaign.ts";
import { COMPARED, INVALID, VALID } from "./records.ts";
import { fuzzKind, type Tamper, toRepeat } from "./targets.ts";
import { textOf } from "./wire.ts";

const SEED = process.env.FUZZ_SEED === undefined ? newSeed() : Number(process.env.FUZZ_SEED);

const CASES: Record<Kind, number> = { requests: 1600, records: 150 };

/** For how many of the cases, at least, the oracle knew this. A third of it is usual for some seeds. */
const PREDICTED: Record<Kind, Record<string, number>> = {
  requests: { "with data": 0.05, "with a status": 0.3 },
  records: { [VALID]: 0.1, [INVALID]: 0.05, [COMPARED]: 0.3 },
};

/** Only a hang takes as long. */
const LONGEST_MS = 15 * 60_000;

for (const kind of KINDS) {
  const cases = scaled(CASES[kind]);
  test(
    `${cases} generated ${kind} and the corpus (npm run trial -- fuzz --seed ${SEED} --cases ${cases} --only ${kind})`,
    async () => {
      const { findings, corpus, seen } = await fuzzKind(kind, {
        seed: SEED,
        goesOn: (generated) => generated < cases,
      });
      expect(corpus).toBePositive();
      expect(findings.map((finding) => toRepeat(kind, SEED, finding)).join("\n\n")).toBe("");
      for (const [what, share] of Object.entries(PREDICTED[kind])) {
        expect([what, (seen.get(what) ?? 0) >= share * cases]).toEqual([what, true]);
      }
    },
    LONGEST_MS,
  );
}

/** A response whose document is changed. */
// biome-ignore lint/suspicious/noExplicitAny: documents of every shape.
const inDocument = (change: (document: any) => void) => (reply: RawReply) => {
  if (reply.body.length === 0 || !reply.headers.get("content-type")?.includes("json")) return reply;
  const document = JSON.parse(textOf(reply));
  change(document);
  const headers = new Headers(reply.headers);
  headers.delete("content-encoding");
  return { ...reply, headers, body: Buffer.from(JSON.stringify(document)) };
};

const TAMPERED: [Kind, what: string, Tamper, complaint: RegExp][] = [
  [
    "requests",
    "a match has another duration",
    {
      requests: inDocument(({ data }) => {
        for (const { attributes } of [data ?? []].flat()) {
          if (attributes?.duration !== undefined) attributes.duration += 1;
        }
      }),
    },
    /^other data\n/,
  ],
  [
    "records",
    "a match is stored with another duration",
    { records: inFile(/"duration":(\d)/g, '"duration":1$1') },
    /^match \S+: data\n/,
  ],
];

/** The first bytes of a file that is not compressed. */
function inFile(pattern: RegExp, replacement: string) {
  return (file: Buffer) =>
    Buffer.from(file.toString("latin1").replace(pattern, replacement), "latin1");
}

/** The same each time. With some of them, another complaint comes first in every case. */
const TAMPERED_SEEDS = [7, 8, 9, 10, 11, 12];

describe("the oracle complains when", () => {
  test.each(TAMPERED)(
    "%s: %s",
    async (kind, _, tamper, complaint) => {
      const complaints: string[] = [];
      const isFound = () => complaints.some((one) => complaint.test(one));
      for (const seed of TAMPERED_SEEDS) {
        if (isFound()) break;
        const options = {
          ...{ seed, hasCorpus: false, isMinimised: false },
          onComplaint: (_from: unknown, one: string) => complaints.push(one),
          goesOn: (generated: number) => generated < CASES[kind] && !isFound(),
        };
        await fuzzKind(kind, options, tamper);
      }
      expect([isFound(), complaints]).toEqual([true, complaints]);
    },
    LONGEST_MS,
  );
});
