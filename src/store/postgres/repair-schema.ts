/** The schemas of a repair. */

import { closing } from "../../domain/awaitable.ts";
import { isLockTimeout } from "../../postgres/errors.ts";
import type { ReadableState, ShardRepair } from "../repair.ts";
import { StoreError, StoreRefuses, StoreUnavailable, type Writer } from "../store.ts";
import { formatOf, keepAlive, TURN_PATIENCE_MS, takeTurn } from "./open.ts";
import { copyPrivileges } from "./privileges.ts";
import {
  CommitInDoubt,
  type Connection,
  type Patience,
  type PostgresTarget,
  quoted,
  Session,
} from "./session.ts";
import { PostgresWriter, readable } from "./writer.ts";

/** Statements on whole tables take long. */
const LONG: Patience = { readMs: 3_600_000, writeMs: 3_600_000 };

/** Shorter than PostgreSQL's own search for deadlocks: a read that waits for us meanwhile must not fail. */
const TABLE_LOCK_PATIENCE_MS = 500;
const ATTEMPTS = 200;
const PAUSE_MS = 1000;

const MOST_BYTES = 63;

/** Of the new schema, as a comment: one without it is not dropped. */
const markOf = (schema: string) => `matchbook repair of ${schema}`;

export class RepairSchema implements ShardRepair {
  readonly #newName: string;
  #writer: PostgresWriter | undefined;
  #isBuilt = false;

  private constructor(
    private readonly shard: string,
    private readonly turn: Turn,
    private readonly session: Session,
    private readonly place: PostgresTarget,
  ) {
    this.#newName = newNameOf(place.schema);
  }

  /** Waits for writers, and then keeps them waiting. Throws StoreError. */
  static async open(shard: string, place: PostgresTarget): Promise<RepairSchema> {
    // Unprepared: most statements are run only once.
    const session = new Session({ ...place, pool: 1, prepares: false }, LONG, {
      statement_timeout: "0",
    });
    let turn: Turn | undefined;
    try {
      await formatOf(session);
      turn = await beginTurn(place);
      return new RepairSchema(shard, turn, session, place);
    } catch (error) {
      await turn?.release();
      await session.close();
      throw error;
    }
  }

  async open(): Promise<Writer> {
    const { schema } = this.place;
    await this.#dropNew();
    await this.session.transaction("READ COMMITTED", async (connection) => {
      await connection.run(`CREATE SCHEMA ${quoted(this.#newName)}`);
      await connection.run(`COMMENT ON SCHEMA ${quoted(this.#newName)} IS '${markOf(schema)}'`);
    });
    this.#isBuilt = true;
    // It is written to disk at the latest with the swap, which is a later transaction.
    const session = new Session({ ...this.#newPlace(), pool: 2 }, undefined, {
      synchronous_commit: "off",
    });
    this.#writer = new PostgresWriter(session, this.shard);
    await this.#writer.ready();
    return this.#writer;
  }

  /** Without indexes: the planner reads tables as a whole. Each read is a statement of its own, because one may fail. */
  async survey<T>(
    work: (state: ReadableState, unindexed: ReadableState) => Promise<T>,
  ): Promise<T> {
    await using unindexed = closing(
      new Session({ ...this.place, pool: 1, prepares: false }, LONG, {
        statement_timeout: "0",
        enable_indexscan: "off",
        enable_indexonlyscan: "off",
        enable_bitmapscan: "off",
        jit: "off",
      }),
    );
    return await work(readable(this.session), readable(unindexed));
  }

  async complete(): Promise<void> {
    await this.#writer!.close();
    this.#writer = undefined;
    for (const table of await tablesIn(this.session, this.#newName)) {
      await this.session.run(`ANALYZE ${table}`);
    }
    await copyPrivileges(this.session, this.place.schema, this.#newName);
  }

  async keptName(stamp: string): Promise<string> {
    for (let count = 1; ; count++) {
      const number = count === 1 ? "" : `_${count}`;
      const name = withSuffix(this.place.schema, `_damaged_${stamp.replace("-", "_")}${number}`);
      if (!(await this.#exists(name))) return name;
    }
  }

  /** In one transaction, with the lock that keeps writers waiting: if the connection is lost, nothing has changed. */
  async swap(kept: string): Promise<void> {
    const { schema, shown } = this.place;
    try {
      await this.turn.complete(async (connection) => {
        await lockTables(connection, this.place);
        await connection.run(`ALTER SCHEMA ${quoted(schema)} RENAME TO ${quoted(kept)}`);
        await connection.run(`ALTER SCHEMA ${quoted(this.#newName)} RENAME TO ${quoted(schema)}`);
        await connection.run(`COMMENT ON SCHEMA ${quoted(schema)} IS NULL`);
      });
    } catch (error) {
      if (!(error instanceof CommitInDoubt)) throw error;
      const isSwapped = await this.#exists(kept).catch(() => undefined);
      if (isSwapped === undefined) {
        throw new StoreUnavailable(
          `the connection to ${shown} was lost when the schemas were swapped: the shard is repaired if there is a schema ${kept}; otherwise it is as it was`,
          { cause: error },
        );
      }
      if (!isSwapped) throw error;
    }
    this.#isBuilt = false;
  }

  async close(): Promise<void> {
    try {
      await this.#writer?.close();
      // If the database is unavailable, the next run does it.
      if (this.#isBuilt) await this.#dropNew().catch(() => {});
      await this.turn.release();
    } finally {
      await this.session.close();
    }
  }

  #newPlace(): PostgresTarget {
    return {
      ...this.place,
      schema: this.#newName,
      shown: `${this.place.shown} (${this.#newName})`,
    };
  }

  async #exists(schema: string): Promise<boolean> {
    const sql = "SELECT 1 FROM pg_namespace WHERE nspname = $1";
    return (await this.session.rows(sql, [schema])).length > 0;
  }

  /** Throws StoreError if the schema is not one of an interrupted repair. */
  async #dropNew(): Promise<void> {
    const [found] = await this.session.rows<{ comment: string | null }>(
      `SELECT obj_description(oid, 'pg_namespace') AS comment FROM pg_namespace WHERE nspname = $1`,
      [this.#newName],
    );
    if (!found) return;
    if (found.comment !== markOf(this.place.schema)) {
      throw new StoreError(
        `${this.place.shown} cannot be repaired: there is a schema ${this.#newName} that no repair has created; rename or drop it`,
      );
    }
    await this.session.run(`DROP SCHEMA ${quoted(this.#newName)} CASCADE`);
  }
}

type Turn = Awaited<ReturnType<typeof beginTurn>>;

/** A transaction that keeps writers waiting until it is complete. */
async function beginTurn(place: PostgresTarget) {
  const session = new Session({ ...place, pool: 1 });
  const taken = Promise.withResolvers<Connection>();
  const end = Promise.withResolvers<void>();
  const done = session.transaction("READ COMMITTED", async (connection) => {
    await takeTurn(connection, session);
    // As far as this version has them: it is open for as long as the repair takes.
    await connection.rows(
      `SELECT set_config(name, '0', true) FROM pg_settings
       WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')`,
    );
    taken.resolve(connection);
    return end.promise;
  });
  done.catch(taken.reject);
  try {
    const connection = await taken.promise;
    const stop = keepAlive(connection, TURN_PATIENCE_MS);
    return {
      /** Does the last part of the transaction, and commits it. */
      async complete(work: (connection: Connection) => Promise<void>): Promise<void> {
        stop();
        await work(connection);
        end.resolve();
        await done;
      },
      /** Rolls back, unless it is complete. */
      async release(): Promise<void> {
        stop();
        end.reject(new StoreError("not completed"));
        await done.catch(() => {});
        await session.close();
      },
    };
  } catch (error) {
    await session.close();
    throw error;
  }
}

/**
 * Waits for reads of the damaged schema, and lets new ones wait: each names its tables one after the other, and must find
 * all of them in the same schema.
 */
async function lockTables(
  connection: Connection,
  { schema, shown }: PostgresTarget,
): Promise<void> {
  const tables = (await tablesIn(connection, schema)).map((table) => `ONLY ${table}`);
  for (let attempt = 1; ; attempt++) {
    await connection.run("SAVEPOINT unlocked");
    try {
      await connection.rows("SELECT set_config('lock_timeout', $1, true)", [
        String(TABLE_LOCK_PATIENCE_MS),
      ]);
      await connection.run(`LOCK TABLE ${tables.join(", ")} IN ACCESS EXCLUSIVE MODE`);
      return;
    } catch (error) {
      if (!isLockTimeout((error as Error).cause)) throw error;
      await connection.run("ROLLBACK TO SAVEPOINT unlocked");
      if (attempt === ATTEMPTS) {
        throw new StoreRefuses(
          `${shown} cannot be replaced: a long read holds its tables, e.g. a backup; retry when it is done`,
        );
      }
      await Bun.sleep(PAUSE_MS);
    }
  }
}

/** The tables of a schema without their partitions. */
async function tablesIn(connection: Connection, schema: string): Promise<string[]> {
  const rows = await connection.rows<{ name: string }>(
    `SELECT format('%I.%I', nspname, relname) AS name
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`,
    [schema],
  );
  return rows.map(({ name }) => name);
}

const withSuffix = (schema: string, suffix: string): string =>
  `${schema.slice(0, MOST_BYTES - suffix.length)}${suffix}`;

const newNameOf = (schema: string): string => withSuffix(schema, "_repair");
