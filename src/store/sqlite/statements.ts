/** Caches prepared statements. */

import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";

const MAX_STATEMENTS = 256;

export class Statements {
  readonly #prepared = new Map<string, Statement<unknown, SQLQueryBindings[]>>();

  constructor(readonly database: Database) {}

  /** `translate` is applied to a statement that is not prepared yet. */
  get<Row>(sql: string, translate?: (sql: string) => string): Statement<Row, SQLQueryBindings[]> {
    const known = this.#prepared.get(sql);
    if (known) return known as Statement<Row, SQLQueryBindings[]>;
    if (this.#prepared.size >= MAX_STATEMENTS) this.#evict();
    const statement = this.database.prepare<Row, SQLQueryBindings[]>(
      translate ? translate(sql) : sql,
    );
    this.#prepared.set(sql, statement as Statement<unknown, SQLQueryBindings[]>);
    return statement;
  }

  /** Closes the database too. */
  close(): void {
    this.finalize();
    this.database.close();
  }

  /** Without this, the file stays open until the garbage collector finds the statements. */
  finalize(): void {
    for (const statement of this.#prepared.values()) statement.finalize();
    this.#prepared.clear();
  }

  /** Evicts the older half. Statements in use are soon prepared again. */
  #evict(): void {
    for (const [sql, statement] of [...this.#prepared].slice(0, MAX_STATEMENTS / 2)) {
      statement.finalize();
      this.#prepared.delete(sql);
    }
  }
}
