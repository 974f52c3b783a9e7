/** Creates a shard's schema under a lock. */

import { isLockTimeout } from "../../postgres/errors.ts";
import { DECLARED } from "../all-tables/declared.ts";
import { newDerived } from "../all-tables/derived.ts";
import { newShard } from "../core/shard.ts";
import { checkFormat, FORMAT } from "../formats.ts";
import { OtherOwner, StoreRefuses } from "../store.ts";
import { DERIVED, SHARD } from "../tables.ts";
import { postgresEngine } from "./engine.ts";
import { type Connection, quoted, type Session } from "./session.ts";

/** Creates the shard if necessary. Throws StoreError if it has a format that cannot be used, or is another shard. */
export async function prepare(session: Session, shard: string): Promise<void> {
  if ((await formatOf(session)) === undefined) await createShard(session, shard);
  await checkOwner(session, shard);
}

/** Throws OtherOwner if a schema belongs to another shard. */
export async function checkOwner(session: Session, shard: string): Promise<void> {
  const [row] = await session.rows<{ id: string }>("SELECT id FROM {shard}");
  // Without the row the shard is damaged, which its readers report.
  if (row && row.id !== shard) throw new OtherOwner(session.place.shown, shard, row.id);
}

const createShard = (session: Session, shard: string): Promise<void> =>
  session.transaction("READ COMMITTED", async (connection) => {
    await takeTurn(connection, session);
    await makeSchema(connection, session.place.schema);
    await connection.run("CREATE TABLE IF NOT EXISTS {format} (version integer NOT NULL)");
    // Checked again inside the transaction: another process may have created it.
    if ((await formatOf(session, connection)) !== undefined) return;
    const engine = postgresEngine(connection);
    for (const table of DECLARED) await engine.create(table);
    await engine.insert(SHARD, [newShard(shard)]);
    await engine.insert(DERIVED, newDerived());
    await connection.run("INSERT INTO {format} VALUES ($1)", [FORMAT]);
  });

/** Undefined if there is no shard yet. Throws StoreError if it has a format that cannot be used. */
export async function formatOf(
  session: Session,
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
  if (row) checkFormat(shown, row.version);
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
