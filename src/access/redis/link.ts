/**
 * The connection to Redis. Every command is answered or abandoned within 100 ms. After any failure,
 * no commands are sent until a check, which runs every second, finds Redis usable again.
 */

import type { RedisClient } from "bun";
import type { Observe } from "../../observe/events.ts";
import { SCRIPTS, type Script, TAKE } from "./scripts.ts";

/** The maximum wait of a request. */
const RESPONSE_MS = 100;
/** Requests do not wait for connections. */
const CONNECT_MS = 1000;
const CHECK_EVERY_MS = 1000;
/** After a pause of this process, a response may be waiting unread: it gets a moment to arrive. */
const GRACE_MS = 5;

/** A bucket of no key, to check that Redis can run a script that writes. */
const PROBE = ["matchbook:probe", "1", "1"] as const;

interface Command {
  since: number;
  giveUp(error: Error): void;
}

export class RedisLink {
  readonly #url: string;
  readonly #observe: Observe;
  readonly #responseMs: number;
  /** Undefined while Redis is unavailable. */
  #client: RedisClient | undefined;
  /** Oldest first. Empty without a client: removing the client settles all of them. */
  readonly #waiting = new Set<Command>();
  /** Fires when the oldest has waited long enough. */
  #clock: ReturnType<typeof setTimeout> | undefined;
  #isChecking = false;
  /** Aborts the current connection attempt, if any. */
  #stopConnecting: (error: Error) => void = () => {};
  /** Undefined before open() and after close(). */
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Undefined before the first check. */
  #wasUp: boolean | undefined;
  #fallbacks = 0;

  constructor(url: string, observe: Observe, answerMs = RESPONSE_MS) {
    this.#url = url;
    this.#observe = observe;
    this.#responseMs = answerMs;
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /** Decisions made without Redis. */
  get fallbacks(): number {
    return this.#fallbacks;
  }

  /** Connects. An unavailable Redis is not an error: the connection is retried. */
  async open(): Promise<void> {
    this.#timer = setInterval(() => void this.#check(), CHECK_EVERY_MS);
    this.#timer.unref();
    await this.#check();
  }

  /** Pending and later requests get the local decision at once. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    const closed = new Error("the connection to Redis was closed");
    this.#stopConnecting(closed);
    this.#drop(closed);
  }

  /** The decision of Redis, or the local one if Redis is unavailable. */
  decide<T>(
    script: Script,
    keys: readonly string[],
    values: readonly (string | number)[],
    read: (answer: unknown) => T | Promise<T>,
    locally: () => T | Promise<T>,
  ): T | Promise<T> {
    const fallBack = () => {
      this.#fallbacks += 1;
      return locally();
    };
    const client = this.#client;
    return client ? this.#send(client, script, keys, values).then(read, fallBack) : fallBack();
  }

  #send(
    client: RedisClient,
    { hash }: Script,
    keys: readonly string[],
    values: readonly (string | number)[],
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const question: Command = { since: performance.now(), giveUp: reject };
      this.#waiting.add(question);
      this.#watch(this.#responseMs);
      client.send("EVALSHA", [hash, String(keys.length), ...keys, ...values.map(String)]).then(
        (answer) => {
          this.#waiting.delete(question);
          resolve(answer);
        },
        (error) => {
          this.#fail(client, error);
          reject(error);
        },
      );
    });
  }

  /** One timer for all commands: most are answered long before it fires. */
  #watch(milliseconds: number): void {
    this.#clock ??= setTimeout(() => {
      this.#clock = undefined;
      const [oldest] = this.#waiting;
      if (!oldest) return;
      const age = performance.now() - oldest.since;
      if (age < this.#responseMs) this.#watch(this.#responseMs - age);
      else this.#clock = setTimeout(() => this.#giveUp(oldest), GRACE_MS);
    }, milliseconds);
  }

  #giveUp(late: Command): void {
    this.#clock = undefined;
    if (this.#waiting.has(late) && this.#client) {
      this.#fail(this.#client, new Error(`Redis did not respond within ${this.#responseMs} ms`));
    } else if (this.#waiting.size > 0) this.#watch(this.#responseMs);
  }

  #fail(client: RedisClient, error: unknown): void {
    if (client !== this.#client) return;
    const failure = error instanceof Error ? error : new Error(String(error));
    this.#drop(failure);
    this.#report(false, failure);
  }

  /** Closes the client and settles its pending commands. */
  #drop(failure: Error): void {
    const client = this.#client;
    this.#client = undefined;
    for (const question of this.#waiting) question.giveUp(failure);
    this.#waiting.clear();
    clearTimeout(this.#clock);
    this.#clock = undefined;
    client?.close();
  }

  /** Connects if there is no connection; otherwise checks that it still works. */
  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const [key, ...values] = PROBE;
    const client = this.#client;
    if (client) await this.#send(client, TAKE, [key], values).catch(() => {});
    else await this.#connect();
    this.#isChecking = false;
  }

  async #connect(): Promise<void> {
    const client = new Bun.RedisClient(this.#url, {
      connectionTimeout: CONNECT_MS,
      autoReconnect: false,
      enableOfflineQueue: false,
    });
    client.onclose = (error) => this.#fail(client, error);
    try {
      await this.#unlessStopped(prepareClient(client));
    } catch (error) {
      client.close();
      if (this.#timer !== undefined) this.#report(false, error);
      return;
    }
    // close() may have been called just after the last response.
    if (this.#timer === undefined) return client.close();
    this.#client = client;
    this.#report(true, undefined);
  }

  /** Rejects if `work` takes too long or the connection is closed. */
  async #unlessStopped(work: Promise<void>): Promise<void> {
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    const late = new Error(`Redis did not respond within ${CONNECT_MS} ms`);
    const timer = setTimeout(() => reject(late), CONNECT_MS);
    this.#stopConnecting = reject;
    try {
      await Promise.race([work, stopped]);
    } finally {
      clearTimeout(timer);
    }
  }

  #report(isUp: boolean, error: unknown): void {
    if (isUp === this.#wasUp) return;
    this.#wasUp = isUp;
    this.#observe(
      isUp ? { event: "shared-limits-available" } : { event: "shared-limits-unavailable", error },
    );
  }
}

/** Checks everything that requests need: the scripts, and that they can write. */
async function prepareClient(client: RedisClient): Promise<void> {
  await client.connect();
  for (const { text } of SCRIPTS) await client.send("SCRIPT", ["LOAD", text]);
  const [key, ...values] = PROBE;
  await client.send("EVALSHA", [TAKE.hash, "1", key, ...values]);
}
