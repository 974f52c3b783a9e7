/** Writes to a shard in PostgreSQL, one transaction at a time, and serves admin reads. */

import type { Awaitable } from "../../domain/awaitable.ts";
import { isUndefined, isUnreadable } from "../../postgres/errors.ts";
import { conclude, coreMethods } from "../all-tables/transaction.ts";
import { CoreWriter } from "../all-tables/writer.ts";
import { TransactionState } from "../core/transaction-state.ts";
import type { ReadableState } from "../repair.ts";
import { type Engine, run } from "../steps.ts";
import {
  DamagedData,
  type GivenNumbers,
  type StoredState,
  StoreError,
  StoreUnavailable,
  type Transaction,
  type Writer,
} from "../store.ts";
import { checkIndexes } from "./check-indexes.ts";
import { postgresEngine } from "./engine.ts";
import { checkOwner, formatOf, keepAlive, prepare, TURN_PATIENCE_MS, takeTurn } from "./open.ts";
import { CommitInDoubt, type Connection, type Session } from "./session.ts";
import { readBytes } from "./size.ts";

/**
 * How long to wait for an unavailable database to resolve a commit in doubt. A failover takes less.
 */
const DOUBT_PATIENCE_MS = 60_000;
const DOUBT_PAUSE_MS = 500;

export class PostgresWriter extends CoreWriter implements Writer {
  #prepared: Promise<void> | undefined;

  constructor(
    private readonly session: Session,
    private readonly shard: string,
    private readonly now: () => number = Date.now,
    private readonly patienceMs: number = TURN_PATIENCE_MS,
    /** Creates nothing, for commands that only read. */
    private readonly isReadOnly: boolean = false,
  ) {
    super();
  }

  /** Writers of this process queue here; those of other processes wait for the shard's lock. */
  write<T>(work: (transaction: Transaction) => Promise<T>, given?: GivenNumbers): Promise<T> {
    return this.inTurn(() => this.#inTransaction(work, given));
  }

  /** Queued with writes, so that it needs one connection only. */
  survey<T>(work: (state: StoredState) => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      await this.ready();
      try {
        return await this.session.snapshot((connection) =>
          work({
            ...openTables(connection).transaction,
            checkIndexes: (limit: number) => checkIndexes(connection, limit),
          }),
        );
      } catch (error) {
        throw asDamage(error);
      }
    });
  }

  /** A snapshot of the database does not keep it from emptying its log. */
  surveyCopy<T>(_path: string, work: (state: StoredState) => Promise<T>): Promise<T> {
    return this.survey(work);
  }

  protected async read<T>(work: (engine: Engine) => Awaitable<T>): Promise<T> {
    await this.ready();
    return work(postgresEngine(this.session));
  }

  protected bytes(): Promise<number> {
    return readBytes(this.session);
  }

  async compact(): Promise<void> {
    throw new StoreError(
      `${this.session.place.shown} is in PostgreSQL, whose autovacuum gives free space back; run VACUUM on its tables if that is to be done now`,
    );
  }

  /** The database has one log for everything, and reuses it at times of its own. */
  emptyLog(): boolean {
    return true;
  }

  close(): Promise<void> {
    return this.session.close();
  }

  /** Creates the schema if necessary. Resolves to whether there is a shard: a read-only writer may find none. */
  async ready(): Promise<boolean> {
    if (this.isReadOnly) {
      if ((await formatOf(this.session)) === undefined) return false;
      await checkOwner(this.session, this.shard);
      return true;
    }
    this.#prepared ??= prepare(this.session, this.shard);
    try {
      await this.#prepared;
      return true;
    } catch (error) {
      // The next call tries again.
      this.#prepared = undefined;
      throw error;
    }
  }

  async #inTransaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    given: GivenNumbers | undefined,
  ): Promise<T> {
    await this.ready();
    let done: { result: T; token: string | undefined } | undefined;
    try {
      await this.session.transaction("READ COMMITTED", async (connection) => {
        await takeTurn(connection, this.session, this.patienceMs);
        const stop = keepAlive(connection, this.patienceMs);
        try {
          const tables = openTables(connection, given);
          const result = await work(tables.transaction);
          done = { result, token: await tables.conclude(this.now()) };
        } finally {
          stop();
        }
      });
    } catch (error) {
      const isCommitted =
        error instanceof CommitInDoubt &&
        done?.token !== undefined &&
        (await this.#isCommitted(done.token, error));
      if (!isCommitted) throw error;
    }
    return done!.result;
  }

  /**
   * Whether the transaction with this token was committed. Queued with writers, so that it is over
   * by then. Throws `doubt` if the database stays unavailable.
   */
  async #isCommitted(token: string, doubt: CommitInDoubt): Promise<boolean> {
    const began = performance.now();
    for (;;) {
      try {
        return await this.session.transaction("READ COMMITTED", async (connection) => {
          await takeTurn(connection, this.session, this.patienceMs);
          const rows = await connection.rows("SELECT 1 FROM {changes} WHERE token = $1", [token]);
          return rows.length > 0;
        });
      } catch (error) {
        const isLate = performance.now() - began > DOUBT_PATIENCE_MS;
        if (!(error instanceof StoreUnavailable) || isLate) throw doubt;
        await Bun.sleep(DOUBT_PAUSE_MS);
      }
    }
  }
}

/** What the database cannot read, also because a table or column is missing, is damage. */
function asDamage(error: unknown): unknown {
  const { cause } = error as Error;
  const isDamage = isUnreadable(cause) || isUndefined(cause);
  return isDamage ? new DamagedData("file", (cause as Error).message) : error;
}

/** Every read on its own: one that fails leaves the others possible. */
export function readable(session: Session): ReadableState {
  const { transaction } = openTables(session);
  return Object.fromEntries(
    Object.entries(transaction).map(([name, read]) => [
      name,
      async (...values: never[]) => {
        try {
          return await (read as (...values: never[]) => unknown)(...values);
        } catch (error) {
          throw asDamage(error);
        }
      },
    ]),
  ) as unknown as ReadableState;
}

/** The tables as one transaction sees them. */
function openTables(database: Connection, given?: GivenNumbers) {
  const state = new TransactionState(given);
  let hasWritten = false;
  const connection: Connection = {
    rows: (text, values) => database.rows(text, values),
    run(text, values) {
      hasWritten = true;
      return database.run(text, values);
    },
  };
  const engine = postgresEngine(connection);
  return {
    transaction: coreMethods(engine, state) satisfies Transaction,
    /** Called before the commit. Returns the token of the transaction; undefined if it changed nothing. */
    conclude: async (now: number) => (hasWritten ? run(engine, conclude(state, now)) : undefined),
  };
}
