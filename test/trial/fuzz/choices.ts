/** The choices behind a generated case: recorded, so that they can be repeated and minimised. */

import { Chance } from "../../support/chance.ts";

/** 0 is always the simplest choice, so grammars list the simplest production first. */
export class Choices extends Chance {
  readonly made: number[] = [];

  /** Repeats the given choices. Once they are used up, new ones are made, or the simplest if `isClosed`. */
  constructor(
    seed: number,
    number: number,
    private readonly given: readonly number[] = [],
    private readonly isClosed = false,
  ) {
    super(seed, number);
  }

  override word(): number {
    const word = this.given[this.made.length] ?? (this.isClosed ? 0 : super.word());
    this.made.push(word);
    return word;
  }
}

/** How long to make a failing case smaller. */
const MAX_ATTEMPTS = 400;
const MAX_MS = 60_000;

/** Removes choices, and replaces others by the simplest, as long as the case still fails. */
export async function minimised(
  choices: readonly number[],
  fails: (choices: readonly number[]) => Promise<boolean>,
): Promise<readonly number[]> {
  let best = choices;
  let attempts = 0;
  const began = performance.now();
  const attempt = async (candidate: readonly number[]) => {
    if (attempts >= MAX_ATTEMPTS || performance.now() - began > MAX_MS) return false;
    attempts += 1;
    if (!(await fails(candidate))) return false;
    best = candidate;
    return true;
  };
  for (let size = Math.ceil(choices.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length; ) {
      const without = [...best.slice(0, at), ...best.slice(at + size)];
      if (!(await attempt(without))) at += size;
    }
    for (let at = 0; at < best.length; at += size) {
      const simple = best.map((word, index) => (index >= at && index < at + size ? 0 : word));
      if (simple.some((word, index) => word !== best[index])) await attempt(simple);
    }
  }
  return best;
}
