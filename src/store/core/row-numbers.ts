/**
 * Finds and assigns the internal numbers of players or teams within a transaction. The last number is in the shard's row
 * instead of a sequence, so that a rollback uses up no numbers.
 */

import { HIGHEST_NUMBER } from "../match-document.ts";
import { query, type Steps } from "../steps.ts";
import { type NamedTable, StoreError } from "../store.ts";

export class RowNumbers {
  readonly #known = new Map<string, number>();
  /** Ids with a new number and no row yet. */
  readonly #new = new Set<string>();
  /** The last number that was assigned; undefined if none was needed yet. */
  last: number | undefined;

  /** `given` are numbers that new ids get if nobody else has them, when a shard is rebuilt. */
  constructor(
    private readonly table: NamedTable,
    private readonly given: ReadonlyMap<string, number> = new Map(),
  ) {}

  /** Assigns numbers to new ids. Must be called before `of`. */
  *find(ids: Iterable<string>): Steps<void> {
    const wanted = [...new Set(ids)].filter((id) => !this.#known.has(id));
    yield* this.#lookUp(wanted);
    yield* this.#takeOver(wanted.filter((id) => !this.#known.has(id) && this.given.has(id)));
    const missing = wanted.filter((id) => !this.#known.has(id));
    if (missing.length > 0) yield* this.#assign(missing);
  }

  of(id: string): number {
    return this.#known.get(id)!;
  }

  /** The number, if the id has one. */
  *known(id: string): Steps<number | undefined> {
    if (!this.#known.has(id)) yield* this.#lookUp([id]);
    return this.#known.get(id);
  }

  isNew(id: string): boolean {
    return this.#new.has(id);
  }

  /** Called with what a row says. */
  note(id: string, num: number): void {
    this.#known.set(id, num);
  }

  /** Called after the row is added. */
  settle(id: string): void {
    this.#new.delete(id);
  }

  /** Called after the row is removed. */
  forget(id: string): void {
    this.#known.delete(id);
    this.#new.delete(id);
  }

  *#lookUp(ids: string[]): Steps<void> {
    if (ids.length === 0) return;
    const rows = yield* query<{ num: number; id: string }>(
      `SELECT num, id FROM {${this.table}} WHERE id = ANY($1::text[])`,
      [ids],
    );
    for (const { num, id } of rows) this.#known.set(id, num);
  }

  *#takeOver(ids: string[]): Steps<void> {
    if (ids.length === 0) return;
    const rows = yield* query<{ num: number }>(
      `SELECT num FROM {${this.table}} WHERE num = ANY($1::integer[])`,
      [ids.map((id) => this.given.get(id)!)],
    );
    const taken = new Set(rows.map(({ num }) => num));
    let last = yield* this.#last();
    for (const id of ids) {
      const num = this.given.get(id)!;
      if (taken.has(num) || !(num > 0 && num <= HIGHEST_NUMBER)) continue;
      taken.add(num);
      // Of a damaged shard, the last number may not be known.
      last = Math.max(last, num);
      this.#known.set(id, num);
      this.#new.add(id);
    }
    this.last = last;
  }

  *#last(): Steps<number> {
    if (this.last !== undefined) return this.last;
    const [row] = yield* query<{ players: number; teams: number }>(
      "SELECT last_player AS players, last_team AS teams FROM {shard}",
    );
    return row![this.table];
  }

  *#assign(ids: string[]): Steps<void> {
    this.last = yield* this.#last();
    if (this.last + ids.length > HIGHEST_NUMBER) {
      throw new StoreError(
        `the shard has run out of internal numbers for ${this.table}; move it with 'matchbook shards move', which renumbers them`,
      );
    }
    for (const id of ids) {
      this.last += 1;
      this.#known.set(id, this.last);
      this.#new.add(id);
    }
  }
}
