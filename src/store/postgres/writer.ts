/** Writes to a shard in PostgreSQL, one transaction at a time, and serves admin reads. */

import { randomBytes } from "node:crypto";
import { TransactionChanges } from "../change-log.ts";
import {
  type Counts,
  type OnMigrate,
  type OnProgress,
  type Redaction,
  type ShardRecord,
  type StoredState,
  StoreError,
  StoreUnavailable,
  type Transaction,
  type Writer,
} from "../store.ts";
import { actorTable } from "./actors.ts";
import { boardTables } from "./boards.ts";
import { logChanges } from "./change-log.ts";
import { vacuum } from "./compact.ts";
import { counterTables, readCounts } from "./counters.ts";
import { readTableNumber } from "./damage.ts";
import { changeChecksum } from "./linked-resources.ts";
import { matchTables } from "./matches.ts";
import { NameIndex } from "./name-index.ts";
import {
  checkWritable,
  keepAlive,
  prepare,
  readableFormat,
  TURN_PATIENCE_MS,
  takeTurn,
} from "./open.ts";
import { playerTables, RowNumbers } from "./players.ts";
import { countOlder, pruningTables } from "./pruning.ts";
import { ReadSession } from "./read-session.ts";
import { redactionTable } from "./redactions.ts";
import { FORMAT } from "./schema.ts";
import { CommitInDoubt, type Connection, type Session } from "./session.ts";
import { stateTables } from "./stored-state.ts";

/**
 * How long to wait for an unavailable database to resolve a commit in doubt. A failover takes less.
 */
const DOUBT_PATIENCE_MS = 60_000;
const DOUBT_PAUSE_MS = 500;

export class PostgresWriter implements Writer {
  readonly #reads: ReadSession;
  #prepared: Promise<number> | undefined;
  #isChecked = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly session: Session,
    private readonly now: () => number = Date.now,
    private readonly patienceMs: number = TURN_PATIENCE_MS,
    /** Creates nothing, for commands that only read. */
    private readonly isReadOnly: boolean = false,
    /** Called with the redactions of the shard before it is used for the first time; may throw. */
    private readonly checkRedactions: (applied: Redaction[]) => void = () => {},
  ) {
    this.#reads = new ReadSession(session);
  }

  /** Writers of this process queue here; those of other processes wait for the shard's lock. */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#inTransaction(work));
  }

  /** Queued with writes, so that it needs one connection only. */
  survey<T>(work: (state: StoredState) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await this.ready();
      return this.#reads.transaction((connection) =>
        work({
          ...openTables(connection, this.now()).transaction,
          ...stateTables(connection),
        }),
      );
    });
  }

  /** Queued with writes, so that it never sees an unfinished one. */
  contentHashes(ids: string[]): Promise<Map<string, Uint8Array>> {
    return this.#turn.then(async () => {
      const known = await (await this.#reading()).known(ids);
      return new Map([...known].map(([id, { contentHash }]) => [id, contentHash]));
    });
  }

  async inspect(id: string): Promise<ShardRecord | undefined> {
    return (await (await this.#reading()).load([id]))[0];
  }

  async rankedEvidence(playerIds: string[]): Promise<Map<string, number>> {
    return (await this.#reading()).rankedEvidence(playerIds);
  }

  async prunedBefore(): Promise<number | undefined> {
    return (await this.#reading()).prunedBefore();
  }

  async redactions(): Promise<Redaction[]> {
    return (await this.#reading()).redactions();
  }

  async countOlder(before: number): Promise<{ served: number; withheld: number }> {
    await this.ready();
    return countOlder(this.#reads, before);
  }

  async counts(): Promise<Counts> {
    await this.ready();
    return readCounts(this.#reads);
  }

  /** Identifies the shard (damage.ts). */
  tableNumber(): Promise<number> {
    return readTableNumber(this.session);
  }

  /** Whether the database detects damage to its own pages. */
  async hasDataChecksums(): Promise<boolean> {
    const [row] = await this.session.rows<{ setting: string }>(
      "SELECT current_setting('data_checksums') AS setting",
    );
    return row!.setting === "on";
  }

  async stateToken(): Promise<string | undefined> {
    await this.ready();
    const [row] = await this.#reads.rows<{ token: string }>("SELECT token FROM {shard}");
    return row!.token === "" ? undefined : row!.token;
  }

  async compact(full: boolean, onProgress: OnProgress): Promise<void> {
    checkWritable(this.session, await this.ready());
    if (full) {
      throw new StoreError(
        `${this.session.place.shown} cannot be rewritten while it is served: leave out --full, or run VACUUM FULL on its tables when nobody reads them`,
      );
    }
    await vacuum(this.session, onProgress);
  }

  /** The database has one log for everything, and reuses it at times of its own. */
  emptyLog(): boolean {
    return true;
  }

  close(): Promise<void> {
    return this.session.close();
  }

  /**
   * Creates the schema if necessary, and resolves to its format. Older ones can be read; with
   * `onMigrate` they are migrated. 0: a read-only writer found no schema.
   */
  async ready(onMigrate?: OnMigrate): Promise<number> {
    if (this.isReadOnly) {
      const format = (await readableFormat(this.session)) ?? 0;
      if (format > 0) await this.#check();
      return format;
    }
    this.#prepared ??= prepare(this.session, onMigrate);
    try {
      const format = await this.#prepared;
      // Somebody may migrate it at any time.
      if (format < FORMAT) this.#prepared = undefined;
      if (!onMigrate) await this.#check();
      return format;
    } catch (error) {
      // The next call tries again.
      this.#prepared = undefined;
      throw error;
    }
  }

  async #check(): Promise<void> {
    if (this.#isChecked) return;
    this.checkRedactions(await redactionTable(this.#reads).redactions());
    this.#isChecked = true;
  }

  /** For single reads outside a transaction. */
  async #reading() {
    await this.ready();
    return openTables(this.#reads, this.now()).transaction;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    checkWritable(this.session, await this.ready());
    let done: { result: T; token: string | undefined } | undefined;
    try {
      await this.session.transaction("READ COMMITTED", async (connection) => {
        await takeTurn(connection, this.session, this.patienceMs);
        const stop = keepAlive(connection, this.patienceMs);
        try {
          const tables = openTables(connection, this.now());
          const result = await work(tables.transaction);
          done = { result, token: await tables.conclude() };
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

/** How many transactions a reader may miss before it drops its whole cache. */
const KEPT_CHANGES = 256;
const TOKEN_BYTES = 12;

/** The tables as one transaction, and the writes at its end. */
function openTables(database: Connection, now: number) {
  let hasWritten = false;
  const connection: Connection = {
    rows: (text, values) => database.rows(text, values),
    run(text, values) {
      hasWritten = true;
      return database.run(text, values);
    },
  };
  const numbers = {
    players: new RowNumbers(connection, "players"),
    teams: new RowNumbers(connection, "teams"),
  };
  const nameIndex = new NameIndex(connection);
  const matchChanges = new TransactionChanges();
  const matches = matchTables(connection, numbers, matchChanges);
  const { changed, added, transaction: players } = playerTables(connection, numbers, nameIndex);

  /**
   * Called before the commit: logs the changes for readers. Returns the token of the transaction;
   * undefined if it changed nothing.
   */
  async function conclude(): Promise<string | undefined> {
    if (!hasWritten && changed.players.size + changed.teams.size === 0) return undefined;
    await nameIndex.write();
    await logChanges(connection, matchChanges, now);
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const change = { token, players: [...changed.players], teams: [...changed.teams] };
    await connection.run(
      `WITH now AS (
         UPDATE {shard} SET sequence = sequence + 1, token = $1, matches = matches + $2::bigint,
           players = players + $3::bigint, teams = teams + $4::bigint,
           last_player = coalesce($5::integer, last_player),
           last_team = coalesce($6::integer, last_team)
         RETURNING sequence),
       past AS (DELETE FROM {changes} WHERE sequence <= (SELECT sequence FROM now) - ${KEPT_CHANGES})
       INSERT INTO {changes} (sequence, token, players, teams, checksum)
       SELECT sequence, $1, $7::integer[], $8::integer[], $9::bigint FROM now`,
      [
        token,
        matches.added(),
        added.players,
        added.teams,
        numbers.players.last ?? null,
        numbers.teams.last ?? null,
        change.players,
        change.teams,
        changeChecksum(change),
      ],
    );
    return token;
  }

  const transaction = {
    ...matches.transaction,
    ...players,
    ...counterTables(connection),
    ...pruningTables(connection),
    ...redactionTable(connection),
    ...actorTable(connection),
    ...boardTables(connection),
  } satisfies Transaction;
  return { transaction, conclude };
}
