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

/** A bucket of no key, to check that Redis can run a script that writes. */
const PROBE = ["matchbook:probe", "1", "1"] as const;

export class RedisLink {
  /** Decisions made without Redis. */
  fallbacks = 0;
  /** Undefined while Redis is unavailable. */
  #client: RedisClient | undefined;
  #isChecking = false;
  /** Undefined before open() and after close(). */
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Undefined before the first check. */
  #wasUp: boolean | undefined;

  constructor(
    private readonly url: string,
    private readonly observe: Observe,
    private readonly responseMs = RESPONSE_MS,
  ) {}

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /** Connects. An unavailable Redis is not an error: the connection is retried. */
  async open(): Promise<void> {
    this.#timer = setInterval(() => void this.#check(), CHECK_EVERY_MS);
    this.#timer.unref();
    await this.#check();
  }

  /** Later requests get the local decision. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    const client = this.#client;
    this.#client = undefined;
    client?.close();
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
      this.fallbacks += 1;
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
      return await within(this.responseMs, client.send("EVALSHA", command));
    } catch (error) {
      this.#fail(client, error);
      throw error;
    }
  }

  #fail(client: RedisClient, error: unknown): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    client.close();
    this.#report(false, error);
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
    const client = new Bun.RedisClient(this.url, {
      // Later than our own limit, whose error says what happened.
      connectionTimeout: 2 * CONNECT_MS,
      autoReconnect: false,
      enableOfflineQueue: false,
    });
    client.onclose = (error) => this.#fail(client, error);
    try {
      await within(CONNECT_MS, prepareClient(client));
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
    this.observe(
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

/** Rejects if `work` takes longer. After a pause of this process, a response that has arrived is read first. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const failure = () => reject(new Error(`Redis did not respond within ${milliseconds} ms`));
  const timer = setTimeout(() => setImmediate(failure), milliseconds);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
