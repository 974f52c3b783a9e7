/** In charge of the internal numbers of players and teams within a transaction: found, or given to newcomers. */

import type { Connection } from "./session.ts";

export type NamedTable = "players" | "teams";

export class Numbers {
  readonly #known = new Map<string, number>();
  /** How many got one. */
  newcomers = 0;

  constructor(
    private readonly connection: Connection,
    private readonly table: NamedTable,
  ) {}

  /** To be called before `of`, for all that it may be asked for. */
  async find(ids: Iterable<string>): Promise<void> {
    const wanted = [...new Set(ids)].filter((id) => !this.#known.has(id));
    if (wanted.length === 0) return;
    this.#add(
      await this.connection.rows(`SELECT num, id FROM {${this.table}} WHERE id = ANY($1::text[])`, [
        wanted,
      ]),
    );
    const missing = wanted.filter((id) => !this.#known.has(id));
    if (missing.length === 0) return;
    this.newcomers += missing.length;
    this.#add(
      await this.connection.rows(
        `INSERT INTO {${this.table}} (id) SELECT unnest($1::text[]) RETURNING num, id`,
        [missing],
      ),
    );
  }

  of(id: string): number {
    return this.#known.get(id)!;
  }

  /** After the row was removed. */
  forget(id: string): void {
    this.#known.delete(id);
  }

  #add(rows: { num: number; id: string }[]): void {
    for (const { num, id } of rows) this.#known.set(id, num);
  }
}
