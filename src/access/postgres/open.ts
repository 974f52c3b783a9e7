/** In charge of the schema of keys and usage: made and brought to the present version once, under a lock. */

import { type Connection, quoted } from "../../postgres/session.ts";
import { AccessError } from "../error.ts";
import { MIGRATIONS } from "./schema.ts";
import type { AccessSession } from "./session.ts";

/** Brings the tables to the present version; makes them if they are not there. */
export async function prepare(session: AccessSession): Promise<void> {
  const { schema } = session.place;
  if ((await versionOf(session, session)) === MIGRATIONS.length) return;
  await session.transaction("READ COMMITTED", async (connection) => {
    await connection.rows("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [
      `matchbook ${schema}`,
    ]);
    // Asked first: who may use a schema that somebody else has made need not have the right to make one.
    if (!(await hasSchema(connection, schema))) {
      await connection.run(`CREATE SCHEMA ${quoted(schema)}`);
    }
    await connection.run("CREATE TABLE IF NOT EXISTS {format} (version integer NOT NULL)");
    // Asked again inside: another process may have been faster.
    const version = (await versionOf(connection, session)) ?? 0;
    for (const statement of MIGRATIONS.slice(version).flat()) await connection.run(statement);
    await connection.run("DELETE FROM {format}");
    await connection.run("INSERT INTO {format} VALUES ($1)", [MIGRATIONS.length]);
  });
}

/** Undefined when there are no tables (yet). Newer ones are refused. */
export async function versionOf(
  connection: Connection,
  { place }: AccessSession,
): Promise<number | undefined> {
  if (!(await hasFormat(connection, place.schema))) return undefined;
  const [row] = await connection.rows<{ version: number }>("SELECT version FROM {format}");
  if (row && row.version > MIGRATIONS.length) {
    throw new AccessError(
      `${place.shown} was written by a newer Matchbook (its format is ${row.version}, this one knows ${MIGRATIONS.length}): upgrade Matchbook`,
    );
  }
  return row?.version;
}

/** By the catalogue's rows: what to_regclass() says may be older than the wait for the lock. */
const hasSchema = async (connection: Connection, schema: string): Promise<boolean> =>
  (await connection.rows("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])).length > 0;

async function hasFormat(connection: Connection, schema: string): Promise<boolean> {
  const found = await connection.rows(
    `SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relname = 'format'`,
    [schema],
  );
  return found.length > 0;
}
