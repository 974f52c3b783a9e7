/** A short run of each kind of fuzzing, with a new seed each time: FUZZ_SEED repeats one. */

import { expect, test } from "bun:test";
import { scaled } from "../support/scale.ts";
import { KINDS, type Kind } from "./campaign.ts";
import { describe, fuzzKind, newSeed } from "./targets.ts";

const SEED = process.env.FUZZ_SEED === undefined ? newSeed() : Number(process.env.FUZZ_SEED);

/** Together about 20 seconds of CPU time at half scale. */
const CASES: Record<Kind, number> = { requests: 2400, records: 120, admin: 300 };

/** Only a hang takes as long. */
const LONGEST_MS = 15 * 60_000;

for (const kind of KINDS) {
  const cases = scaled(CASES[kind]);
  test(
    `${cases} generated ${kind} and the corpus (npm run fuzz -- --seed ${SEED} --cases ${cases} ${kind})`,
    async () => {
      const { findings, corpus } = await fuzzKind(kind, {
        seed: SEED,
        goesOn: (generated) => generated < cases,
      });
      expect(corpus).toBePositive();
      expect(findings.map((finding) => describe(kind, SEED, finding)).join("\n\n")).toBe("");
    },
    LONGEST_MS,
  );
}
