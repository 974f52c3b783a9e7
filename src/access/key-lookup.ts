/** Looks up the key of a request among the live keys, which a server holds in memory and reloads on changes. */

import {
  type AccessPlan,
  type EffectiveLimits,
  effectiveLimits,
  mayRead,
  tierNamed,
} from "../domain/limits.ts";
import type { Observe } from "../observe/events.ts";
import { hashKey, keyInHeader } from "./key.ts";
import type { KeyStore, LiveSecret } from "./key-store.ts";

/** A key that may be used now, and what it may do. */
export interface LiveKey {
  id: string;
  name: string;
  limits: EffectiveLimits;
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

export class KeyLookup {
  #live = new Map<string, Live>();
  /** By header, so that it need not be hashed for every request. */
  #recent = new Map<string, Recent>();
  /** The stored keys as they were loaded last. */
  #version: string | undefined;
  /** One reload after another: an older result must not come after a newer one. */
  #reloading: Promise<unknown> = Promise.resolve();
  #isLooking = false;
  /** Since the last look. */
  #isUnreadable = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly store: Pick<KeyStore, "version" | "liveSecrets">,
    private readonly plan: AccessPlan,
    private readonly observe: Observe,
  ) {}

  /** Reads the keys and goes on noticing changes. Throws what makes the first reading fail. */
  async start(): Promise<void> {
    await this.refresh();
    this.#timer = setInterval(() => void this.#lookInTurn(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  /** Notices changes at once, rather than with the next look. */
  async reload(): Promise<void> {
    try {
      await this.refresh();
      if (this.#isUnreadable) this.observe({ event: "keys-reload-recovered" });
      this.#isUnreadable = false;
    } catch (error) {
      // The keys read last go on counting: a disk's hiccup must not lock every caller out.
      const event = this.#isUnreadable ? "keys-reload-still-failing" : "keys-reload-failed";
      this.#isUnreadable = true;
      this.observe({ event, error });
    }
  }

  /** Resolves when the store is no longer used. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reloading;
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

  mayRead({ limits }: LiveKey, shard: string): boolean {
    return mayRead(this.plan, limits, shard);
  }

  /** Loads the keys again if they changed since; returns whether they did. */
  refresh(): Promise<boolean> {
    const reloaded = this.#reloading.then(() => this.#reload());
    this.#reloading = reloaded.catch(() => {});
    return reloaded;
  }

  async #reload(): Promise<boolean> {
    // The version comes first: a change between the two readings is then read once more, not missed.
    const version = await this.store.version();
    if (version !== undefined && version === this.#version) return false;
    const secrets = version === undefined ? [] : await this.store.liveSecrets();
    this.#version = version;
    return this.#replace(secrets);
  }

  /** A look that takes long is not joined by another. */
  async #lookInTurn(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    await this.reload();
    this.#isLooking = false;
  }

  #replace(secrets: readonly LiveSecret[]): boolean {
    if (secrets.length === 0 && this.#live.size === 0) return false;
    const unknownTiers = new Set<string>();
    this.#live = new Map(
      secrets.map(({ hash, id, name, tier, own, until }) => {
        if (tier !== null && !tierNamed(this.plan, tier)) unknownTiers.add(tier);
        return [hash, { id, name, limits: effectiveLimits(this.plan, tier, own), until }];
      }),
    );
    for (const [header, recent] of this.#recent) {
      const live = this.#live.get(recent.hash);
      if (live) recent.live = live;
      else this.#recent.delete(header);
    }
    for (const tier of unknownTiers) {
      this.observe({ event: "unknown-tier", tier, taken: this.plan.tiers[0]!.name });
    }
    const keys = new Set(secrets.map(({ id }) => id));
    this.observe({ event: "keys-reloaded", live: keys.size });
    return true;
  }
}
