/**
 * A shard with a replica: which one is read, what is never returned, and recovery without a
 * restart.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { matchbook } from "../support/process.ts";
import {
  type Replicated,
  served,
  startReplicated,
  takesInAndServes,
  whileReplicaIsRead,
} from "../support/replicated.ts";
import { testLong } from "../support/scale.ts";
import { until } from "../support/state.ts";

let pair: Replicated;

beforeAll(async () => {
  pair = await startReplicated();
});
afterAll(() => pair.remove());

/** A server with both replicas, each time with its own shard. */
async function serving(maxLagSeconds: number) {
  const { schema, serve } = await pair.shard(maxLagSeconds);
  return { schema, ...(await serve()) };
}

const pause = () => pair.on(pair.replica, "SELECT pg_wal_replay_pause()");
const resume = () => pair.on(pair.replica, "SELECT pg_wal_replay_resume()");

describe("a replica", () => {
  test("is reported by doctor: up to date, or with its lag", async () => {
    const server = await serving(0);
    const report = async () => {
      const { stdout } = await matchbook(["doctor", "--json", "--config", server.configFile]);
      const { findings } = JSON.parse(stdout) as { findings: Record<string, string>[] };
      return findings
        .filter(({ message }) => message!.startsWith("replica "))
        .map(({ level, message }) => `${level} ${message}`);
    };
    expect(await report()).toEqual([expect.stringMatching(/^ok replica .* is up to date$/)]);
    await pause();
    try {
      await pair.takeIn(server.settings, 20, 40);
      expect(await report()).toEqual([
        expect.stringMatching(/^warning replica .* lacks the last \d+ transactions/),
      ]);
    } finally {
      await resume();
    }
    await pair.caughtUp();
    await server.stop();
  });

  test("within the lag limit is used, and one beyond it is not", async () => {
    const patient = await serving(1000);
    const known = await served(patient.get, 0);
    await pause();
    try {
      await pair.takeIn(patient.settings, 20, 40);
      // Only the replica does not have them.
      const [fresh, old] = await whileReplicaIsRead(patient, async () => {
        const statuses = new Set<number>();
        for (let at = 20; at < 40; at++) statuses.add(await patient.get(at));
        return [[...statuses], await patient.get(known)];
      });
      expect(fresh).toEqual([404]);
      expect(old).toBe(200);
    } finally {
      await resume();
    }
    await pair.caughtUp();
    await served(patient.get, 20);
    await patient.stop();

    const strict = await serving(1);
    await pause();
    try {
      await pair.takeIn(strict.settings, 20, 40);
      // The replica stays behind: only the lag limit makes the server read the primary.
      await until("a new match is served by the primary", async () => {
        for (let at = 20; at < 40; at++) if ((await strict.get(at)) === 200) return true;
        return undefined;
      });
    } finally {
      await resume();
    }
    await strict.stop();
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

  test("that stops causes no errors, and is used again when it is back", async () => {
    const server = await serving(5);
    const known = await served(server.get, 0);
    await pair.replica.stop("immediate");
    for (let round = 0; round < 10; round++) expect(await server.get(known)).toBe(200);
    await pair.replica.start();
    await until("the replica streams again", isStreaming);
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

const isStreaming = async () =>
  (
    await pair.on<{ found: string }>(
      pair.primary,
      "SELECT count(*) AS found FROM pg_stat_replication",
    )
  ).found !== "0";

const PATIENCE_SECONDS = 150;

testLong(
  "under ingest, with the primary stopped and started, nothing acknowledged is lost",
  async () => {
    const server = await serving(3);
    const acknowledged: number[] = [];
    let isOver = false;
    const ingesting = (async () => {
      for (let at = 20; at < 60 && !isOver; at++) {
        // Like any sender: retries until it is acknowledged.
        const isAcknowledged = async () => {
          try {
            await pair.takeIn(server.settings, at, at + 1);
            return true;
          } catch {
            return undefined;
          }
        };
        // A statement without a response is given up after two minutes.
        await until("a record is acknowledged", isAcknowledged, PATIENCE_SECONDS);
        acknowledged.push(at);
      }
    })();
    const statuses = new Set<number>();
    const known = await served(server.get, 0);
    const asking = (async () => {
      while (!isOver) statuses.add(await server.get(known));
    })();
    for (const enough of [10, 25]) {
      await until(
        `${enough} records are acknowledged`,
        () => acknowledged.length >= enough,
        PATIENCE_SECONDS,
      );
      await pair.primary.stop("immediate");
      // A request on a broken connection may fail; then the replica serves it.
      const isServed = async () => (await server.get(known)) === 200;
      await until("the replica answers while the primary is stopped", isServed);
      await pair.primary.start();
    }
    await ingesting;
    isOver = true;
    await asking;
    expect(acknowledged.length).toBe(40);
    expect(statuses).toContain(200);
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await server.get(known)).toBe(200);
    const { found } = await pair.on<{ found: string }>(
      pair.primary,
      `SELECT count(*) AS found FROM ${server.schema}.records`,
    );
    expect(Number(found)).toBe(60);
    await server.stop();
  },
  600_000,
);
