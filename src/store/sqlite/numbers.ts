/** In charge of the internal numbers of players and teams: looked up once, given to newcomers. */

import type { Database, Statement } from "bun:sqlite";

/** A number takes about a hundred bytes here. */
const MOST_REMEMBERED = 200_000;

export class Numbers {
  readonly #remembered = new Map<string, number>();
  readonly #find: Statement<{ num: number }, [string]>;
  readonly #add: Statement<unknown, [string]>;

  constructor(database: Database, table: "players" | "teams") {
    this.#find = database.query(`SELECT num FROM ${table} WHERE id = ?`);
    this.#add = database.query(`INSERT INTO ${table} (id) VALUES (?)`);
  }

  /** The number of a player or team. Newcomers get one, and are to be filled in before the commit. */
  of(id: string): number {
    const remembered = this.#remembered.get(id);
    if (remembered !== undefined) return remembered;
    const num = this.#find.get(id)?.num ?? Number(this.#add.run(id).lastInsertRowid);
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(id, num);
    return num;
  }

  /** After the row was removed. */
  forget(id: string): void {
    this.#remembered.delete(id);
  }

  /** After rows may have changed without our knowing, or what was written was undone. */
  forgetAll(): void {
    this.#remembered.clear();
  }
}
