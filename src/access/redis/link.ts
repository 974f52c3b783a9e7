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

export class RedisLink {
  readonly #url: string;
  readonly #observe: Observe;
  readonly #responseMs: number;
  /** Undefined while Redis is unavailable. */
  #client: RedisClient | undefined;
  /** Abandons each command, or attempt to connect, that waits for Redis. */
  readonly #waiting = new Set<(error: Error) => void>();
  #isChecking = false;
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
    this.#drop(new Error("the connection to Redis was closed"));
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

  async #send(
    client: RedisClient,
    { hash }: Script,
    keys: readonly string[],
    values: readonly (string | number)[],
  ): Promise<unknown> {
    const command = [hash, String(keys.length), ...keys, ...values.map(String)];
    try {
      return await this.#within(this.#responseMs, client.send("EVALSHA", command));
    } catch (error) {
      this.#fail(client, error);
      throw error;
    }
  }

  /** Rejects if `work` takes too long, or the connection is lost or closed. */
  async #within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
    const { promise: abandoned, reject } = Promise.withResolvers<never>();
    const late = () => reject(new Error(`Redis did not respond within ${milliseconds} ms`));
    let timer = setTimeout(() => {
      timer = setTimeout(late, GRACE_MS);
    }, milliseconds);
    this.#waiting.add(reject);
    try {
      return await Promise.race([work, abandoned]);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(reject);
    }
  }

  #fail(client: RedisClient, error: unknown): void {
    if (client !== this.#client) return;
    const failure = error instanceof Error ? error : new Error(String(error));
    this.#drop(failure);
    this.#report(false, failure);
  }

  /** Closes the client and abandons what waits for it. */
  #drop(failure: Error): void {
    const client = this.#client;
    this.#client = undefined;
    for (const abandon of this.#waiting) abandon(failure);
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
      await this.#within(CONNECT_MS, prepareClient(client));
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
