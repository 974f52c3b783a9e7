/** `npm run trial -- fuzz`. */

import type { Trial } from "../trial.ts";
import { KINDS, type Kind } from "./campaign.ts";
import { fuzzKind, toRepeat } from "./targets.ts";

const WHAT: Record<Kind, string> = {
  requests: "requests to the public listener",
  records: "files and uploads of match documents",
};

export const FUZZ: Trial = {
  what: "generated requests and match documents, compared with a reference",
  help: `Sends generated input, and compares what comes back with a reference. First the corpus in test/trial/fuzz/corpus, then
new cases. What is found is minimised and printed.`,
  usually: "1, shared equally by the parts",
  options: { cases: { takes: "number", help: "how many cases of each part, instead of a time" } },
  parts: WHAT,
  async run(given) {
    const { seed, minutes = 1, only } = given;
    const kinds = KINDS.filter((kind) => only?.includes(kind) ?? true);
    const cases = given.number("cases");
    let isRight = true;
    for (const kind of kinds) {
      const began = performance.now();
      const spent = () => performance.now() - began;
      const { corpus, generated, seen, findings } = await fuzzKind(kind, {
        seed,
        goesOn: (done) =>
          cases === undefined ? spent() < (minutes * 60_000) / kinds.length : done < cases,
        onComplaint: (from, complaint) =>
          console.log(`${kind}, ${from}: ${complaint.slice(0, 4000)}\nNow it is minimised.`),
      });
      for (const finding of findings) console.log(`\n${toRepeat(kind, seed, finding)}\n`);
      console.log(
        `${kind}: ${corpus} of the corpus, ${generated} generated in ${Math.round(spent() / 1000)} s, ${seen.size} behaviours, ${findings.length} findings`,
      );
      isRight &&= findings.length === 0;
    }
    return isRight;
  },
};
