/** Clients that read continuously and compare every response with what was sent. */

import type { JsonObject } from "../../../src/domain/json.ts";
import { changesIn } from "../../model/as-sent.ts";
import { JSON_API } from "../../support/world.ts";
import type { Acknowledged } from "./sender.ts";

export interface ReadResult {
  /** When the request was sent, in performance.now time. */
  at: number;
  milliseconds: number;
  /** 0 when there was no response. */
  status: number;
}

/** What was sent so far: the readers' model of what may be served. */
export interface Sent {
  /** The line of each match that was sent. */
  readonly lines: ReadonlyMap<string, string>;
  /** Matches that were acknowledged and must be served, in order of time. */
  readonly acknowledged: readonly Acknowledged[];
}

const READERS = 4;
const PAUSE_MS = 10;
/** Every fourth request is for a list. */
const LIST_SHARE = 0.25;
/** More than `max-lag-seconds`: until then, a replica may not have a match. */
const SETTLED_MS = 15_000;
/** A client that gives up would hide how long it takes. */
const PATIENCE_MS = 60_000;

export class Readers {
  readonly results: ReadResult[] = [];
  /** What must never happen: another value than was sent, a match that nobody sent. */
  readonly wrong: string[] = [];
  /** Acknowledged matches that were not found. */
  readonly lost = new Set<string>();
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #sent: Sent;
  /** How many of the acknowledged matches must be on a replica that is used. */
  #settled = 0;
  #isOver = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(url: string, key: string, sent: Sent) {
    this.#url = url;
    this.#headers = { Authorization: `Bearer ${key}`, Accept: JSON_API };
    this.#sent = sent;
  }

  start(): void {
    this.#work = Promise.all(Array.from({ length: READERS }, () => this.#read()));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#work;
  }

  /** Fetches each of these once. */
  async check(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const { status } = await this.#getMatch(id);
      if (status !== 200) this.lost.add(id);
    }
  }

  async #read(): Promise<void> {
    while (!this.#isOver) {
      const id = this.#anySettled();
      const isList = id === undefined || Math.random() < LIST_SHARE;
      this.results.push(await (isList ? this.#getList() : this.#getMatch(id)));
      await Bun.sleep(PAUSE_MS);
    }
  }

  #anySettled(): string | undefined {
    const all = this.#sent.acknowledged;
    const isSettled = (one: Acknowledged) => one.at < performance.now() - SETTLED_MS;
    while (this.#settled < all.length && isSettled(all[this.#settled]!)) this.#settled += 1;
    return this.#settled === 0 ? undefined : all[Math.floor(Math.random() * this.#settled)]!.id;
  }

  async #getMatch(id: string): Promise<ReadResult> {
    const { body, ...result } = await this.#get(`/shards/na/matches/${id}`);
    if (result.status === 404) this.lost.add(id);
    if (result.status === 200) this.#compare(id, body);
    return result;
  }

  async #getList(): Promise<ReadResult> {
    const { body, ...result } = await this.#get("/shards/na/matches?sort=-createdAt");
    if (result.status === 200) {
      for (const { id } of body.data as { id: string }[]) this.#compare(id, body);
    }
    return result;
  }

  #compare(id: string, body: JsonObject): void {
    const line = this.#sent.lines.get(id);
    const change = line === undefined ? "nobody sent it" : changesIn(Buffer.from(line), id, body);
    if (change !== undefined) this.wrong.push(`${id}: ${change}`);
  }

  /** A caller may have to try again, but never learns a falsehood. */
  async #get(path: string): Promise<ReadResult & { body: JsonObject }> {
    const at = performance.now();
    let status = 0;
    let body: JsonObject = {};
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const response = await fetch(`${this.#url}${path}`, { headers: this.#headers, signal });
      const text = await response.text();
      status = response.status;
      if (status === 200) body = JSON.parse(text);
      else if (status !== 404 && !isTemporary(response)) {
        this.wrong.push(`${path}: ${status} ${text}`);
      }
    } catch (error) {
      // Without a response, the caller knows nothing and tries again. A damaged one is wrong.
      if (status !== 0) this.wrong.push(`${path}: ${(error as Error).message}`);
    }
    return { at, status, milliseconds: performance.now() - at, body };
  }
}

/** An error of the proxy, or one of Matchbook that says when to try again. */
const isTemporary = ({ status, headers }: Response): boolean =>
  [502, 503, 504].includes(status) && (!headers.has("x-request-id") || headers.has("retry-after"));
