/** Examines a shard in PostgreSQL and its replicas for `matchbook doctor`. Reads only, with short time limits. */

import { closing } from "../../domain/awaitable.ts";
import { findings } from "../core/findings.ts";
import { readSummary } from "../core/summary.ts";
import type { ExaminedReplica, ExaminedServer, ExaminedShard } from "../examined.ts";
import { run } from "../steps.ts";
import { postgresEngine } from "./engine.ts";
import { checkOwner, formatOf } from "./open.ts";
import { type Replicas, ReplicaWatch } from "./replica-health.ts";
import { type PostgresTarget, Session } from "./session.ts";
import { readBytes } from "./size.ts";

const briefSession = (target: PostgresTarget): Session =>
  new Session({ ...target, pool: 1 }, { readMs: 3000, writeMs: 3000 });

/** Throws StoreError if it cannot be reached or read, has another format, or belongs to another shard. */
export async function examineDatabase(
  shard: string,
  target: PostgresTarget,
  replicas: Replicas | undefined,
): Promise<ExaminedShard | "empty"> {
  await using session = closing(briefSession(target));
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
    server: { ...server, replicas: replicas ? await examineReplicas(target, replicas) : [] },
  };
}

async function examineServer(session: Session): Promise<Omit<ExaminedServer, "replicas">> {
  const [row] = await session.rows<Omit<ExaminedServer, "replicas">>(
    `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS "isReplica",
       current_setting('data_checksums') = 'on' AS "hasDataChecksums",
       ARRAY(SELECT name::text FROM pg_settings WHERE name IN ('fsync', 'full_page_writes')
         AND setting = 'off' ORDER BY name) AS "unsafeSettings"`,
  );
  return row!;
}

/** How many connections the server allows to this user and database, from all clients together. Throws StoreError. */
export async function allowedConnections(target: PostgresTarget): Promise<number> {
  await using session = closing(briefSession(target));
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
}

/** As a server that has just started judges them. */
async function examineReplicas(
  target: PostgresTarget,
  replicas: Replicas,
): Promise<ExaminedReplica[]> {
  const reasons = new Map<number, string | undefined>();
  const watch = new ReplicaWatch(target, replicas, ({ replica, reason }) => {
    reasons.set(replica, reason);
  });
  await watch.check();
  await watch.close();
  return replicas.places.map(({ shown }, at) => ({ shown, reason: reasons.get(at + 1) }));
}
