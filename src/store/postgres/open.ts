/** Creates and migrates a shard's schema under a lock. */

import { isLockTimeout } from "../../postgres/errors.ts";
import {
  MigrationNeeded,
  type OnMigrate,
  type OnProgress,
  StoreError,
  StoreRefuses,
} from "../store.ts";
import { fillChecksums } from "./fill-checksums.ts";
import { makeOutliers } from "./partitions.ts";
import { COMPLETIONS, FORMAT, MIGRATIONS, OLDEST_READABLE, UNFILLED } from "./schema.ts";
import { type Connection, quoted, type Session } from "./session.ts";

/**
 * Creates the shard if necessary, and migrates it if there is an `onMigrate`. Otherwise an older
 * format that can be read is left as it is. Returns the format.
 */
export async function prepare(session: Session, onMigrate?: OnMigrate): Promise<number> {
  const found = await readableFormat(session, onMigrate !== undefined);
  const isOlder = found !== undefined && found < FORMAT;
  if (isOlder && !onMigrate) return found;
  if (found !== FORMAT) await createOrMigrate(session, onMigrate);
  return FORMAT;
}

/** A process that is killed leaves a shard that can be migrated. */
async function createOrMigrate(session: Session, onMigrate?: OnMigrate): Promise<void> {
  let onProgress: OnProgress | undefined;
  let reached = await inTurn(session, async (connection) => {
    await makeSchema(connection, session.place.schema);
    await connection.run("CREATE TABLE IF NOT EXISTS {format} (version integer NOT NULL)");
    // Checked again inside the transaction: another process may have migrated.
    const version = await versionOf(connection, session);
    if (version !== undefined) return version;
    for (const statements of MIGRATIONS) await runAll(connection, statements);
    await makeOutliers(connection);
    // A new shard has no rows to rewrite, and no other process may see it in between.
    await setVersion(connection, FORMAT);
    return FORMAT;
  });
  if (reached < FORMAT) onProgress = onMigrate?.(reached, FORMAT);
  while (reached < FORMAT) {
    if (reached === UNFILLED) await fillChecksums((work) => inTurn(session, work), onProgress);
    reached = await migrateOnce(session, reached);
  }
}

/** The tables are locked for a moment: reads that are waiting meanwhile must not time out. */
const TABLE_LOCK_PATIENCE_MS = 1000;
const ATTEMPTS = 60;

/** Migrates to the next version in one transaction, and returns the version that the shard then has. */
async function migrateOnce(session: Session, from: number): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTurn(session, async (connection) => {
        const version = (await versionOf(connection, session))!;
        // Another process may have done it.
        if (version > from) return version;
        await connection.rows("SELECT set_config('lock_timeout', $1, true)", [
          String(TABLE_LOCK_PATIENCE_MS),
        ]);
        if (version >= OLDEST_READABLE && version < UNFILLED) {
          // Reads of this format lock it first (earlier-formats.ts).
          await connection.run("LOCK TABLE {format} IN ACCESS EXCLUSIVE MODE");
        }
        await runAll(connection, MIGRATIONS[version]!);
        await COMPLETIONS.get(version)?.(connection);
        await setVersion(connection, version + 1);
        return version + 1;
      });
    } catch (error) {
      if (!isLockTimeout((error as Error).cause)) throw error;
      if (attempt === ATTEMPTS) {
        throw new StoreRefuses(
          `${session.place.shown} cannot be migrated: a long read holds its tables, e.g. to move or digest the shard; retry when it is done`,
        );
      }
      await Bun.sleep(TABLE_LOCK_PATIENCE_MS);
    }
  }
}

const inTurn = <T>(session: Session, work: (connection: Connection) => Promise<T>): Promise<T> =>
  session.transaction("READ COMMITTED", async (connection) => {
    await takeTurn(connection, session);
    return work(connection);
  });

async function setVersion(connection: Connection, version: number): Promise<void> {
  await connection.run("DELETE FROM {format}");
  await connection.run("INSERT INTO {format} VALUES ($1)", [version]);
}

/** The format of a shard; undefined if there is none yet. Throws if it cannot be read. */
export async function readableFormat(
  session: Session,
  mayMigrate = false,
): Promise<number | undefined> {
  const found = await versionOf(session);
  if (found !== undefined && found < OLDEST_READABLE && !mayMigrate) {
    throw new MigrationNeeded(session.place.shown, found, FORMAT);
  }
  return found;
}

/** Throws if a shard of this format cannot be written. */
export function checkWritable(session: Session, format: number): void {
  if (format < FORMAT) throw new MigrationNeeded(session.place.shown, format, FORMAT);
}

/** Checked first: a user of an existing schema may lack the privilege to create one. */
async function makeSchema(connection: Connection, schema: string): Promise<void> {
  const found = await connection.rows("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  if (found.length === 0) await connection.run(`CREATE SCHEMA ${quoted(schema)}`);
}

/** Shorter than the session's timeout, so that the server ends the wait and reports why. */
export const TURN_PATIENCE_MS = 100_000;

/**
 * If this machine disappears, the server releases the lock after a minute instead of hours. If this process is frozen,
 * or disappears behind a pooler, only the end of its statements shows it.
 */
const NOTICE_OUR_END = `set_config('tcp_keepalives_idle', '30', true),
  set_config('tcp_keepalives_interval', '10', true), set_config('tcp_keepalives_count', '3', true),
  set_config('idle_in_transaction_session_timeout', $3, true)`;

/** A writer that sends nothing for this long loses its turn, while others still wait for theirs. */
const longestSilenceMs = (patienceMs: number) => Math.round(patienceMs / 3);

/** Shows the server during a transaction that this process works, whatever it does. Returns how to stop that. */
export function keepAlive(connection: Connection, patienceMs: number): () => void {
  const timer = setInterval(
    // If it fails, the transaction does too.
    () => connection.rows("SELECT 1").catch(() => {}),
    longestSilenceMs(patienceMs) / 3,
  );
  return () => clearInterval(timer);
}

/** Writers take turns, also across machines: one transaction per shard at a time. */
export async function takeTurn(
  connection: Connection,
  { place }: Session,
  patienceMs = TURN_PATIENCE_MS,
): Promise<void> {
  try {
    await connection.rows(
      `SELECT set_config('lock_timeout', $2, true), ${NOTICE_OUR_END},
         pg_advisory_xact_lock(hashtextextended($1, 0))`,
      [`matchbook ${place.schema}`, String(patienceMs), String(longestSilenceMs(patienceMs))],
    );
  } catch (error) {
    if (!isLockTimeout((error as Error).cause)) throw error;
    throw new StoreRefuses(
      `${place.shown} is locked: another program has been writing to it for too long, e.g. to move the shard; retry when it is done`,
    );
  }
}

/** Undefined if there is no shard yet. Rejects newer versions. */
async function versionOf(
  session: Connection,
  { place }: Session = session as Session,
): Promise<number | undefined> {
  const found = await session.rows(
    `SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relname = 'format'`,
    [place.schema],
  );
  if (found.length === 0) return undefined;
  const [row] = await session.rows<{ version: number }>("SELECT version FROM {format}");
  const version = row?.version;
  if (version !== undefined && version > FORMAT) {
    throw new StoreError(
      `${place.shown} was written by a newer Matchbook (format ${version}; this version supports ${FORMAT}); upgrade Matchbook to use it`,
    );
  }
  return version;
}

/** Runs statements one by one: a text with several could not have parameters or be prepared. */
async function runAll(connection: Connection, statements: string): Promise<void> {
  const bare = statements.replaceAll(/^\s*--.*$/gm, "");
  for (const statement of bare.split(";")) {
    if (statement.trim() !== "") await connection.run(statement);
  }
}
