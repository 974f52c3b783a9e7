/** In charge of the live secrets: all that a server needs to know of keys, and where it learns them. */

import type { Grant } from "../domain/allowance.ts";
import type { Awaitable } from "../domain/awaitable.ts";

/** A secret that may be used now, with the terms of its key. */
export interface LiveSecret {
  hash: string;
  id: string;
  name: string;
  tier: string | null;
  own: Grant;
  /** When it ends, whether by its own end or its key's; Infinity: never. */
  until: number;
}

export interface KeySource {
  /**
   * All secrets of keys that are not revoked, if anything has changed since they were last given, or
   * they never were; else undefined. To ask often is cheap. What fails is asked for again next time.
   */
  changed(): Awaitable<readonly LiveSecret[] | undefined>;
  close(): Awaitable<void>;
}

/** A row of secret and key, as both engines give it. */
export type SecretRow = Omit<LiveSecret, "own" | "until"> &
  Omit<Required<Grant>, "shards"> & { shards: string | null; until: number | null };

const BETWEEN_SHARDS = ",";

export const writtenShards = (shards: readonly string[]): string => shards.join(BETWEEN_SHARDS);
export const readShards = (text: string | null): string[] | null =>
  text?.split(BETWEEN_SHARDS) ?? null;

export function liveSecret({ hash, id, name, tier, until, shards, ...own }: SecretRow): LiveSecret {
  return {
    hash,
    id,
    name,
    tier,
    own: { ...own, shards: readShards(shards) },
    until: until ?? Number.POSITIVE_INFINITY,
  };
}
