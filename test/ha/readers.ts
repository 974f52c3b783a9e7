/** Clients that read continuously and record status, duration and correctness of every response. */

import { JSON_API } from "../support/world.ts";

export interface ReadResult {
  /** When the request was sent, in performance.now time. */
  at: number;
  milliseconds: number;
  /** 0 when there was no response. */
  status: number;
}

const READERS = 4;
const PAUSE_MS = 10;

export class Readers {
  readonly results: ReadResult[] = [];
  /** What must never happen: a wrong document, a missing match, another status. */
  readonly wrong: string[] = [];
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #ids: readonly string[];
  #isOver = false;
  #work: Promise<unknown> = Promise.resolve();

  /** `ids` grows during the run: matches that are acknowledged and must be served. */
  constructor(url: string, key: string, ids: readonly string[]) {
    this.#url = url;
    this.#headers = { Authorization: `Bearer ${key}`, Accept: JSON_API };
    this.#ids = ids;
  }

  start(): void {
    this.#work = Promise.all(Array.from({ length: READERS }, () => this.#read()));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#work;
  }

  /** Fetches each of these once; returns those that are not served. */
  async missing(ids: readonly string[]): Promise<string[]> {
    const missing: string[] = [];
    for (const id of ids) {
      if ((await this.#get(id)).status !== 200) missing.push(id);
    }
    return missing;
  }

  async #read(): Promise<void> {
    while (!this.#isOver) {
      const id = this.#ids[Math.floor(Math.random() * this.#ids.length)];
      if (id !== undefined) this.results.push(await this.#get(id));
      await Bun.sleep(PAUSE_MS);
    }
  }

  async #get(id: string): Promise<ReadResult> {
    const at = performance.now();
    const result = (status: number) => ({ at, status, milliseconds: performance.now() - at });
    try {
      const response = await fetch(`${this.#url}/shards/na/matches/${id}`, {
        headers: this.#headers,
      });
      const body = (await response.json()) as { data?: { id: string } };
      if (response.status === 200 && body.data?.id !== id) this.wrong.push(`${id}: another match`);
      if (response.status === 503 && !response.headers.has("retry-after")) {
        this.wrong.push(`${id}: 503 without Retry-After`);
      }
      if (response.status !== 200 && response.status !== 503) {
        this.wrong.push(`${id}: ${response.status} ${JSON.stringify(body)}`);
      }
      return result(response.status);
    } catch (error) {
      this.wrong.push(`${id}: no response: ${(error as Error).message}`);
      return result(0);
    }
  }
}
