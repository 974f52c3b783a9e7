/** Examines a shard in PostgreSQL and its replicas for `matchbook doctor`. Reads only, with short time limits. */

import { findings } from "../core/findings.ts";
import { readSummary } from "../core/summary.ts";
import type { ExaminedReplica, ExaminedServer, ExaminedShard, ReplicaLag } from "../examined.ts";
import { run } from "../steps.ts";
import { readBytes } from "./compact.ts";
import { postgresEngine } from "./engine.ts";
import { checkOwner, formatOf } from "./open.ts";
import { Primary } from "./replica-health.ts";
import { type Patience, type PostgresTarget, Session } from "./session.ts";

const PATIENCE: Patience = { readMs: 3000, writeMs: 3000 };

/** Throws StoreError if it cannot be reached or read, has another format, or belongs to another shard. */
export async function examineDatabase(
  shard: string,
  target: PostgresTarget,
  replicas: readonly PostgresTarget[],
): Promise<ExaminedShard | "empty"> {
  return withSession(target, async (session) => {
    const server = await examineServer(session);
    const format = await formatOf(session);
    if (format === undefined) return "empty";
    await checkOwner(session, shard);
    const engine = postgresEngine(session);
    return {
      format,
      summary: await run(engine, readSummary()),
      findings: await run(engine, findings.findings()),
      bytes: await readBytes(session),
      server: { ...server, replicas: await examineReplicas(session, replicas) },
    };
  });
}

async function examineServer(session: Session): Promise<ExaminedServer> {
  // The connection is opened by the first statement, and must not count for the comparison of the clocks.
  const [row] = await session.rows<Omit<ExaminedServer, "clockAheadMs" | "replicas">>(
    `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS "isReplica",
       current_setting('data_checksums') = 'on' AS "hasDataChecksums",
       ARRAY(SELECT name::text FROM pg_settings WHERE name IN ('fsync', 'full_page_writes')
         AND setting = 'off' ORDER BY name) AS "unsafeSettings"`,
  );
  const before = Date.now();
  const [clock] = await session.rows<{ now: number }>(
    "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now",
  );
  const clockAheadMs = Math.round(clock!.now - (before + Date.now()) / 2);
  return { ...row!, clockAheadMs, replicas: [] };
}

/** How many connections the server allows to this user and database, from all clients together. Throws StoreError. */
export function allowedConnections(target: PostgresTarget): Promise<number> {
  return withSession(target, async (session) => {
    const [row] = await session.rows<{ allowed: number }>(
      `SELECT least(
         current_setting('max_connections')::integer
           - (SELECT sum(setting::integer) FROM pg_settings
              WHERE name IN ('superuser_reserved_connections', 'reserved_connections')),
         (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
         (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())
       )::integer AS allowed`,
    );
    return row!.allowed;
  });
}

function examineReplicas(
  primary: Session,
  replicas: readonly PostgresTarget[],
): Promise<ExaminedReplica[]> {
  return Promise.all(
    replicas.map(async (target) => {
      const { shown } = target;
      try {
        return { shown, state: await withSession(target, (session) => lagOf(session, primary)) };
      } catch (error) {
        return { shown, state: { error: error as Error } };
      }
    }),
  );
}

/** The replica's state is read first, so that the primary cannot be behind it. */
async function lagOf(session: Session, primary: Session): Promise<ReplicaLag> {
  const [state] = await session.rows<{
    sequence: number;
    token: string;
    lastReplayMs: number | null;
  }>(
    `SELECT sequence::float8 AS sequence, token, extract(epoch FROM
       clock_timestamp() - pg_last_xact_replay_timestamp())::float8 * 1000 AS "lastReplayMs"
     FROM {shard}`,
  );
  const isCopy = (await new Primary(primary, Date.now).judge(state!)) === "own";
  const [latest] = await primary.rows<{ sequence: number }>(
    "SELECT sequence::float8 AS sequence FROM {shard}",
  );
  const behind = Math.max(0, latest!.sequence - state!.sequence);
  return { isCopy, behind, lastReplayMs: state!.lastReplayMs ?? undefined };
}

async function withSession<T>(
  target: PostgresTarget,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = new Session({ ...target, pool: 1 }, PATIENCE);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}
