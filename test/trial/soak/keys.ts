/** The API keys of a run: when each was valid, according to who changed it. */

import type { Chance } from "../../support/chance.ts";

/** Servers notice changed keys within seconds. */
export const KEY_DELAY_SECONDS = 10;

interface Moment {
  begunAt: number;
  doneAt: number;
}

/** A secret. Times are those of performance.now(). */
export interface Secret {
  keyId: string;
  text: string;
  from: Moment;
  until: Moment | undefined;
  /** From when on every worker has refused it. */
  isRefusedFrom?: number;
}

export class Keys {
  readonly #secrets: Secret[] = [];
  /** Valid all the time. */
  readonly main: Secret;

  constructor(
    text: string,
    /** After this time, every worker must have noticed a change. */
    readonly delaySeconds: number,
  ) {
    this.main = this.add("main", text, performance.now());
    this.main.from.doneAt = Number.NEGATIVE_INFINITY;
  }

  add(keyId: string, text: string, begunAt: number): Secret {
    const secret = { keyId, text, from: { begunAt, doneAt: performance.now() }, until: undefined };
    this.#secrets.push(secret);
    // Revoked keys are tried for a while.
    if (this.#secrets.length > 12) this.#secrets.splice(1, 1);
    return secret;
  }

  /** A command that ends a secret begins. */
  ending(secret: Secret): void {
    secret.until = { begunAt: performance.now(), doneAt: Number.POSITIVE_INFINITY };
  }

  ended(secret: Secret): void {
    secret.until!.doneAt = performance.now();
  }

  /** Those that can be ended. */
  get live(): Secret[] {
    return this.#secrets.slice(1).filter(({ until }) => until === undefined);
  }

  /** Those that were ended. */
  get over(): Secret[] {
    return this.#secrets.filter(({ until }) => until !== undefined);
  }

  pick(chance: Chance): Secret {
    return chance.oneIn(5) ? chance.pick(this.#secrets) : this.main;
  }

  /** Whether a secret was valid for a request: for certain, certainly not, or either. */
  validity({ from, until, isRefusedFrom }: Secret, sentAt: number, receivedAt: number) {
    const delay = this.delaySeconds * 1000;
    if (isRefusedFrom !== undefined && sentAt > isRefusedFrom) return "invalid";
    if (sentAt >= from.doneAt + delay && (!until || receivedAt < until.begunAt)) return "valid";
    return until && sentAt > until.doneAt + delay ? "invalid" : "either";
  }
}
