/** Starts what each kind of fuzzing needs. */

import type { RawReply } from "../../support/connection.ts";
import { type CampaignOptions, type Finding, fuzz, type Kind } from "./campaign.ts";
import { recordTarget } from "./records.ts";
import { requestTarget } from "./requests.ts";
import { startFuzzWorld } from "./world.ts";

/** What changes responses, or a file before it is ingested, so that the oracle must complain. */
export interface Tamper {
  requests?(reply: RawReply): RawReply;
  records?(file: Buffer): Buffer;
}

export async function fuzzKind(kind: Kind, options: CampaignOptions, tamper: Tamper = {}) {
  if (kind === "records") {
    const target = recordTarget(tamper.records);
    return fuzz(target, options).finally(target.stop);
  }
  const world = await startFuzzWorld();
  const target = requestTarget(world, tamper.requests);
  try {
    return await fuzz(target, options);
  } finally {
    target.close();
    await world.stop();
  }
}

/** What to do about a finding. */
export function toRepeat(kind: Kind, seed: number, { from, complaint, text }: Finding): string {
  const name = `test/trial/fuzz/corpus/${kind}/${Bun.hash.crc32(text).toString(36)}.txt`;
  const isKnown = from.endsWith(".txt");
  return [
    `${kind}, ${from}: ${complaint.slice(0, 4000)}`,
    isKnown
      ? `The case is test/trial/fuzz/corpus/${kind}/${from}.`
      : `Add the minimised case as ${name}:`,
    ...(isKnown ? [] : ["-".repeat(20), text.slice(0, 20_000), "-".repeat(20)]),
    `Repeat: npm run trial -- fuzz --seed ${seed} --only ${kind}`,
  ].join("\n");
}
