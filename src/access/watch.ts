/** In charge of the live keys a server holds in memory, and of noticing when they change. */

import {
  type AccessPlan,
  type Allowance,
  allowanceOf,
  mayRead,
  tierNamed,
} from "../domain/allowance.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Observe } from "../observe/events.ts";
import { keyInHeader } from "./bearer.ts";
import { hashKey } from "./key.ts";
import type { KeySource, LiveSecret } from "./secrets.ts";

/** A key that may be used now, and what it may do. */
export interface LiveKey {
  id: string;
  name: string;
  allowance: Allowance;
}

interface Live extends LiveKey {
  until: number;
}

/** A header that held a live key a moment ago. */
interface Recent {
  hash: string;
  live: Live;
}

/** Milliseconds between two looks at the keys: half of what operators are promised, and less. */
const CHECK_EVERY_MS = 1000;
const MOST_RECENT = 10_000;

export class KeyWatch {
  readonly #source: KeySource;
  readonly #plan: AccessPlan;
  readonly #observe: Observe;
  #live = new Map<string, Live>();
  /** By header, so that it need not be hashed for every request. */
  #recent = new Map<string, Recent>();
  #isLooking = false;
  /** Since the last look. */
  #isUnreadable = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(source: KeySource, plan: AccessPlan, observe: Observe) {
    this.#source = source;
    this.#plan = plan;
    this.#observe = observe;
  }

  /** Reads the keys and goes on noticing changes. Throws what makes the first reading fail. */
  async start(): Promise<void> {
    await this.refresh();
    this.#timer = setInterval(() => void this.#lookInTurn(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  /** Notices changes at once, rather than with the next look. */
  async lookAgain(): Promise<void> {
    try {
      await this.refresh();
      if (this.#isUnreadable) this.#observe({ event: "keys-readable" });
      this.#isUnreadable = false;
    } catch (error) {
      // The keys read last go on counting: a disk's hiccup must not lock every caller out.
      const event = this.#isUnreadable ? "keys-still-unreadable" : "keys-unreadable";
      this.#isUnreadable = true;
      this.#observe({ event, error });
    }
  }

  stop(): Awaitable<void> {
    clearInterval(this.#timer);
    return this.#source.close();
  }

  /** The live key of a header that was found good a moment ago; others have to be looked at. */
  recent(authorization: string | null, now: number): LiveKey | undefined {
    if (authorization === null) return undefined;
    const live = this.#recent.get(authorization)?.live;
    return live !== undefined && now < live.until ? live : undefined;
  }

  /** The live key of a request's Authorization header. Every kind of wrong header looks the same. */
  find(authorization: string | null, now: number): LiveKey | undefined {
    if (authorization === null) return undefined;
    const key = keyInHeader(authorization);
    if (key === undefined) return undefined;
    const hash = hashKey(key);
    const live = this.#live.get(hash);
    if (live === undefined || now >= live.until) return undefined;
    if (this.#recent.size >= MOST_RECENT) this.#recent.clear();
    this.#recent.set(authorization, { hash, live });
    return live;
  }

  mayRead({ allowance }: LiveKey, shard: string): boolean {
    return mayRead(this.#plan, allowance, shard);
  }

  /** Reads the keys again if they changed since; says whether they did. */
  async refresh(): Promise<boolean> {
    const secrets = await this.#source.changed();
    return secrets !== undefined && this.#replace(secrets);
  }

  /** A look that takes long is not joined by another. */
  async #lookInTurn(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    await this.lookAgain();
    this.#isLooking = false;
  }

  #replace(secrets: readonly LiveSecret[]): boolean {
    if (secrets.length === 0 && this.#live.size === 0) return false;
    const unknownTiers = new Set<string>();
    this.#live = new Map(
      secrets.map(({ hash, id, name, tier, own, until }) => {
        if (tier !== null && !tierNamed(this.#plan, tier)) unknownTiers.add(tier);
        return [hash, { id, name, allowance: allowanceOf(this.#plan, tier, own), until }];
      }),
    );
    for (const [header, recent] of this.#recent) {
      const live = this.#live.get(recent.hash);
      if (live) recent.live = live;
      else this.#recent.delete(header);
    }
    for (const tier of unknownTiers) {
      this.#observe({ event: "tier-unknown", tier, taken: this.#plan.tiers[0]!.name });
    }
    const keys = new Set(secrets.map(({ id }) => id));
    this.#observe({ event: "keys-reloaded", live: keys.size });
    return true;
  }
}
