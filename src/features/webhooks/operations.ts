/** What operators do with hooks: add, show, test, rotate the secret. */

import { looksLikeKey } from "../../access/key.ts";
import { stateOf } from "../../access/key-store.ts";
import { formatTimestamp } from "../../domain/time.ts";
import { readFollowStart } from "../../store/core/change-log.ts";
import type { LogPosition } from "../../store/store.ts";
import type { OwnServices } from "../feature.ts";
import { hookState, isFor, KeysById, mayDeliver } from "./access.ts";
import { testBody } from "./batch.ts";
import { type SendOutcome, send, TIMEOUT_MS } from "./send.ts";
import { makeSecret, signedHeaders } from "./signature.ts";
import { type Hook, HookStore, type NewHook, secretsOf } from "./stored.ts";

/** What hooks need, in servers and in commands. */
export interface HooksContext extends Omit<OwnServices, "settings" | "database"> {
  store: HookStore;
  allowPrivate: boolean;
}

/** The hook cannot be added or found. The message says why, for operators. */
export class HookError extends Error {
  override name = "HookError";
}

/** All are read twice a second: 200 hooks for 100 players each take 16 ms. */
const MAX_HOOKS = 200;

/** How long the old secret signs after a rotation. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

export class Hooks {
  readonly context: HooksContext;

  constructor({ settings, database, ...services }: OwnServices) {
    const allowPrivate = settings.hooks === "private";
    this.context = { ...services, store: new HookStore(database), allowPrivate };
  }

  /** Throws HookError. */
  async find(id: string): Promise<Hook> {
    const hook = (await this.context.store.list()).find((one) => one.id === id);
    if (hook) return hook;
    // Of a token sent by mistake, little is repeated. Ids have 12 characters.
    throw new HookError(
      `there is no hook with the id ${JSON.stringify(id.slice(0, 16))}; list the hooks to see their ids`,
    );
  }

  /** It begins with the next change. Throws HookError. */
  async add(wanted: NewHook, now: number): Promise<Hook> {
    await this.#checkKey(wanted, now);
    if ((await this.context.store.list()).length >= MAX_HOOKS) {
      throw new HookError(`there are ${MAX_HOOKS} hooks; remove one first`);
    }
    const positions = await this.#positions(wanted, now);
    return this.context.store.add(wanted, makeSecret(), positions, now);
  }

  /** Sends a test message, whether or not the hook is paused. */
  async test(hook: Hook, now: number): Promise<SendOutcome & { milliseconds: number }> {
    const { allowPrivate } = this.context;
    const body = testBody(hook.id, now);
    const id = `msg_test_${crypto.randomUUID().replaceAll("-", "")}`;
    const headers = signedHeaders(secretsOf(hook, now), id, now, body);
    const began = performance.now();
    const signal = AbortSignal.timeout(2 * TIMEOUT_MS);
    const outcome = await send(hook.url, headers, body, { allowPrivate, signal });
    return { ...outcome, milliseconds: Math.round(performance.now() - began) };
  }

  /** Returns when the old secret stops signing. */
  async rotateSecret(hook: Hook, now: number): Promise<number> {
    const until = now + OVERLAP_MS;
    await this.context.store.change(hook.id, (present) => ({
      ...present,
      secret: makeSecret(),
      previousSecret: present.secret,
      previousUntil: until,
    }));
    return until;
  }

  /** As JSON, without its secret. */
  async describe(hooks: readonly Hook[], now: number) {
    const { keyStore, plan } = this.context;
    const keys = await new KeysById(keyStore).read();
    return hooks.map((hook) => {
      const key = keys.get(hook.keyId);
      return {
        id: hook.id,
        key: hook.keyId,
        url: hook.url,
        shards: hook.shards,
        players: hook.players,
        state: hookState(hook, key, now),
        createdAt: formatTimestamp(hook.createdAt),
        pausedBy: hook.pausedBy,
        pausedAt: written(hook.pausedAt),
        previousSecretUntil: secretsOf(hook, now).length > 1 ? written(hook.previousUntil) : null,
        progress: hook.progress.map((one) => ({
          shard: one.shard,
          mayRead: key !== undefined && mayDeliver(plan, key, one.shard),
          delivered: one.cursor.number,
          attempts: one.attempts,
          failingSince: written(one.failingSince),
          nextAttempt: one.attempts === 0 ? null : written(one.nextAttempt),
          oldestUndelivered: written(one.batch?.oldest ?? null),
          lastResult: one.lastResult,
          lastAt: written(one.lastAt),
        })),
      };
    });
  }

  async #checkKey({ keyId, shards }: NewHook, now: number): Promise<void> {
    const { keyStore, plan } = this.context;
    const key = (await keyStore.exists()) ? await keyStore.find(keyId) : undefined;
    if (!key) {
      // A key given by mistake is not repeated: errors end up in logs.
      const fault = looksLikeKey(keyId)
        ? "that is a key, not a key id"
        : `there is no key with the id ${JSON.stringify(keyId.slice(0, 64))}`;
      throw new HookError(`${fault}; list the keys to see their ids`);
    }
    if (stateOf(key, now) !== "live") {
      throw new HookError(`the key ${keyId} is revoked or expired; use a live one`);
    }
    const unreadable = shards.filter((shard) => !mayDeliver(plan, key, shard));
    if (unreadable.length > 0) {
      throw new HookError(
        `the key ${keyId} may not read ${unreadable.join(", ")}; change its shards first`,
      );
    }
  }

  /** Where the next changes begin, in all shards of a hook. Throws HookError if it names a shard that does not exist. */
  async #positions(hook: NewHook, now: number): Promise<Map<string, LogPosition>> {
    const { shards } = this.context;
    const ids = await shards.list();
    const unknown = hook.shards.filter((shard) => !ids.includes(shard));
    if (unknown.length > 0) {
      throw new HookError(
        `there is no shard ${unknown.join(", ")}; shards: ${ids.join(", ") || "none yet"}`,
      );
    }
    const positions = new Map<string, LogPosition>();
    for (const shard of ids.filter((id) => isFor(hook, id))) {
      const reader = await shards.reader(shard);
      if (reader) positions.set(shard, await reader.read(() => readFollowStart(now)));
    }
    return positions;
  }
}

const written = (moment: number | null): string | null =>
  moment === null ? null : formatTimestamp(moment);
