/**
 * In charge of the connection to Redis: every question is answered or given up within a tenth of a
 * second. After a failure of any kind nothing is asked, until a look that is taken every second has
 * found Redis able to do what requests need of it.
 */

import { RedisClient } from "bun";
import type { Observe } from "../../observe/events.ts";
import { SCRIPTS, type Script, TAKE } from "./scripts.ts";

/** How long a request waits at most. */
const ANSWER_MS = 100;
/** Requests do not wait for a connection. */
const CONNECT_MS = 1000;
const LOOK_EVERY_MS = 1000;
/** After a pause of this process itself, an answer may lie here unread: it gets a moment to come in. */
const GRACE_MS = 5;

/** A bucket that nobody has, to see whether Redis can run a script that writes. */
const PROBE = ["matchbook:probe", "1", "1"] as const;

interface Question {
  since: number;
  giveUp(error: Error): void;
}

export class RedisLink {
  readonly #url: string;
  readonly #observe: Observe;
  readonly #answerMs: number;
  /** Undefined while Redis is away. */
  #client: RedisClient | undefined;
  /** The oldest first. Empty while there is no client: whoever takes that away answers all of them. */
  readonly #waiting = new Set<Question>();
  /** Rings when the oldest has waited long enough. */
  #clock: ReturnType<typeof setTimeout> | undefined;
  #isLooking = false;
  /** Gives up the connection on its way, if there is one. */
  #stopConnecting: (error: Error) => void = () => {};
  /** Undefined before it is opened and after it is closed. */
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Undefined until Redis was looked for. */
  #wasUp: boolean | undefined;
  #fallbacks = 0;

  constructor(url: string, observe: Observe, answerMs = ANSWER_MS) {
    this.#url = url;
    this.#observe = observe;
    this.#answerMs = answerMs;
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /** How many decisions were made without Redis. */
  get fallbacks(): number {
    return this.#fallbacks;
  }

  /** Connects. A Redis that is away is no error: it is looked for until it is there. */
  async open(): Promise<void> {
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
    await this.#look();
  }

  /** Whoever waits gets the local decision at once, and so does whoever asks later. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    const closed = new Error("the connection to Redis was closed");
    this.#stopConnecting(closed);
    this.#drop(closed);
  }

  /** What Redis says, or what is decided here instead: at once while Redis is away. */
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
    return client ? this.#ask(client, script, keys, values).then(read, fallBack) : fallBack();
  }

  #ask(
    client: RedisClient,
    { hash }: Script,
    keys: readonly string[],
    values: readonly (string | number)[],
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const question: Question = { since: performance.now(), giveUp: reject };
      this.#waiting.add(question);
      this.#watch(this.#answerMs);
      client.send("EVALSHA", [hash, String(keys.length), ...keys, ...values.map(String)]).then(
        (answer) => {
          this.#waiting.delete(question);
          resolve(answer);
        },
        (error) => {
          this.#lose(client, error);
          reject(error);
        },
      );
    });
  }

  /** One timer for all questions: most are answered long before it rings. */
  #watch(milliseconds: number): void {
    this.#clock ??= setTimeout(() => {
      this.#clock = undefined;
      const [oldest] = this.#waiting;
      if (!oldest) return;
      const age = performance.now() - oldest.since;
      if (age < this.#answerMs) this.#watch(this.#answerMs - age);
      else this.#clock = setTimeout(() => this.#giveUp(oldest), GRACE_MS);
    }, milliseconds);
  }

  #giveUp(late: Question): void {
    this.#clock = undefined;
    if (this.#waiting.has(late) && this.#client) {
      this.#lose(this.#client, new Error(`Redis gave no answer within ${this.#answerMs} ms`));
    } else if (this.#waiting.size > 0) this.#watch(this.#answerMs);
  }

  #lose(client: RedisClient, error: unknown): void {
    if (client !== this.#client) return;
    const failure = error instanceof Error ? error : new Error(String(error));
    this.#drop(failure);
    this.#tell(false, failure);
  }

  /** Gives up the client, everything that was asked of it, and the clock for that. */
  #drop(failure: Error): void {
    const client = this.#client;
    this.#client = undefined;
    for (const question of this.#waiting) question.giveUp(failure);
    this.#waiting.clear();
    clearTimeout(this.#clock);
    this.#clock = undefined;
    client?.close();
  }

  /** Connects if there is no connection; else sees whether it still works, though nobody may ask. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const [key, ...values] = PROBE;
    const client = this.#client;
    if (client) await this.#ask(client, TAKE, [key], values).catch(() => {});
    else await this.#connect();
    this.#isLooking = false;
  }

  async #connect(): Promise<void> {
    const client = new RedisClient(this.#url, {
      connectionTimeout: CONNECT_MS,
      autoReconnect: false,
      enableOfflineQueue: false,
    });
    client.onclose = (error) => this.#lose(client, error);
    try {
      await this.#unlessStopped(greet(client));
    } catch (error) {
      client.close();
      if (this.#timer !== undefined) this.#tell(false, error);
      return;
    }
    // The link may have been closed just after the last answer came in.
    if (this.#timer === undefined) return client.close();
    this.#client = client;
    this.#tell(true, undefined);
  }

  /** What `work` becomes, or a failure if that takes too long, or at once when the link is closed. */
  async #unlessStopped(work: Promise<void>): Promise<void> {
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    const late = new Error(`Redis gave no answer within ${CONNECT_MS} ms`);
    const timer = setTimeout(() => reject(late), CONNECT_MS);
    this.#stopConnecting = reject;
    try {
      await Promise.race([work, stopped]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Once a change. */
  #tell(isUp: boolean, error: unknown): void {
    if (isUp === this.#wasUp) return;
    this.#wasUp = isUp;
    this.#observe(
      isUp ? { event: "shared-limits-available" } : { event: "shared-limits-unavailable", error },
    );
  }
}

/** Everything that requests will need: the scripts, and that they may write. */
async function greet(client: RedisClient): Promise<void> {
  await client.connect();
  for (const { text } of SCRIPTS) await client.send("SCRIPT", ["LOAD", text]);
  const [key, ...values] = PROBE;
  await client.send("EVALSHA", [TAKE.hash, "1", key, ...values]);
}
