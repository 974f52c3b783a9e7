/** A shard with a replica: which one is read, what is reported, starts without the primary, and recovery without a restart. */

import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { postgresRows } from "../support/engine-postgres.ts";
import { matchbook } from "../support/process.ts";
import {
  PASSWORD,
  type ReplicatedServer,
  served,
  startReplicated,
  takesInAndServes,
  whileReplicaIsRead,
} from "../support/replicated.ts";
import { testLong } from "../support/scale.ts";
import { shared } from "../support/shared.ts";
import { until } from "../support/state.ts";

const pair = shared(() => startReplicated());

/** A server with both replicas, each time with its own shard. */
async function serving(maxLagSeconds: number) {
  const { schema, serve } = await pair.shard(maxLagSeconds);
  return { schema, ...(await serve()) };
}

const pause = () => pair.on(pair.replica, "SELECT pg_wal_replay_pause()");
const resume = () => pair.on(pair.replica, "SELECT pg_wal_replay_resume()");

describe("a replica", () => {
  test("is reported by doctor, with why it is not used", async () => {
    const server = await serving(0);
    const report = async () => {
      const { stdout } = await matchbook(["doctor", "--json", "--config", server.configFile]);
      const { findings } = JSON.parse(stdout) as { findings: Record<string, string>[] };
      return findings
        .filter(({ message }) => message!.startsWith("replica "))
        .map(({ level, message }) => `${level} ${message}`);
    };
    expect(await report()).toEqual([
      expect.stringMatching(/^ok replica .* replicates the primary$/),
    ]);
    await pair.replica.stop();
    try {
      expect(await report()).toEqual([expect.stringMatching(/^warning replica .*: cannot use /)]);
    } finally {
      await pair.replica.start();
    }
    await server.stop();
  });

  // Which lag is too much is in test/unit/postgres-replica-health.test.ts.
  test("within the lag limit is used, and one beyond it is not", async () => {
    const [patient, strict] = [await serving(1000), await serving(1)];
    const known = await served(patient.get, 0);
    await pause();
    try {
      // Only the replica does not have them, and it stays behind.
      for (const { settings } of [patient, strict]) await pair.takeIn(settings, 20, 40);
      const [fresh, old] = await whileReplicaIsRead(patient, async () => {
        const statuses = new Set<number>();
        for (let at = 20; at < 40; at++) statuses.add(await patient.get(at));
        return [[...statuses], await patient.get(known)];
      });
      expect([fresh, old]).toEqual([[404], 200]);
      await until("a new match is served by the primary", async () => {
        for (let at = 20; at < 40; at++) if ((await strict.get(at)) === 200) return true;
        return undefined;
      });
    } finally {
      await resume();
    }
    await strict.stop();
    await patient.stop();
  });

  test("of an idle primary does not lag, and serves reads while the primary is unavailable", async () => {
    const server = await serving(1);
    const known = await served(server.get, 0);
    const players = (await server.read("/shards/na/players")).data as { id: string }[];
    const playedWith = async () => {
      const lists = players.map(({ id }) => server.read(`/shards/na/players/${id}/played-with`));
      return (await Promise.all(lists)).flatMap(({ data }) => data as object[]);
    };
    const before = await playedWith();
    expect(before.length).toBeGreaterThan(0);
    await pair.primary.stop("immediate");
    try {
      expect(await whileReplicaIsRead(server, playedWith)).toEqual(before);
      const statuses = await whileReplicaIsRead(server, async () => {
        const found = new Set<number>();
        const began = performance.now();
        await until("it was read for longer than the lag limit", async () => {
          found.add(await server.get(known));
          return performance.now() - began > 2500;
        });
        return [...found];
      });
      expect(statuses).toEqual([200]);
    } finally {
      await pair.primary.start();
    }
    await takesInAndServes(pair, server);
    await server.stop();
  });

  test("that stops causes no errors, and is used again when it is back; the log, the metrics and /status report each change once, without secrets", async () => {
    const server = await serving(5);
    const known = await served(server.get, 0);
    await until("the replica is in use", async () => (await server.replicaMetric()) === 1);
    await pair.replica.stop("immediate");
    for (let round = 0; round < 10; round++) expect(await server.get(known)).toBe(200);
    const isExcluded = () => changes(server).at(-1)?.event === "replica-excluded";
    await until("the replica is left out", isExcluded);
    // It is checked every second and on every scrape; only changes are reported.
    expect(await server.replicaMetric()).toBe(0);
    expect((await server.status()).shards[0].replicas).toEqual({ listed: 1, inUse: 0 });
    await pair.replica.start();
    await until("the replica is in use again", async () => (await server.replicaMetric()) === 1);
    const events = changes(server).map(({ event }) => event);
    expect(events.filter((event, at) => event === events[at - 1])).toEqual([]);
    expect(events.at(-1)).toBe("replica-included");
    expect(changes(server)).toContainEqual({ event: "replica-included", shard: "na", replica: 1 });
    expect(JSON.stringify(server.events)).not.toContain(PASSWORD);
    expect(JSON.stringify(await server.status())).not.toContain("127.0.0.1");
    // Without the primary, only the replica can respond: at first, perhaps none does.
    await pair.primary.stop("immediate");
    try {
      await until("the replica answers alone", async () => (await server.get(known)) === 200);
      await pair.replica.stop("immediate");
      // Both stay stopped.
      expect(await server.get(known)).toBe(503);
    } finally {
      await pair.primary.start();
      await pair.replica.start();
    }
    await until("both are back", async () => (await server.get(known)) === 200);
    await server.stop();
  });

  testLong("that cancels a query because of replication is retried, and stays in use", async () => {
    const server = await serving(1000);
    const known = await served(server.get, 0);
    await pair.on(pair.primary, endingOneReader(server.schema));
    await pair.caughtUp();
    await until("a reader was ended", async () => {
      expect(await server.get(known)).toBe(200);
      return (await hasEndedOne()) || undefined;
    });
    expect(JSON.stringify(server.events)).not.toContain(CONFLICT);
    await server.stop();
  });
});

const CONFLICT = "canceling statement due to conflict with recovery";
const MARK = 40001;

/**
 * The replica cancels the first query for a match, as in a replication conflict. It cannot write,
 * but an advisory lock outlives the statement.
 */
const endingOneReader = (schema: string) => `
  CREATE FUNCTION ${schema}.goes_on() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    IF pg_is_in_recovery() AND NOT EXISTS (${MARKED}) THEN
      PERFORM pg_advisory_lock(${MARK});
      RAISE EXCEPTION '${CONFLICT}' USING ERRCODE = '40001';
    END IF;
    RETURN true;
  END $$;
  ALTER TABLE ${schema}.documents RENAME TO all_documents;
  CREATE VIEW ${schema}.documents AS SELECT * FROM ${schema}.all_documents WHERE ${schema}.goes_on()`;

const MARKED = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${MARK}`;

const hasEndedOne = async () =>
  (await pair.on<{ has: boolean }>(pair.replica, `SELECT EXISTS (${MARKED}) AS has`)).has;

const changes = ({ events }: ReplicatedServer) =>
  events.filter(({ event }) => event.startsWith("replica-"));

test("a server that starts while the primary is unavailable reads from the replica, and writes when it is back", async () => {
  const shard = await pair.shard(5);
  await pair.primary.stop("immediate");
  let server: ReplicatedServer;
  try {
    server = await shard.serve();
    const known = await served(server.get, 0);
    const na = await whileReplicaIsRead(server, async () => (await server.status()).shards[0]);
    expect(await server.get(known)).toBe(200);
    expect(na).toMatchObject({ id: "na", available: true, replicas: { listed: 1, inUse: 1 } });
  } finally {
    await pair.primary.start();
  }
  await takesInAndServes(pair, server);
  await server.stop();
});

test("a server that starts without either responds with 503, then uses whichever is back first", async () => {
  const shard = await pair.shard(5);
  await pair.primary.stop("immediate");
  await pair.replica.stop("immediate");
  const server = await shard.serve();
  try {
    expect(await server.get(0)).toBe(503);
    const [na] = (await server.status()).shards;
    expect(na).toMatchObject({ available: false, replicas: { listed: 1, inUse: 0 } });
    expect(await server.replicaMetric()).toBe(0);
    // However often it was retried.
    expect(changes(server).map(({ event }) => event)).toEqual(["replica-excluded"]);
    await pair.replica.start();
    await until("a match is served from the replica", async () => {
      for (let at = 0; at < 20; at++) if ((await server.get(at)) === 200) return true;
      return undefined;
    });
    await until("the replica is in use", async () => (await server.replicaMetric()) === 1);
  } finally {
    await pair.primary.start();
  }
  await server.stop();
});

testLong("a replica whose format is too old to be read is not used", async () => {
  const shard = await pair.shard(5);
  const sql = new SQL({ url: pair.primary.url, max: 1 });
  await postgresRows(sql, shard.schema).changeFormat(() => 1);
  await sql.close();
  await pair.caughtUp();
  await pair.primary.stop("immediate");
  try {
    const server = await shard.serve();
    expect(await server.get(0)).toBe(503);
    await until("the replica is left out", () => {
      const last = changes(server).at(-1);
      return last?.event === "replica-excluded" && last.why.includes("development version")
        ? true
        : undefined;
    });
    expect(await server.get(0)).toBe(503);
    await server.stop();
  } finally {
    await pair.primary.start();
  }
});
