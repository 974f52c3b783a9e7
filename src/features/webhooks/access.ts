/** Whether the key of a hook may still read its shards. */

import { type KeyRecord, type KeyStore, stateOf } from "../../access/key-store.ts";
import { type AccessPlan, effectiveLimits, mayRead } from "../../domain/limits.ts";
import type { Hook } from "./stored.ts";

export type HookState = "active" | "failing" | "paused" | "key-revoked" | "key-expired" | "no-key";

/** `key` is the key of the hook, if it exists. */
export function hookState(hook: Hook, key: KeyRecord | undefined, now: number): HookState {
  if (!key) return "no-key";
  const state = stateOf(key, now);
  if (state !== "live") return `key-${state}`;
  if (hook.pausedBy !== null) return "paused";
  return hook.progress.some(({ attempts }) => attempts > 0) ? "failing" : "active";
}

export const mayDeliver = (plan: AccessPlan, key: KeyRecord, shard: string): boolean =>
  mayRead(plan, effectiveLimits(plan, key.tier, key), shard);

/** Whether a hook is for a shard, if its key may read that. */
export const isFor = ({ shards }: Pick<Hook, "shards">, shard: string): boolean =>
  shards.length === 0 || shards.includes(shard);

/** All keys by id. Reads them again when they change. */
export class KeysById {
  #version: string | undefined;
  #keys: ReadonlyMap<string, KeyRecord> = new Map();

  constructor(private readonly store: Pick<KeyStore, "version" | "exists" | "list">) {}

  async read(): Promise<ReadonlyMap<string, KeyRecord>> {
    // The version first: a change between the two reads then causes another one.
    const version = await this.store.version();
    if (version === undefined || version !== this.#version) {
      const records = (await this.store.exists()) ? await this.store.list() : [];
      this.#keys = new Map(records.map((record) => [record.id, record]));
    }
    this.#version = version;
    return this.#keys;
  }
}
