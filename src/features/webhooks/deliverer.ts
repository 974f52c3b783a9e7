/**
 * Delivers changes to hooks. There is no queue: each hook has a cursor in the log of each shard. One process of a
 * deployment delivers, the one that has the lease.
 */

import { randomUUID } from "node:crypto";
import { randomBase62 } from "../../access/key.ts";
import type { KeyRecord } from "../../access/key-store.ts";
import { Counter, gauge, type MetricFamily } from "../../observe/prometheus.ts";
import { readFollowStart, readLogEnds } from "../../store/core/change-log.ts";
import type { LogPosition, Reader } from "../../store/store.ts";
import type { BackgroundServices } from "../feature.ts";
import { hookState, isFor, KeysById, mayDeliver } from "./access.ts";
import { changesBody, readChanges } from "./batch.ts";
import type { HooksContext } from "./operations.ts";
import { nextAttempt } from "./schedule.ts";
import { type SendOutcome, send } from "./send.ts";
import { signedHeaders } from "./signature.ts";
import { type Hook, type HookProgress, isSame, reached, secretsOf } from "./stored.ts";

export interface DelivererOptions extends HooksContext, BackgroundServices {
  /** Whether nothing is delivered. */
  isOff?: boolean;
}

const POLL_MS = 500;
/** Without hooks, or while another instance delivers. */
const IDLE_POLL_MS = 2000;

const LEASE_MS = 15_000;
const RENEW_MS = 5000;

/** Requests at once. */
const MAX_REQUESTS = 32;
/** Those to hooks that failed before, which may hang: the others always have a share. */
const MAX_RETRIES = 16;
/** How long a hook is delivered to in one turn. Then others have theirs, and changes of the hook take effect. */
const TURN_MS = 2000;

/** The pause after progress could not be stored: otherwise a receiver would get the same batch with every turn. */
const STALLED_MS = 10_000;

/** How long requests in flight may take when the server stops. What is cut off is sent again. */
const STOP_MS = 2000;

const NOTHING = { paused: 0, oldest: Number.POSITIVE_INFINITY };

type ChangeLog = { beginning: LogPosition; end: LogPosition };

export class Deliverer {
  readonly #owner = randomUUID();
  readonly #keys: KeysById;
  /** Requests in flight, by hook and shard. */
  readonly #running = new Map<string, { isRetry: boolean; ended: Promise<void> }>();
  readonly #stopping = new AbortController();
  /** What could not be read or stored: the hooks (""), the end of a log, or the progress of a hook in a shard. */
  readonly #stalled = new Map<string, { message: string; until: number }>();
  #isOwner = false;
  #renewedAt = 0;
  /** Where the next turn begins, so that all hooks get a share. */
  #turns = 0;
  /** What the metrics show. `oldest`: when the oldest undelivered change was committed. */
  #state = NOTHING;
  readonly #deliveries = new Counter(
    "matchbook_hook_deliveries_total",
    "Attempts to deliver changes to hooks, by result",
    ["result"],
  );
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: DelivererOptions) {
    this.#keys = new KeysById(options.keyStore);
    for (const result of ["delivered", "failed"]) this.#deliveries.add([result], 0);
  }

  start(): void {
    if (!this.options.isOff) this.#turnAfter(0);
  }

  families(): MetricFamily[] {
    const { paused, oldest } = this.#state;
    const lag = Math.max(0, this.options.clock.now() - oldest);
    return [
      this.#deliveries.family(),
      gauge(
        "matchbook_paused_hooks",
        "Hooks that are paused, by an operator or after failures; 0 in instances that do not deliver",
        paused,
      ),
      gauge(
        "matchbook_hook_lag_seconds",
        "Age of the oldest change that a hook which is not paused has not received; 0 in instances that do not deliver",
        lag / 1000,
      ),
    ];
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#turn;
    const timer = setTimeout(() => this.#stopping.abort(new Error("stopping")), STOP_MS);
    await this.settled();
    clearTimeout(timer);
    if (!this.#isOwner) return;
    this.#isOwner = false;
    // So that another instance takes over at once. Otherwise it waits for the end of the lease.
    await this.options.store.releaseLease(this.#owner).catch(() => {});
  }

  /** Resolves when no request is in flight. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #turnAfter(pauseMs: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#turn = this.turn().then((isDelivering) =>
        this.#turnAfter(isDelivering ? POLL_MS : IDLE_POLL_MS),
      );
    }, pauseMs);
    this.#timer.unref();
  }

  /** Starts what is due. Returns whether this instance has hooks to deliver to. */
  async turn(): Promise<boolean> {
    try {
      const isDelivering = await this.#startDue();
      this.#stalled.delete("");
      if (!isDelivering) this.#state = NOTHING;
      return isDelivering;
    } catch (error) {
      this.#report("", undefined, error);
      return true;
    }
  }

  async #startDue(): Promise<boolean> {
    const { store, clock } = this.options;
    // Before the list is read: what ends meanwhile is listed as it was before.
    const busy = new Set(this.#running.keys());
    const hooks = await store.list();
    if (hooks.length === 0 || !(await this.#hasLease())) return false;
    const keys = await this.#keys.read();
    const now = clock.now();
    const active = hooks.filter((hook) => isActive(hook, keys, now));
    const underway = active.flatMap(({ progress }) => progress.map(({ batch }) => batch?.oldest));
    this.#state = {
      paused: hooks.filter(({ pausedBy }) => pausedBy !== null).length,
      oldest: Math.min(...underway.map((time) => time ?? NOTHING.oldest)),
    };
    const logs = new Map<string, Promise<ChangeLog | undefined>>();
    const shards = await this.options.shards.list();
    const first = this.#turns++ % (active.length || 1);
    for (const hook of [...active.slice(first), ...active.slice(0, first)]) {
      for (const shard of shards) {
        if (!isFor(hook, shard) || busy.has(`${hook.id} ${shard}`)) continue;
        if (!mayDeliver(this.options.plan, keys.get(hook.keyId)!, shard)) continue;
        await this.#startIfDue(hook, shard, now, logs);
      }
    }
    return true;
  }

  async #hasLease(): Promise<boolean> {
    const now = this.options.clock.now();
    if (this.#isOwner && now < this.#renewedAt + RENEW_MS && now >= this.#renewedAt) return true;
    // Until it is renewed, nothing is known: the lease may be over.
    this.#isOwner = false;
    this.#isOwner = await this.options.store.takeLease(this.#owner, now, now + LEASE_MS);
    this.#renewedAt = now;
    return this.#isOwner;
  }

  async #startIfDue(
    hook: Hook,
    shard: string,
    now: number,
    logs: Map<string, Promise<ChangeLog | undefined>>,
  ): Promise<void> {
    const progress = hook.progress.find((one) => one.shard === shard);
    if (progress && progress.nextAttempt > now) return;
    const log = logs.get(shard) ?? this.#readLog(shard);
    logs.set(shard, log);
    const found = await log;
    if (!found) return;
    // The shard is newer than the hook.
    if (!progress) return this.options.store.addShard(hook.id, shard, found.beginning);
    if (!progress.batch && !progress.isGap && isSame(progress.cursor, found.end)) return;
    const isRetry = progress.attempts > 0;
    const name = `${hook.id} ${shard}`;
    if (!this.#hasRoom(isRetry) || now < (this.#stalled.get(name)?.until ?? 0)) return;
    const ended = this.#deliverSome(hook, progress)
      .then(() => void this.#stalled.delete(name))
      .catch((error) => this.#report(name, shard, error))
      .finally(() => this.#running.delete(name));
    this.#running.set(name, { isRetry, ended });
  }

  #hasRoom(isRetry: boolean): boolean {
    if (this.#running.size >= MAX_REQUESTS) return false;
    const retries = [...this.#running.values()].filter((one) => one.isRetry).length;
    return !isRetry || retries < MAX_RETRIES;
  }

  async #readLog(shard: string): Promise<ChangeLog | undefined> {
    try {
      const log = await (await this.options.shards.reader(shard))?.read(readLogEnds);
      this.#stalled.delete(shard);
      return log;
    } catch (error) {
      // The other shards are delivered.
      this.#report(shard, shard, error);
      return undefined;
    }
  }

  async #deliverSome(hook: Hook, from: HookProgress): Promise<void> {
    const end = this.options.clock.now() + TURN_MS;
    let progress: HookProgress | undefined = from;
    while (progress && !this.#isStopped && this.options.clock.now() <= end) {
      progress = await this.#deliver(hook, progress);
    }
  }

  /** Returns the progress if there may be more to deliver. */
  async #deliver(hook: Hook, progress: HookProgress): Promise<HookProgress | undefined> {
    const { store, shards, allowPrivate, clock, observe } = this.options;
    const { shard } = progress;
    const reader = await shards.reader(shard);
    if (!reader) return undefined;
    const read = await readChanges(reader, progress.cursor, hook.players, progress.batch?.end);
    if (!read) return this.#startAgain(hook, progress, reader);
    const { changes, end } = read;
    // A gap is reported at once, also if nothing has changed since.
    if (changes.length === 0 && !progress.isGap) {
      if (isSame(end, progress.cursor)) return undefined;
      return store.advance(hook.id, progress, reached(end));
    }
    const oldest = changes[0]?.committedAt ?? clock.now();
    const id = `msg_${randomBase62(24)}`;
    const batch = { id, end, startedAt: clock.now(), oldest };
    const begun = progress.batch ? progress : await store.advance(hook.id, progress, { batch });
    if (!begun) return undefined;

    const { id: message, startedAt } = begun.batch!;
    const body = changesBody(shard, changes, startedAt, begun.isGap);
    const began = clock.now();
    const headers = signedHeaders(secretsOf(hook, began), message, began, body);
    const outcome = await send(hook.url, headers, body, {
      allowPrivate,
      signal: this.#stopping.signal,
    });
    // What was cut off is no failure of the receiver.
    if (this.#stopping.signal.aborted && outcome.kind === "failed") return undefined;
    if (outcome.kind !== "delivered") {
      await this.#fail(hook, begun, outcome);
      return undefined;
    }
    const now = clock.now();
    const done = { ...reached(end), lastResult: outcome.result, lastAt: now };
    const next = await store.advance(hook.id, begun, done);
    this.#deliveries.add(["delivered"]);
    observe({
      event: "hook-delivered",
      hook: hook.id,
      shard,
      changes: changes.length,
      milliseconds: now - began,
    });
    return next;
  }

  /**
   * The cursor is not in the log: the next delivery says that changes are missing. If only old ones were removed, the
   * receiver gets all others. Otherwise this is another log, of a shard that was restored, and says nothing about what
   * the receiver knows: it has to read the matches again, and gets what changes from now on.
   */
  async #startAgain(
    hook: Hook,
    progress: HookProgress,
    reader: Reader,
  ): Promise<HookProgress | undefined> {
    const { store, clock, observe } = this.options;
    const { beginning } = await reader.read(readLogEnds);
    const isTrimmed = progress.cursor.number < beginning.number;
    const cursor = isTrimmed ? beginning : await reader.read(() => readFollowStart(clock.now()));
    const next = await store.advance(hook.id, progress, reached(cursor, true));
    if (next) observe({ event: "hook-gap", hook: hook.id, shard: progress.shard });
    return next;
  }

  async #fail(
    hook: Hook,
    before: HookProgress,
    { kind, result, retryAfterMs }: SendOutcome,
  ): Promise<void> {
    const { store, clock, observe } = this.options;
    const { shard } = before;
    const now = clock.now();
    const attempts = before.attempts + 1;
    const since = before.failingSince ?? now;
    const next =
      kind === "gone"
        ? undefined
        : nextAttempt({ attempts, since, retryAfterMs }, now, Math.random());
    const failure = {
      attempts,
      failingSince: since,
      nextAttempt: next ?? 0,
      lastResult: result,
      lastAt: now,
    };
    const isMine = await store.advance(hook.id, before, failure);
    this.#deliveries.add(["failed"]);
    observe({ event: "hook-failed", hook: hook.id, shard, attempts, reason: result });
    if (isMine && next === undefined && (await store.pause(hook.id, "failures", now))) {
      observe({ event: "hook-paused", hook: hook.id, shard, reason: result });
    }
  }

  /** Each failure is logged once. */
  #report(name: string, shard: string | undefined, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const isKnown = this.#stalled.get(name)?.message === message;
    this.#stalled.set(name, { message, until: this.options.clock.now() + STALLED_MS });
    if (isKnown) return;
    const where = shard === undefined ? {} : { shard };
    this.options.observe({ event: "hooks-stalled", ...where, error });
  }
}

function isActive(hook: Hook, keys: ReadonlyMap<string, KeyRecord>, now: number): boolean {
  const state = hookState(hook, keys.get(hook.keyId), now);
  return state === "active" || state === "failing";
}
