/**
 * Looks up the key of a request among the active keys, which are held in memory and reloaded on
 * changes.
 */

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

/** An active key and its limits. */
export interface LiveKey {
  /** For usage and the log. */
  id: string;
  name: string;
  limits: EffectiveLimits;
  /** What its limits are counted by, if not the id: portal visitors share an id and are limited by address. */
  limitedBy?: string;
}

export const limitId = ({ id, limitedBy = id }: LiveKey): string => limitedBy;

interface Live extends LiveKey {
  until: number;
}

/** Operators are promised two seconds. */
const CHECK_EVERY_MS = 1000;
/** Until the keys are loaded for the first time, the pauses between attempts grow to this. */
const LONGEST_PAUSE_MS = 10_000;
const MOST_RECENT = 10_000;

export class KeyLookup {
  #live = new Map<string, Live>();
  /** By header, to avoid hashing it for every request. Forgotten when the keys change. */
  #recent = new Map<string, Live>();
  /** The version of the loaded keys. */
  #version: string | undefined;
  #checking = Promise.resolve();
  /** Whether the keys have been loaded. Until then, valid keys cannot be told from invalid ones. */
  isLoaded = false;
  /** Whether the last check failed. */
  #isUnreadable = false;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly store: Pick<KeyStore, "version" | "liveSecrets">,
    private readonly plan: AccessPlan,
    private readonly observe: Observe,
  ) {}

  /** Loads the keys and starts watching for changes. Keys that cannot be loaded yet are retried. */
  async start(): Promise<void> {
    await this.#check();
    this.#checkAfter(CHECK_EVERY_MS);
  }

  async #check(): Promise<void> {
    try {
      await this.#reload();
      if (this.#isUnreadable) this.observe({ event: "keys-reload-recovered" });
      this.#isUnreadable = false;
    } catch (error) {
      // Keep the loaded keys: a temporary failure must not lock out every caller.
      const first = this.isLoaded ? "keys-reload-failed" : "keys-load-failed";
      this.observe({ event: this.#isUnreadable ? "keys-reload-still-failing" : first, error });
      this.#isUnreadable = true;
    }
  }

  /** Resolves when the store is no longer in use. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#checking;
  }

  /** The key of a recently valid header. Other headers need `find`. */
  recent(authorization: string | null, now: number): LiveKey | undefined {
    if (authorization === null) return undefined;
    const live = this.#recent.get(authorization);
    return live !== undefined && now < live.until ? live : undefined;
  }

  /** The active key of an Authorization header. All invalid headers look the same. */
  find(authorization: string | null, now: number): LiveKey | undefined {
    if (authorization === null) return undefined;
    const key = keyInHeader(authorization);
    if (key === undefined) return undefined;
    const hash = hashKey(key);
    const live = this.#live.get(hash);
    if (live === undefined || now >= live.until) return undefined;
    if (this.#recent.size >= MOST_RECENT) this.#recent.clear();
    this.#recent.set(authorization, live);
    return live;
  }

  mayRead({ limits }: LiveKey, shard: string): boolean {
    return mayRead(this.plan, limits, shard);
  }

  async #reload(): Promise<void> {
    // Read the version first: a change between the two reads then causes another reload.
    const version = await this.store.version();
    if (version !== undefined && version === this.#version) return;
    const secrets = version === undefined ? [] : await this.store.liveSecrets();
    this.#version = version;
    this.isLoaded = true;
    this.#replace(secrets);
  }

  /** Checks do not overlap. */
  #checkAfter(pauseMs: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(async () => {
      this.#checking = this.#check();
      await this.#checking;
      this.#checkAfter(this.isLoaded ? CHECK_EVERY_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS));
    }, pauseMs);
    this.#timer.unref();
  }

  #replace(secrets: readonly LiveSecret[]): void {
    if (secrets.length === 0 && this.#live.size === 0) return;
    const unknownTiers = new Set<string>();
    this.#live = new Map(
      secrets.map(({ hash, id, name, tier, own, until }) => {
        if (tier !== null && !tierNamed(this.plan, tier)) unknownTiers.add(tier);
        return [hash, { id, name, limits: effectiveLimits(this.plan, tier, own), until }];
      }),
    );
    this.#recent.clear();
    for (const tier of unknownTiers) {
      this.observe({ event: "unknown-tier", tier, taken: this.plan.tiers[0]!.name });
    }
    const keys = new Set(secrets.map(({ id }) => id));
    this.observe({ event: "keys-reloaded", live: keys.size });
  }
}
