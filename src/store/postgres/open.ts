/** Creates and migrates a shard's schema under a lock. */

import { isLockTimeout } from "../../postgres/errors.ts";
import { DECLARED } from "../all-tables/declared.ts";
import { newDerived } from "../all-tables/derived.ts";
import { newShard } from "../core/shard.ts";
import { checkFormat, FIRST_FORMAT } from "../formats.ts";
import { type OnMigrate, OtherOwner, StoreRefuses } from "../store.ts";
import { DERIVED, SHARD } from "../tables.ts";
import { postgresEngine } from "./engine.ts";
import { MIGRATIONS, type Migration } from "./schema.ts";
import { type Connection, quoted, type Session } from "./session.ts";

/** Creates the shard if necessary, and migrates it if there is an `onMigrate`. Otherwise an older format is refused. */
export async function prepare(
  session: Session,
  shard: string,
  onMigrate?: OnMigrate,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const current = FIRST_FORMAT + migrations.length;
  let format = await formatOf(session, onMigrate !== undefined, migrations);
  if (format !== undefined && format < current) onMigrate?.(format, current);
  while (format !== current) format = await createOrMigrate(session, shard, migrations);
}

/** Throws OtherOwner if a schema belongs to another shard. */
export async function checkOwner(session: Session, shard: string): Promise<void> {
  const [row] = await session.rows<{ id: string }>("SELECT id FROM {shard}");
  // Without the row the shard is damaged, which its readers report.
  if (row && row.id !== shard) throw new OtherOwner(session.place.shown, shard, row.id);
}

/**
 * Migrates to the next format in one transaction: a process that is killed leaves a shard that can be migrated. Returns
 * the format that the shard then has.
 */
const createOrMigrate = (
  session: Session,
  shard: string,
  migrations: readonly Migration[],
): Promise<number> =>
  inTurn(session, async (connection) => {
    await makeSchema(connection, session.place.schema);
    await connection.run("CREATE TABLE IF NOT EXISTS {format} (version integer NOT NULL)");
    // Checked again inside the transaction: another process may have migrated.
    const found = await formatOf(session, true, migrations, connection);
    if (found === undefined) {
      const engine = postgresEngine(connection);
      for (const table of DECLARED) await engine.create(table);
      await engine.insert(SHARD, [newShard(shard)]);
      await engine.insert(DERIVED, newDerived());
    }
    // No other process may see a new shard in between.
    const pending = migrations.slice((found ?? FIRST_FORMAT) - FIRST_FORMAT);
    const steps = found === undefined ? pending : pending.slice(0, 1);
    for (const step of steps) await step(connection);
    const reached = (found ?? FIRST_FORMAT) + steps.length;
    await connection.run("DELETE FROM {format}");
    await connection.run("INSERT INTO {format} VALUES ($1)", [reached]);
    return reached;
  });

const inTurn = <T>(session: Session, work: (connection: Connection) => Promise<T>): Promise<T> =>
  session.transaction("READ COMMITTED", async (connection) => {
    await takeTurn(connection, session);
    return work(connection);
  });

/** Undefined if there is no shard yet. Throws StoreError if it has a format that cannot be used. */
export async function formatOf(
  session: Session,
  mayMigrate = false,
  migrations: readonly Migration[] = MIGRATIONS,
  connection: Connection = session,
): Promise<number | undefined> {
  const { schema, shown } = session.place;
  const found = await connection.rows(
    `SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relname = 'format'`,
    [schema],
  );
  if (found.length === 0) return undefined;
  const [row] = await connection.rows<{ version: number }>("SELECT version FROM {format}");
  if (row) checkFormat(shown, row.version, FIRST_FORMAT + migrations.length, mayMigrate);
  return row?.version;
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
