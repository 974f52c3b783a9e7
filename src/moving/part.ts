/** In charge of telling a copy that broke off from anything else that may be where a copy is to go. */

import type { Holdings, Keeper, StoredMatch, Transaction } from "../store/store.ts";
import { recordSteps } from "./steps.ts";

/** The target holds what the source does not: it is no copy of it. */
export class NoCopy extends Error {
  override name = "NoCopy";

  constructor(
    readonly matchId: string,
    readonly inSource: "missing" | "different",
  ) {
    super(`match ${matchId} is ${inSource} in the source`);
  }
}

/** Throws NoCopy unless the source has every record of the target, byte for byte. */
export async function checkIsPart(
  target: Keeper,
  source: Pick<Transaction, "load">,
  batch: number,
  onProgress: (records: number) => void,
): Promise<void> {
  await target.survey(async (holdings: Holdings) => {
    let compared = 0;
    for await (const step of recordSteps(holdings, batch)) {
      const originals = new Map<string, StoredMatch>();
      for (const { match } of await source.load(step.map(({ match: { id } }) => id))) {
        originals.set(match.id, match);
      }
      for (const { match } of step) {
        const original = originals.get(match.id);
        if (original === undefined) throw new NoCopy(match.id, "missing");
        if (!areEqual(original, match)) throw new NoCopy(match.id, "different");
      }
      compared += step.length;
      onProgress(compared);
    }
  });
}

function areEqual(one: StoredMatch, other: StoredMatch): boolean {
  return (
    one.createdAt === other.createdAt &&
    one.gameMode === other.gameMode &&
    one.patchVersion === other.patchVersion &&
    Buffer.compare(one.contentHash, other.contentHash) === 0 &&
    Buffer.compare(one.sheet, other.sheet) === 0 &&
    Buffer.compare(one.carried, other.carried) === 0
  );
}
