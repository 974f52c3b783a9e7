/** Creates and migrates a shard's schema under a lock. */

import { MigrationNeeded, type OnMigrate, StoreError, StoreRefuses } from "../store.ts";
import { makeOutliers, type Partitions } from "./partitions.ts";
import { COMPLETIONS, MIGRATIONS, OLDEST_READABLE } from "./schema.ts";
import { type Connection, quoted, type Session } from "./session.ts";

/**
 * Creates the shard if necessary, and migrates it if there is an `onMigrate`. Otherwise an older
 * format that can be read is left as it is. Returns the format.
 */
export async function prepare(
  session: Session,
  partitions: Partitions,
  now: number,
  onMigrate?: OnMigrate,
): Promise<number> {
  const found = await readableFormat(session, onMigrate !== undefined);
  const isOlder = found !== undefined && found < MIGRATIONS.length;
  if (isOlder && !onMigrate) return found;
  if (found !== MIGRATIONS.length) await createOrMigrate(session, onMigrate);
  // Usually they exist, and a starting server need not wait for the lock.
  if (await partitions.areAhead(session, now)) return MIGRATIONS.length;
  await session.transaction("READ COMMITTED", async (connection) => {
    await takeTurn(connection, session);
    await partitions.makeAhead(connection, now);
  });
  return MIGRATIONS.length;
}

/** One transaction: a process that is killed leaves the shard as it was. */
async function createOrMigrate(session: Session, onMigrate?: OnMigrate): Promise<void> {
  await session.transaction("READ COMMITTED", async (connection) => {
    await takeTurn(connection, session);
    await makeSchema(connection, session.place.schema);
    await connection.run("CREATE TABLE IF NOT EXISTS {format} (version integer NOT NULL)");
    // Checked again inside the transaction: another process may have migrated.
    const version = (await versionOf(connection, session)) ?? 0;
    if (version > 0 && version < MIGRATIONS.length) onMigrate?.(version, MIGRATIONS.length);
    for (let next = version; next < MIGRATIONS.length; next++) {
      await runAll(connection, MIGRATIONS[next]!);
      await COMPLETIONS.get(next)?.(connection);
    }
    if (version === 0) await makeOutliers(connection);
    await connection.run("DELETE FROM {format}");
    await connection.run("INSERT INTO {format} VALUES ($1)", [MIGRATIONS.length]);
  });
}

/** The format of a shard; undefined if there is none yet. Throws if it cannot be read. */
export async function readableFormat(
  session: Session,
  mayMigrate = false,
): Promise<number | undefined> {
  const found = await versionOf(session);
  if (found !== undefined && found < OLDEST_READABLE && !mayMigrate) {
    throw new MigrationNeeded(session.place.shown, found, MIGRATIONS.length);
  }
  return found;
}

/** Throws if a shard of this format cannot be written. */
export function checkWritable(session: Session, format: number): void {
  if (format < MIGRATIONS.length) {
    throw new MigrationNeeded(session.place.shown, format, MIGRATIONS.length);
  }
}

/** Checked first: a user of an existing schema may lack the privilege to create one. */
async function makeSchema(connection: Connection, schema: string): Promise<void> {
  const found = await connection.rows("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  if (found.length === 0) await connection.run(`CREATE SCHEMA ${quoted(schema)}`);
}

/** Shorter than the session's timeout, so that the server ends the wait and reports why. */
export const TURN_PATIENCE_MS = 100_000;
const LOCK_NOT_AVAILABLE = "55P03";

/** If this machine disappears, the server releases the lock after a minute instead of hours. */
const NOTICE_OUR_END = `set_config('tcp_keepalives_idle', '30', true),
  set_config('tcp_keepalives_interval', '10', true), set_config('tcp_keepalives_count', '3', true)`;

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
      [`matchbook ${place.schema}`, String(patienceMs)],
    );
  } catch (error) {
    const { cause } = error as { cause?: { errno?: unknown } };
    if (cause?.errno !== LOCK_NOT_AVAILABLE) throw error;
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
  if (version !== undefined && version > MIGRATIONS.length) {
    throw new StoreError(
      `${place.shown} was written by a newer Matchbook (format ${version}; this version supports ${MIGRATIONS.length}); upgrade Matchbook to use it`,
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
