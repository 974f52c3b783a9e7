/** What a run has sent, what was acknowledged, and whether a response agrees with that. */

import { isObject, type Json, type JsonObject } from "../../../src/domain/json.ts";
import { isServedMode, isVoidEnding, PRIVATE_MODE } from "../../../src/domain/modes.ts";
import { changesIn } from "../../model/as-sent.ts";

/** A record as it was sent. */
export interface SentRecord {
  id: string;
  line: string;
  document: JsonObject;
  createdAt: number;
  /** "perhaps": a private match, which other records make valid. */
  isServed: "yes" | "no" | "perhaps";
}

type Resource = JsonObject & { id: string; type: string };

export class Ledger {
  readonly #known = new Map<string, SentRecord>();
  /** Those of which at least one attempt has begun. */
  readonly #attempted = new Set<string>();
  /** When each was acknowledged, in performance.now time. */
  readonly #acknowledged = new Map<string, number>();
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

  constructor(lines: readonly string[]) {
    for (const line of lines) {
      const record = readRecord(line);
      this.#known.set(record.id, record);
    }
  }

  attempt(lines: readonly string[]): void {
    for (const line of lines) this.#attempted.add(readRecord(line).id);
  }

  acknowledge(lines: readonly string[]): void {
    const now = performance.now();
    for (const line of lines) {
      const { id } = readRecord(line);
      if (!this.#acknowledged.has(id)) this.#acknowledged.set(id, now);
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

  isAcknowledged = (id: string): boolean => this.#acknowledged.has(id);
  isAttempted = (id: string): boolean => this.#attempted.has(id);
  record = (id: string): SentRecord | undefined => this.#known.get(id);

  get acknowledged(): string[] {
    return [...this.#acknowledged.keys()];
  }

  /** Those that are not acknowledged. */
  get open(): string[] {
    const open = [...this.#known.values()].filter(({ id }) => !this.#acknowledged.has(id));
    return open.map(({ line }) => line);
  }

  /** Judges the response to a request for one match that was sent at `since`. */
  judgeMatch(id: string, since: number, status: number, body: JsonObject): void {
    this.compared += 1;
    const record = this.#known.get(id);
    if (status === 404) {
      const isMissing = record?.isServed === "yes" && this.#wasAcknowledged(id, since);
      if (isMissing && !this.mayLack) this.lost.push(`${id}: 404 after it was acknowledged`);
      return;
    }
    this.#judgeResource(body.data as Resource, body, id);
  }

  /**
   * Judges a page of matches, oldest first, that begins at a time: what it has must be as sent and in order, and
   * nothing that was acknowledged before may be missing in between.
   */
  judgePage(from: number, since: number, limit: number, body: JsonObject): void {
    this.judgeMatches(body);
    const matches = body.data as Resource[];
    const keys = matches.map(({ id }) => orderOf(this.#known.get(id)));
    if (keys.join() !== keys.toSorted().join()) this.wrong.push(`a page is not in order: ${keys}`);
    if (this.mayLack) return;
    const end = matches.length < limit ? "~" : keys.at(-1)!;
    const there = new Set(matches.map(({ id }) => id));
    for (const record of this.#known.values()) {
      const isInside = record.createdAt >= from && orderOf(record) <= end;
      if (!isInside || record.isServed !== "yes" || there.has(record.id)) continue;
      if (this.#wasAcknowledged(record.id, since))
        this.lost.push(`${record.id}: missing from a page`);
    }
  }

  /** Judges matches alone, whichever there are. */
  judgeMatches(body: JsonObject): void {
    this.compared += 1;
    for (const match of body.data as Resource[]) this.#judgeResource(match, body, match.id);
  }

  #wasAcknowledged(id: string, since: number): boolean {
    return (this.#acknowledged.get(id) ?? Number.POSITIVE_INFINITY) < since;
  }

  /** Compares a match and what only it includes with what was sent. */
  #judgeResource(match: Resource, body: JsonObject, id: string): void {
    const record = this.#known.get(id);
    if (!isObject(match) || match.id !== id) this.wrong.push(`${id}: another match is served`);
    else if (!record || !this.#attempted.has(id)) this.wrong.push(`${id}: it was never sent`);
    else if ((match.attributes as JsonObject).shardId !== "na")
      this.wrong.push(`${id}: it is a record of another shard`);
    else if (record.isServed === "no") this.wrong.push(`${id}: it must be withheld`);
    else {
      const change = changesIn(Buffer.from(record.line), id, { ...body, data: match as Json });
      if (change !== undefined) this.wrong.push(`${id}: ${change}`);
    }
  }
}

/** Compares like the time and the id. */
const orderOf = (record: SentRecord | undefined): string =>
  record === undefined ? "" : `${String(record.createdAt).padStart(15, "0")} ${record.id}`;

const read = new Map<string, SentRecord>();

export function readRecord(line: string): SentRecord {
  const known = read.get(line);
  if (known) return known;
  const document = JSON.parse(line) as JsonObject;
  // biome-ignore lint/suspicious/noExplicitAny: the demo wrote it.
  const { id, attributes } = document.data as any;
  const { gameMode, stats, createdAt } = attributes;
  const isNever = !isServedMode(gameMode) || isVoidEnding(stats.endGameReason);
  const isServed = isNever ? "no" : gameMode === PRIVATE_MODE ? "perhaps" : "yes";
  const record: SentRecord = { id, line, document, createdAt: Date.parse(createdAt), isServed };
  read.set(line, record);
  return record;
}

/** Between runs. */
export const forgetRecords = (): void => read.clear();
