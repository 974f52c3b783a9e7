/** Creates a shard's schema in PostgreSQL and migrates it to the present version, under a lock. */

import { StoreError, StoreRefuses } from "../store.ts";
import { makeOutliers, type Partitions } from "./partitions.ts";
import { COMPLETIONS, MIGRATIONS } from "./schema.ts";
import { type Connection, quoted, type Session } from "./session.ts";

/** Brings the shard to the present version; makes it if it is not there. */
export async function prepare(session: Session, partitions: Partitions, now: number) {
  if ((await versionOf(session)) !== MIGRATIONS.length) {
    await session.transaction("READ COMMITTED", async (connection) => {
      await takeTurn(connection, session);
      await makeSchema(connection, session.place.schema);
      await connection.run("CREATE TABLE IF NOT EXISTS {format} (version integer NOT NULL)");
      // Asked again inside: another process may have been faster.
      const version = (await versionOf(connection, session)) ?? 0;
      for (let next = version; next < MIGRATIONS.length; next++) {
        await runAll(connection, MIGRATIONS[next]!);
        await COMPLETIONS.get(next)?.(connection);
      }
      if (version === 0) await makeOutliers(connection);
      await connection.run("DELETE FROM {format}");
      await connection.run("INSERT INTO {format} VALUES ($1)", [MIGRATIONS.length]);
    });
  }
  // Mostly they are there, and a server that starts need not wait for a writer's turn to end.
  if (await partitions.areAhead(session, now)) return;
  await session.transaction("READ COMMITTED", async (connection) => {
    await takeTurn(connection, session);
    await partitions.makeAhead(connection, now);
  });
}

/** Asked first: who may use a schema that somebody else has made need not have the right to make one. */
async function makeSchema(connection: Connection, schema: string): Promise<void> {
  const found = await connection.rows("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  if (found.length === 0) await connection.run(`CREATE SCHEMA ${quoted(schema)}`);
}

/** Less than the session waits for any answer, so that the server ends the wait, and says why. */
export const TURN_PATIENCE_MS = 100_000;
const LOCK_NOT_AVAILABLE = "55P03";

/** If this machine vanishes, the server gives up our turn after a minute, and not after hours. */
const NOTICE_OUR_END = `set_config('tcp_keepalives_idle', '30', true),
  set_config('tcp_keepalives_interval', '10', true), set_config('tcp_keepalives_count', '3', true)`;

/** Writers take turns, those of other machines too: one transaction a shard at a time. */
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
      `another program has been writing to ${place.shown} for too long, perhaps to move the shard: try again when it is done`,
    );
  }
}

/** Undefined when there is no shard (yet). A newer one is refused. */
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
      `${place.shown} was written by a newer Matchbook (its format is ${version}, this one knows ${MIGRATIONS.length}): update Matchbook to use it`,
    );
  }
  return version;
}

/** One statement after another: several in one text could not have parameters, nor be prepared. */
async function runAll(connection: Connection, statements: string): Promise<void> {
  const bare = statements.replaceAll(/^\s*--.*$/gm, "");
  for (const statement of bare.split(";")) {
    if (statement.trim() !== "") await connection.run(statement);
  }
}
