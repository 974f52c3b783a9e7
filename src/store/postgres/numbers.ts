/**
 * In charge of the internal numbers of players and teams within a transaction: found, or given to
 * newcomers. They are counted in the shard's state, not by a sequence, so that a transaction that is
 * undone uses none up.
 */

import { StoreError } from "../store.ts";
import type { Connection } from "./session.ts";

export type NamedTable = "players" | "teams";

const LAST_NUMBER = { players: "last_player", teams: "last_team" } as const;
/** What their columns have room for. */
const HIGHEST = 2 ** 31 - 1;

export class Numbers {
  readonly #known = new Map<string, number>();
  /** Those that got a number here and have no row yet. */
  readonly #newcomers = new Set<string>();
  /** The last number given; undefined as long as nobody needed one. */
  last: number | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly table: NamedTable,
  ) {}

  /** To be called before `of`, for all that it may be asked for. */
  async find(ids: Iterable<string>): Promise<void> {
    const wanted = [...new Set(ids)].filter((id) => !this.#known.has(id));
    await this.#lookUp(wanted);
    const missing = wanted.filter((id) => !this.#known.has(id));
    if (missing.length > 0) await this.#giveTo(missing);
  }

  of(id: string): number {
    return this.#known.get(id)!;
  }

  /** The number of somebody who may have none. */
  async known(id: string): Promise<number | undefined> {
    if (!this.#known.has(id)) await this.#lookUp([id]);
    return this.#known.get(id);
  }

  isNewcomer(id: string): boolean {
    return this.#newcomers.has(id);
  }

  /** After the row was added. */
  settle(id: string): void {
    this.#newcomers.delete(id);
  }

  /** After the row was removed. */
  forget(id: string): void {
    this.#known.delete(id);
    this.#newcomers.delete(id);
  }

  async #lookUp(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const rows = await this.connection.rows<{ num: number; id: string }>(
      `SELECT num, id FROM {${this.table}} WHERE id = ANY($1::text[])`,
      [ids],
    );
    for (const { num, id } of rows) this.#known.set(id, num);
  }

  async #giveTo(ids: string[]): Promise<void> {
    this.last ??= await this.#lastGiven();
    if (this.last + ids.length > HIGHEST) {
      throw new StoreError(
        `the shard has no numbers left for new ${this.table}: move it with 'matchbook shards move', which numbers them anew`,
      );
    }
    for (const id of ids) {
      this.last += 1;
      this.#known.set(id, this.last);
      this.#newcomers.add(id);
    }
  }

  async #lastGiven(): Promise<number> {
    const [state] = await this.connection.rows<{ last: number }>(
      `SELECT ${LAST_NUMBER[this.table]} AS last FROM {state}`,
    );
    return state!.last;
  }
}
