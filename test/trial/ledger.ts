/** What a run has sent, what was acknowledged, and whether a response agrees with that. */

import type { JsonObject } from "../../src/domain/json.ts";
import { type Entry, entryOf } from "../model/entry.ts";
import { inOrder, key, type Thing } from "../model/record.ts";

/** A record as it was sent, and as the model reads it. */
export interface SentRecord {
  line: string;
  entry: Entry;
  /** "perhaps": a private match, which other records make valid. */
  isServed: "yes" | "no" | "perhaps";
}

export class Ledger {
  readonly #byLine = new Map<string, SentRecord>();
  readonly #known = new Map<string, SentRecord>();
  /** Those of which at least one attempt has begun. */
  readonly #attempted = new Set<string>();
  /** When each was acknowledged, in performance.now time. */
  readonly #acknowledged = new Map<string, number>();
  /** The same for those that must be served, in this order. */
  readonly served: { id: string; at: number }[] = [];
  /** Problems, which fail the run. */
  readonly lost: string[] = [];
  readonly wrong: string[] = [];
  /** The number of responses that were compared. */
  compared = 0;
  /**
   * The store lacks acknowledged records, or may lack them: an older copy was put in its place, it is damaged, or the
   * clock says that they are in the future. What is served must still be right.
   */
  mayLack = false;

  /** Those that will be sent, if that is known. */
  constructor(lines: readonly string[] = []) {
    for (const line of lines) this.#read(line);
  }

  #read(line: string): SentRecord {
    const known = this.#byLine.get(line);
    if (known) return known;
    const entry = entryOf(JSON.parse(line));
    const isServed = entry.isOutright ? "no" : entry.mode === "private" ? "perhaps" : "yes";
    const record: SentRecord = { line, entry, isServed };
    this.#byLine.set(line, record);
    this.#known.set(entry.id, record);
    return record;
  }

  attempt(lines: readonly string[]): void {
    for (const line of lines) this.#attempted.add(this.#read(line).entry.id);
  }

  acknowledge(lines: readonly string[]): void {
    const at = performance.now();
    for (const line of lines) {
      const { entry, isServed } = this.#read(line);
      if (this.#acknowledged.has(entry.id)) continue;
      this.#acknowledged.set(entry.id, at);
      if (isServed === "yes") this.served.push({ id: entry.id, at });
    }
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      const isReached = this.#acknowledged.size >= count;
      if (isReached) resolve();
      return !isReached;
    });
  }

  #waiting: { count: number; resolve(): void }[] = [];

  /** Resolves as soon as so many records are acknowledged. */
  reached(count: number): Promise<void> {
    if (this.#acknowledged.size >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  isAttempted = (id: string): boolean => this.#attempted.has(id);
  record = (id: string): SentRecord | undefined => this.#known.get(id);

  /** All lines that are known. */
  get lines(): string[] {
    return [...this.#known.values()].map(({ line }) => line);
  }

  get acknowledged(): string[] {
    return [...this.#acknowledged.keys()];
  }

  /** Those that are not acknowledged. */
  get open(): string[] {
    const open = [...this.#known].filter(([id]) => !this.#acknowledged.has(id));
    return open.map(([, { line }]) => line);
  }

  /** Judges the response to a request for one match that was sent at `since`. */
  judgeMatch(id: string, since: number, status: number, body: JsonObject): void {
    this.compared += 1;
    const isMissing = this.#known.get(id)?.isServed === "yes" && this.#wasAcknowledged(id, since);
    if (status !== 404) this.#judgeResource(body.data as Thing, body, id);
    else if (isMissing && !this.mayLack) this.lost.push(`${id}: 404 after it was acknowledged`);
  }

  /**
   * Judges a page of matches, oldest first, that begins at a time: what it has must be as sent and in order, and
   * nothing that was acknowledged before may be missing in between.
   */
  judgePage(from: number, since: number, limit: number, body: JsonObject): void {
    this.judgeMatches(body);
    const ids = (body.data as Thing[]).map(({ id }) => id as string);
    const found = ids.flatMap((id) => this.#known.get(id)?.entry ?? []);
    if (!found.every((entry, at) => at === 0 || inOrder(found[at - 1]!, entry) < 0)) {
      this.wrong.push(`a page is not in order: ${ids}`);
    }
    if (this.mayLack) return;
    const last = found.length < limit ? undefined : found.at(-1);
    for (const [id, { entry, isServed }] of this.#known) {
      const isInside = entry.at >= from && (!last || inOrder(entry, last) <= 0);
      if (!isInside || isServed !== "yes" || ids.includes(id)) continue;
      if (this.#wasAcknowledged(id, since)) this.lost.push(`${id}: missing from a page`);
    }
  }

  /** Judges matches alone, whichever there are. */
  judgeMatches(body: JsonObject): void {
    this.compared += 1;
    for (const match of body.data as Thing[]) this.#judgeResource(match, body, String(match.id));
  }

  #wasAcknowledged(id: string, since: number): boolean {
    return (this.#acknowledged.get(id) ?? Number.POSITIVE_INFINITY) < since;
  }

  /** Compares a match and what only it includes with what was sent. */
  #judgeResource(match: Thing, body: JsonObject, id: string): void {
    const record = this.#known.get(id);
    if (match?.id !== id) this.wrong.push(`${id}: another match is served`);
    else if (!record || !this.#attempted.has(id)) this.wrong.push(`${id}: it was never sent`);
    else if (record.isServed === "no") this.wrong.push(`${id}: it must be withheld`);
    else {
      const change = changeIn(record.entry, body);
      if (change !== undefined) this.wrong.push(`${id}: ${change}`);
    }
  }
}

/**
 * What in a match, or in what only it includes, is not served as sent; undefined when nothing is. (Players and teams may
 * have been replaced by a later match.)
 */
export function changeIn({ match, own }: Entry, body: JsonObject): string | undefined {
  const all = [body.data, body.included ?? []].flat() as Thing[];
  const served = new Map(all.map((one) => [key(one), one]));
  const changed = [match, ...own].find((one) => !Bun.deepEquals(served.get(key(one)), one, true));
  return changed && `${key(changed)} is ${JSON.stringify(served.get(key(changed)))}`;
}
