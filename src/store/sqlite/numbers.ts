/** In charge of the internal numbers of players and teams: looked up once, given to newcomers. */

import type { Statement } from "bun:sqlite";
import type { Statements } from "./statements.ts";
import type { Tallies } from "./tallies.ts";

/** A number takes about a hundred bytes here. */
const MOST_REMEMBERED = 200_000;

export class Numbers {
  readonly #table: "players" | "teams";
  readonly #tallies: Tallies;
  readonly #remembered = new Map<string, number>();
  readonly #find: Statement<{ num: number }, [string]>;
  readonly #add: Statement<unknown, [string]>;
  readonly #remove: Statement<unknown, [string]>;

  constructor({ database }: Statements, table: "players" | "teams", tallies: Tallies) {
    this.#table = table;
    this.#tallies = tallies;
    this.#find = database.query(`SELECT num FROM ${table} WHERE id = ?`);
    this.#add = database.query(`INSERT INTO ${table} (id) VALUES (?)`);
    this.#remove = database.query(`DELETE FROM ${table} WHERE id = ?`);
  }

  /** The number of a player or team. Newcomers get one, and are to be filled in before the commit. */
  of(id: string): number {
    const remembered = this.#remembered.get(id);
    if (remembered !== undefined) return remembered;
    const num = this.#find.get(id)?.num ?? this.#addOne(id);
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(id, num);
    return num;
  }

  /** Removes the row, and with it the number. */
  remove(id: string): void {
    this.#tallies.change(this.#table, -this.#remove.run(id).changes);
    this.#remembered.delete(id);
  }

  /** After rows may have changed without our knowing, or what was written was undone. */
  forgetAll(): void {
    this.#remembered.clear();
  }

  #addOne(id: string): number {
    this.#tallies.change(this.#table, 1);
    return Number(this.#add.run(id).lastInsertRowid);
  }
}
