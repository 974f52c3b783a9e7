/** Failures between Matchbook and PostgreSQL: bounded, reported, and resolved without a restart. */

import { afterAll, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { SQL } from "bun";
import { PostgresDatabase } from "../../src/access/postgres/database.ts";
import { Pool } from "../../src/postgres/pool.ts";
import { viewOf } from "../../src/store/byte-range.ts";
import { readShard } from "../../src/store/core/shard.ts";
import { readSummary } from "../../src/store/core/summary.ts";
import { HIGHEST_NUMBER } from "../../src/store/match-document.ts";
import { postgresEngine } from "../../src/store/postgres/engine.ts";
import { PostgresReader } from "../../src/store/postgres/reader.ts";
import { PATIENCE, type Patience, Session } from "../../src/store/postgres/session.ts";
import { PostgresWriter } from "../../src/store/postgres/writer.ts";
import { run } from "../../src/store/steps.ts";
import { StoreError, StoreUnavailable } from "../../src/store/store.ts";
import { SHARD } from "../../src/store/tables.ts";
import { addPlainly, anEntry, idsOf, selection, serve } from "../conformance/entries.ts";
import { rowsOf } from "../support/engine-postgres.ts";
import { startCluster } from "../support/postgres.ts";
import { testLong } from "../support/scale.ts";
import { shared } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { startProxy, type TcpProxy } from "../support/tcp-proxy.ts";

let made = 0;
const closed: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closed) await close().catch(() => {});
});
const cluster = shared(() => startCluster());

interface Wishes {
  schema?: string;
  port?: number;
  pool?: number;
  patience?: Patience;
}

function aSession({ schema, port = cluster.port, pool = 3, patience }: Wishes = {}): Session {
  const url = `postgres://matchbook@127.0.0.1:${port}/postgres`;
  const name = schema ?? `faults_${++made}`;
  const target = { url, shown: "the test's database", schema: name, prepares: true, pool };
  const session = patience ? new Session(target, patience) : new Session(target);
  closed.push(() => session.close());
  return session;
}

async function aShard(wishes: Wishes = {}) {
  const session = aSession(wishes);
  const { schema } = session.place;
  const writer = new PostgresWriter(session, "na");
  await writer.ready();
  const reader = (more: Wishes = {}) =>
    new PostgresReader(aSession({ ...wishes, schema, ...more }), 1 << 16);
  return { schema, session, writer, reader };
}

const ids = async (reader: PostgresReader) => idsOf(await reader.matches(selection()));
const player = (id: string) => ({ players: { [id]: "won" as const } });

/** The error, and after how many milliseconds. */
async function failure(work: () => Promise<unknown>): Promise<{ error: unknown; after: number }> {
  const began = performance.now();
  const error = await work().then(
    () => undefined,
    (thrown) => thrown,
  );
  return { error, after: performance.now() - began };
}

describe("a server that hangs", () => {
  test("is unavailable for readers after a limit, and available again when it continues", async () => {
    expect(PATIENCE.readMs).toBe(5000);
    const { writer, reader } = await aShard();
    await serve(writer, anEntry("a", player("p")));
    const one = reader({ patience: { readMs: 1500, writeMs: 1500 } });
    expect(await ids(one)).toEqual(["a"]);
    cluster.pause();
    try {
      const failures = await Promise.all([
        failure(() => one.matches(selection())),
        // More than there are connections.
        ...Array.from({ length: 8 }, () => failure(async () => one.match("a"))),
      ]);
      for (const { error } of failures) expect(error).toBeInstanceOf(StoreUnavailable);
      // Those that wait for a connection do not wait for others to reach the limit first.
      const times = failures.map(({ after }) => after);
      expect(Math.max(...times)).toBeLessThan(2 * Math.min(...times));
    } finally {
      cluster.goOn();
    }
    expect(await ids(one)).toEqual(["a"]);
    expect(idsOf((await one.match("a"))!)).toEqual(["a"]);
  });

  testLong("does not hold a transaction for ever, and nothing of it is stored", async () => {
    const { writer, schema, reader } = await aShard({ patience: { readMs: 500, writeMs: 1000 } });
    await serve(writer, anEntry("a", player("p")));
    // It hangs until the transaction has failed.
    const { error } = await failure(() =>
      writer.write(async (transaction) => {
        await addPlainly(transaction, [anEntry("b", player("p"))]);
        cluster.pause();
        await transaction.putPlayers([]);
        await transaction.known(["a"]);
      }),
    ).finally(() => cluster.goOn());
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(await ids(reader({ schema, patience: { readMs: 5000, writeMs: 5000 } }))).toEqual(["a"]);
    await serve(writer, anEntry("c", player("p")));
  });
});

describe("a transaction without a response to its COMMIT", () => {
  async function onALine() {
    const line = await startProxy(cluster.port);
    const shard = await aShard({ port: line.port });
    const direct = shard.reader({ port: cluster.port });
    return { line, ...shard, direct };
  }

  test("is resolved as committed if it was", async () => {
    const { line, writer, direct } = await onALine();
    loseCommit(line, "answer");
    await serve(writer, anEntry("a", player("p")));
    expect(await ids(direct)).toEqual(["a"]);
    line.stop();
  });

  test("fails if it was not committed, and the writer can be used again", async () => {
    const { line, writer, direct } = await onALine();
    loseCommit(line, "question");
    const { error } = await failure(() => serve(writer, anEntry("a", player("p"))));
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(await ids(direct)).toEqual([]);
    await serve(writer, anEntry("a", player("p")));
    expect(await ids(direct)).toEqual(["a"]);
    line.stop();
  });
});

describe("a writer in the middle of a transaction", () => {
  test("that is frozen loses its turn: others write, and nothing of it is stored", async () => {
    const line = await startProxy(cluster.port);
    const { schema, writer, reader } = await aShard();
    const frozen = new PostgresWriter(aSession({ schema, port: line.port }), "na", Date.now, 3000);
    const goOn = Promise.withResolvers<void>();
    const hasBegun = Promise.withResolvers<void>();
    const lost = failure(() =>
      frozen.write(async (transaction) => {
        await addPlainly(transaction, [anEntry("a", player("p"))]);
        line.freeze();
        hasBegun.resolve();
        await goOn.promise;
        throw new Error("it went on");
      }),
    );
    await hasBegun.promise;
    await serve(writer, anEntry("b", player("p")));
    goOn.resolve();
    line.stop();
    expect((await lost).error).toBeDefined();
    expect(await ids(reader())).toEqual(["b"]);
  });

  testLong("that is busy with something else keeps its turn", async () => {
    const { schema } = await aShard();
    const patient = new PostgresWriter(aSession({ schema }), "na", Date.now, 30_000);
    const watching = aSession();
    /** When it last sent a statement in this transaction. */
    const lastSign = async () => {
      const [row] = await watching.rows<{ at: string }>(
        `SELECT state_change::text AS at FROM pg_stat_activity JOIN pg_locks USING (pid)
         WHERE locktype = 'advisory' AND granted AND state = 'idle in transaction'`,
      );
      return row?.at;
    };
    await patient.write(async (transaction) => {
      await addPlainly(transaction, [anEntry("a", player("p"))]);
      const first = await until("it waits", lastSign);
      await until("it shows that it works", async () => ((await lastSign()) ?? first) !== first);
    });
    const [found] = await patient.survey(async (state) => state.load(["a"]));
    expect(found?.fate.state).toBe("served");
  });
});

testLong(
  "a process that is frozen while it changes keys does not keep others from changing them",
  async () => {
    const line = await startProxy(cluster.port);
    const keysThrough = (port: number) => {
      const url = `postgres://matchbook@127.0.0.1:${port}/postgres`;
      const place = { shown: "the test's keys", schema: "frozen_keys", prepares: true, pool: 2 };
      const database = new PostgresDatabase({ url, ...place });
      closed.push(() => database.close());
      return database;
    };
    const [frozen, other] = [keysThrough(line.port), keysThrough(cluster.port)];
    const goOn = Promise.withResolvers<void>();
    const hasBegun = Promise.withResolvers<void>();
    const lost = failure(() =>
      frozen.transaction(async (connection) => {
        await frozen.markKeysChanged(connection);
        line.freeze();
        hasBegun.resolve();
        await goOn.promise;
        throw new Error("it went on");
      }),
    );
    await hasBegun.promise;
    const change = () => other.transaction((connection) => other.markKeysChanged(connection));
    await until("the other changes them", async () => (await failure(change)).error === undefined);
    goOn.resolve();
    line.stop();
    expect((await lost).error).toBeDefined();
  },
);

test("a transaction with a failed statement cannot be reported as committed", async () => {
  const { session } = await aShard();
  const { error } = await failure(() =>
    session.transaction("READ COMMITTED", async (connection) => {
      await connection.run("SELECT 1 / 0").catch(() => {});
    }),
  );
  expect(error).toBeInstanceOf(StoreError);
});

describe("connections", () => {
  test("that the server closed while idle cause no errors", async () => {
    const { writer, reader } = await aShard();
    await serve(writer, anEntry("a", player("p")));
    const one = reader();
    const other = aSession({ pool: 1 });
    for (let round = 0; round < 3; round++) {
      await Promise.all([ids(one), ids(one), ids(one)]);
      await other.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
      );
      expect(await ids(one)).toEqual(["a"]);
      await writer.write(async (transaction) => {
        expect((await transaction.known(["a"])).size).toBe(1);
      });
    }
  });

  test("that hang are replaced by new ones", async () => {
    const line = await startProxy(cluster.port);
    const { writer, reader } = await aShard();
    await serve(writer, anEntry("a", player("p")));
    const one = reader({ port: line.port, patience: { readMs: 700, writeMs: 700 } });
    await Promise.all([ids(one), ids(one), ids(one)]);
    line.freeze();
    // The line stays frozen.
    const { error } = await failure(() => ids(one));
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(await ids(one)).toEqual(["a"]);
    line.stop();
  });

  test("to a server that has become read-only are replaced: another one may be the primary", async () => {
    const { schema, reader } = await aShard();
    const writer = new PostgresWriter(aSession({ schema }), "na");
    const sql = new SQL(cluster.url, { max: 1 });
    // For connections that are opened from now on.
    await sql.unsafe("ALTER DATABASE postgres SET default_transaction_read_only = on");
    const write = () => serve(writer, anEntry("a", player("p")));
    expect((await failure(write)).error).toBeInstanceOf(StoreUnavailable);
    await sql.unsafe("ALTER DATABASE postgres RESET default_transaction_read_only");
    await sql.close();
    // The connection of the first attempt would refuse it.
    await write();
    expect(await ids(reader())).toEqual(["a"]);
  });

  /** A pool with a user of its own, and how many connections it has. */
  async function aPool(size: number, limit: number, idleSeconds = 60) {
    const user = `pool_${++made}`;
    const sql = new SQL(cluster.url, { max: 1 });
    await sql.unsafe(`CREATE ROLE ${user} LOGIN CONNECTION LIMIT ${limit}`);
    const url = cluster.url.replace("matchbook@", `${user}@`);
    const pool = new Pool(url, { size, prepares: true, settings: {}, idleSeconds });
    closed.push(async () => {
      await pool.close();
      await sql.close();
    });
    const open = async () =>
      (await sql`SELECT 1 FROM pg_stat_activity WHERE usename = ${user}`).length;
    return { pool, open, query: () => pool.query("SELECT pg_sleep(0.01)", [], 20_000) };
  }
  const several = (count: number, work: () => Promise<unknown>) =>
    Promise.all(Array.from({ length: count }, work));

  test("are opened when they are needed, and closed when they are idle", async () => {
    const { pool, open, query } = await aPool(4, -1, 0.2);
    expect(await open()).toBe(0);
    await query();
    await query();
    expect(await open()).toBeLessThanOrEqual(1);
    await several(40, () => pool.query("SELECT pg_sleep(0.05)", [], 20_000));
    expect(await open()).toBeLessThanOrEqual(4);
    await until("all are closed", async () => (await open()) === 0);
    await query();
  });

  test("are never all taken by transactions, which wait for each other instead", async () => {
    const { pool, query } = await aPool(3, -1);
    const [first, second] = [await pool.reserve(20_000), await pool.reserve(20_000)];
    let isThird = false;
    const third = pool.reserve(20_000).then((reserved) => {
      isThird = true;
      return reserved;
    });
    await several(20, query);
    expect(isThird).toBe(false);
    second.release();
    (await third).release();
    first.discard();
    await query();
  });

  test("that the server refuses because there are too many are not missed", async () => {
    const { pool, open, query } = await aPool(10, 2);
    const transaction = async () => {
      const reserved = await pool.reserve(20_000);
      await reserved.query("SELECT pg_sleep(0.01)", [], 20_000);
      reserved.release();
    };
    await several(30, query);
    await Promise.all([several(10, transaction), several(30, query)]);
    expect(await open()).toBeLessThanOrEqual(2);
  });

  testLong("hold few prepared statements, however many pages are read", async () => {
    const { writer, session, schema } = await aShard({ pool: 1 });
    await serve(writer, ...["a", "b", "c"].map((id) => anEntry(id, player("p"))));
    const one = new PostgresReader(session, 1 << 16);
    for (let offset = 0; offset < 40; offset++) {
      await one.matches(
        selection({ pageStart: { from: "offset", offset }, players: [["p", "q"]] }),
      );
    }
    const [row] = await session.rows<{ found: string }>(
      "SELECT count(*) AS found FROM pg_prepared_statements WHERE statement LIKE '%OFFSET%'",
    );
    expect([schema, Number(row!.found)]).toEqual([schema, 1]);
  });
});

test("a reader drops cached changes that the database has lost", async () => {
  const { writer, reader, schema } = await aShard();
  await serve(writer, anEntry("a", { players: { p: "won", q: "won" } }));
  const one = reader();
  const names = async () =>
    (await one.match("a"))!.players.map(({ resource }) => Buffer.from(viewOf(resource)).toString());
  const put = (id: string, text: string) =>
    writer.write(async (transaction) => {
      const [row] = await reader().players([id]);
      await transaction.putPlayers([
        {
          ...row!,
          resource: Buffer.from(text),
          totals: { played: 1, wins: 1, playedRanked: 0, rankedWins: 0, gold: 0n },
          skillTier: undefined,
          run: 1,
          latest: { createdAt: 1000, matchId: "a" },
        },
      ]);
    });
  const sql = new SQL({ url: cluster.url, max: 1 });
  const restore = await rowsOf(sql, schema);
  await put("p", "lost");
  expect(await names()).toEqual(["lost", "player q"]);
  // As after a failover to a server that lacked the last transaction.
  await restore();
  await sql.close();
  await put("q", "new");
  expect(await names()).toEqual(["player p", "new"]);
});

test("running out of player numbers is reported, with what to do", async () => {
  const { writer, session } = await aShard();
  const engine = postgresEngine(session);
  await engine.put(SHARD, [
    { ...(await run(engine, readShard())), last_player: HIGHEST_NUMBER - 1 },
  ]);
  await serve(writer, anEntry("a", player("p")));
  const { error } = await failure(() => serve(writer, anEntry("b", player("q"))));
  expect(error).toBeInstanceOf(StoreError);
  expect(error).not.toBeInstanceOf(StoreUnavailable);
  expect(String(error)).toContain("shards move");
});

testLong("a batch of 10,000 records and 64 MB is stored completely", async () => {
  const { writer, reader } = await aShard();
  const encoded = new Uint8Array(6600).fill(7);
  const entries = Array.from({ length: 10_000 }, (_, index) => ({
    ...anEntry(`m${index}`, { createdAt: index, players: { [`p${index % 500}`]: "won" } }),
    encoded,
  }));
  await serve(writer, ...entries);
  const one = reader();
  expect((await one.read(readSummary)).matches).toBe(10_000);
  expect(Buffer.from(viewOf((await one.match("m9999"))!.matches[0]!))).toEqual(
    Buffer.from(encoded),
  );
});

/** The next COMMIT never arrives, or its response never does. */
function loseCommit(line: TcpProxy, lost: "question" | "answer"): void {
  let answered: Socket | undefined;
  line.fate = (bytes, client, isReply) => {
    if (!isReply && bytes.includes("COMMIT\0")) answered = client;
    if (answered !== client || isReply !== (lost === "answer")) return "passes";
    line.fate = () => "passes";
    return "cut";
  };
}
