/** Clients that read continuously; every response is compared with what was sent. */

import type { JsonObject } from "../../../src/domain/json.ts";
import { repeatedly } from "../../support/repeatedly.ts";
import { getAs } from "../../support/world.ts";
import type { Ledger } from "../ledger.ts";

export interface ReadResult {
  /** When the request was sent, in performance.now time. */
  at: number;
  milliseconds: number;
  /** 0 when there was no response. */
  status: number;
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
  /** How many of the matches that must be served are on every replica that is used. */
  #settled = 0;
  stop = async () => {};

  constructor(
    private readonly server: { url: string; key: string },
    private readonly ledger: Ledger,
  ) {}

  start(): void {
    this.stop = repeatedly(READERS, () => this.#read(), PAUSE_MS);
  }

  /** Fetches each of these once. */
  async check(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const { status } = await this.#getMatch(id);
      if (status !== 200) this.ledger.lost.push(`${id}: ${status} after a fault`);
    }
  }

  async #read(): Promise<void> {
    const id = this.#anySettled();
    const isList = id === undefined || Math.random() < LIST_SHARE;
    this.results.push(await (isList ? this.#getList() : this.#getMatch(id)));
  }

  #anySettled(): string | undefined {
    const { served } = this.ledger;
    const time = performance.now() - SETTLED_MS;
    while (this.#settled < served.length && served[this.#settled]!.at < time) this.#settled += 1;
    return this.#settled === 0 ? undefined : served[Math.floor(Math.random() * this.#settled)]!.id;
  }

  #getMatch(id: string): Promise<ReadResult> {
    return this.#get(`/shards/na/matches/${id}`, (status, body, at) =>
      this.ledger.judgeMatch(id, at, status, body),
    );
  }

  #getList(): Promise<ReadResult> {
    return this.#get("/shards/na/matches?sort=-createdAt", (_, body) =>
      this.ledger.judgeMatches(body),
    );
  }

  /** A caller may have to try again, but never learns a falsehood. */
  async #get(
    path: string,
    judge: (status: number, body: JsonObject, at: number) => void,
  ): Promise<ReadResult> {
    const at = performance.now();
    let status = 0;
    try {
      const reply = await getAs(this.server, path, { signal: AbortSignal.timeout(PATIENCE_MS) });
      status = reply.status;
      if (status === 200 || status === 404) judge(status, reply.body, at);
      else if (!isTemporary(reply)) {
        this.ledger.wrong.push(`${path}: ${status} ${JSON.stringify(reply.body)}`);
      }
    } catch (error) {
      // Without a response, the caller knows nothing and tries again. A damaged one is wrong.
      if (error instanceof SyntaxError) this.ledger.wrong.push(`${path}: ${error.message}`);
    }
    return { at, status, milliseconds: performance.now() - at };
  }
}

/** An error of the proxy, or one of Matchbook that says when to try again. */
const isTemporary = ({ status, headers }: { status: number; headers: Headers }): boolean =>
  [502, 503, 504].includes(status) && (!headers.has("x-request-id") || headers.has("retry-after"));
