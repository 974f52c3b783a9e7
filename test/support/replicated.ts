/** A primary and its replicas for tests, and servers over shards stored on all of them. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import type { Settings } from "../../src/settings/definitions.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { TOKEN } from "./admin.ts";
import { demoLines } from "./demo.ts";
import { startInstance } from "./instances.ts";
import { type Cluster, startCluster, startReplica } from "./postgres.ts";
import { until } from "./state.ts";
import { aFolder, ingestInto, makeKey } from "./world.ts";

/** All records are of one shard. */
const RECORDS = demoLines(60, Date.now() - 60_000).map((line) =>
  JSON.parse(line.replaceAll(/"shardId":"[a-z0-9-]+"/g, '"shardId":"na"')),
) as { data: { id: string } }[];

export type ReplicatedServer = Awaited<ReturnType<typeof startServer>>;
export type Replicated = Awaited<ReturnType<typeof startReplicated>>;

export async function startReplicated(count = 1) {
  const folder = aFolder();
  const primary = await startCluster(["wal_level = replica"]);
  const replicas: Cluster[] = [];
  while (replicas.length < count) replicas.push(await startReplica(primary));
  let made = 0;

  const settingsFor = (schema: string, maxLagSeconds: number) => {
    const file = join(folder.path, `${schema}.toml`);
    const toml = [
      `data = "${join(folder.path, schema)}"`,
      'port = 0\ndrain-ms = 0\nrate = 1000000\nmatches-per-day = 0\nlog-level = "silent"',
      // Tests wait for a certain status.
      "open-requests-per-minute = 0",
      "admin-port = 0",
      "[shards.na]",
      `url = "${withPassword(primary)}?schema=${schema}"`,
      `replicas = ${JSON.stringify(replicas.map(withPassword))}`,
      `max-lag-seconds = ${maxLagSeconds}`,
    ];
    writeFileSync(file, `${toml.join("\n")}\n`);
    const env = { MATCHBOOK_ADMIN_TOKEN: TOKEN };
    const { values } = loadSettings({ flags: {}, env, cwd: folder.path, configFile: file });
    return { settings: values, file };
  };

  /** Waits until these replicas (by default all) have everything that the primary has now. */
  const caughtUp = async (those = replicas) => {
    const { at } = await on<{ at: string }>(primary, "SELECT pg_current_wal_lsn() AS at");
    for (const replica of those) {
      await until("the replica has replayed what the primary wrote", async () => {
        const { has } = await on<{ has: boolean }>(
          replica,
          `SELECT pg_last_wal_replay_lsn() >= '${at}'::pg_lsn AS has`,
        );
        return has || undefined;
      });
    }
  };

  return {
    primary,
    /** The first replica. */
    replica: replicas[0]!,
    replicas,
    /** Creates a shard with the first 20 records on all nodes. */
    async shard(maxLagSeconds: number) {
      const schema = `replicas_${++made}`;
      const { settings, file } = settingsFor(schema, maxLagSeconds);
      const { key } = await makeKey({ data: settings.data });
      await ingestInto(settings, RECORDS.slice(0, 20));
      await caughtUp();
      return { schema, serve: () => startServer(settings, file, key) };
    },
    takeIn: (settings: Settings, from: number, to: number) =>
      ingestInto(settings, RECORDS.slice(from, to)),
    on,
    caughtUp,
    remove() {
      for (const replica of replicas) replica.remove();
      primary.remove();
      folder.remove();
    },
  };
}

/** No server requires the password, but it must not appear anywhere. */
export const PASSWORD = "open-sesame";
const withPassword = ({ url }: Cluster) => url.replace("matchbook@", `matchbook:${PASSWORD}@`);

async function startServer(settings: Settings, configFile: string, key: string) {
  const { url, events, get, status, metric, stop } = await startInstance({ settings }, {});
  return {
    settings,
    configFile,
    events,
    /** The status of the response for a match. */
    get: async (at: number): Promise<number> =>
      (await get(`/shards/na/matches/${RECORDS[at]!.data.id}`, key)).status,
    /** The response at a path or link. */
    async read(path: string) {
      const { pathname, search } = new URL(path, url);
      return (await get(`${pathname}${search}`, key)).body;
    },
    status,
    /** Whether the replica is in use, according to the metrics. */
    async replicaMetric() {
      const samples = await metric("matchbook_shard_replica_in_use");
      return samples.find(({ labels }) => labels.shard === "na" && labels.replica === "1")?.value;
    },
    stop,
  };
}

/** Retries when the replica cancels the statement because of replay. */
async function on<T>(cluster: Cluster, text: string): Promise<T> {
  const sql = new SQL(cluster.url, { max: 1 });
  try {
    const [row] = await until("the statement is not cancelled by replay", async () => {
      try {
        return (await sql.unsafe(text)) as T[];
      } catch (error) {
        if ((error as { errno?: unknown }).errno === CANCELLED_BY_REPLAY) return undefined;
        throw error;
      }
    });
    return row as T;
  } finally {
    await sql.close();
  }
}

/** The SQLSTATE of a conflict with recovery on a replica. */
const CANCELLED_BY_REPLAY = "40001";

/** The index of the first served record from `from` on: some demo records are withheld. */
export async function served(get: (at: number) => Promise<number>, from: number): Promise<number> {
  for (let at = from; ; at++) if ((await get(at)) === 200) return at;
}

/**
 * Runs a round while the replica is in use and returns its result. On a busy machine the replica may be excluded for a
 * moment because it did not respond in time; such a round proves nothing and is repeated.
 */
export async function whileReplicaIsRead<T>(
  { events, status }: Pick<ReplicatedServer, "events" | "status">,
  round: () => Promise<T>,
): Promise<T> {
  const { found } = await until("the replica is in use during a whole round", async () => {
    const { replicas } = (await status()).shards[0];
    if (replicas.inUse !== replicas.listed) return undefined;
    const before = events.length;
    const found = await round();
    const isSlow = events
      .slice(before)
      .some((one) => one.event === "replica-excluded" && !isJudgement(one.why));
    return isSlow ? undefined : { found };
  });
  return found;
}

/** The replica responded, and was excluded because of its state. */
const isJudgement = (why: string) => /behind|no copy|development version/.test(why);

/** Ingests records and waits until one is served: the primary is in use again, and so are its readers. */
export async function takesInAndServes(
  pair: Pick<Replicated, "takeIn">,
  server: Pick<ReplicatedServer, "settings" | "get">,
): Promise<void> {
  await pair.takeIn(server.settings, 20, 40);
  await until("a new match is served", async () => {
    for (let at = 20; at < 40; at++) if ((await server.get(at)) === 200) return true;
    return undefined;
  });
}
