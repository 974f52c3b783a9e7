/** In charge of the log of changes: whom readers have to look up again after a transaction. */

import { packNumbers } from "../packing.ts";
import type { Statements } from "./statements.ts";

/** How many transactions a reader may miss and still know what changed meanwhile. */
const KEPT_CHANGES = 256;

export class ChangeLog {
  readonly players = new Set<number>();
  readonly teams = new Set<number>();
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** To be called before the commit. */
  write(): void {
    if (this.players.size + this.teams.size === 0) return;
    const { lastInsertRowid } = this.#statements.run(
      "INSERT INTO changes (players, teams) VALUES (?, ?)",
      packNumbers([...this.players]),
      packNumbers([...this.teams]),
    );
    const oldest = Number(lastInsertRowid) - KEPT_CHANGES;
    this.#statements.run("DELETE FROM changes WHERE seq <= ?", oldest);
    this.forget();
  }

  /** After what was written was undone. */
  forget(): void {
    this.players.clear();
    this.teams.clear();
  }
}
