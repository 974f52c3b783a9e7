/** A server finds damage in PostgreSQL that no request can see, and never takes anything else for damage. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { unobserved } from "../../src/observe/events.ts";
import { examineShard, openShards } from "../../src/open-stores.ts";
import { supervise } from "../../src/workers/supervisor.ts";
import { damageAt } from "../support/check.ts";
import { inflict, keepFor, type RowDamage } from "../support/engine.ts";
import { type PostgresRows, postgresRows } from "../support/engine-postgres.ts";
import { type Instance, startInstance } from "../support/instances.ts";
import { type Cluster, dropSchema, startCluster } from "../support/postgres.ts";
import { ROOT } from "../support/process.ts";
import { pruneAt } from "../support/prune.ts";
import { aMatch, duel } from "../support/records.ts";
import { redactIn } from "../support/redact.ts";
import { costly, testLong } from "../support/scale.ts";
import { until } from "../support/state.ts";
import { JSON_API, startWorld, type World } from "../support/world.ts";

const SOON = { pauseMs: 20, share: 0.5 };
const START = Date.UTC(2026, 0, 1);
const ADA = { id: "ada", name: "Ada" };
const BEA = { id: "bea", name: "Bea" };
const PRUNED_BEFORE = START + 5;
/** Served, withheld and pruned ones, with teams. */
const RECORDS = [
  aMatch({ id: "match-a", createdAt: START + 10, rosters: duel(ADA, BEA) }),
  aMatch({
    id: "match-b",
    createdAt: START + 20,
    rosters: [{ members: [ADA], team: { id: "red", name: "RED" } }, { members: [BEA] }],
  }),
  aMatch({ id: "practice", createdAt: START + 30, mode: "practice", rosters: duel(BEA, ADA) }),
  aMatch({ id: "old", createdAt: START, rosters: duel(BEA, ADA) }),
  aMatch({ id: "eu-1", shard: "eu" }),
];

let cluster: Cluster;
let database: SQL;
let rows: PostgresRows;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

let world: World;
let schema: string;
let made = 0;
beforeEach(async () => {
  schema = `checked_${made++}`;
  world = await startWorld([], {}, undefined, tomlOf(schema));
  await fill();
  database = new SQL({ url: cluster.url, max: 1 });
  rows = postgresRows(database, schema);
});
afterEach(async () => {
  await database.close();
  await world.stop();
});

const tomlOf = (name: string) =>
  `[shards.eu]\n[shards.na]\nurl = "${cluster.url}?schema=${name}"\n`;

async function fill(): Promise<void> {
  await world.ingest(RECORDS);
  await pruneAt(world.settings, "na", PRUNED_BEFORE);
}

const stateOf = async (instance: Pick<Instance, "get">) => {
  const { status, body } = await instance.get("/shards/na/matches/match-a", world.key);
  return status === 200 ? "served" : `${status} ${body.errors[0].code}`;
};

const isSoon = (state: string, instance: Pick<Instance, "get">) =>
  until(`it is ${state}`, async () => (await stateOf(instance)) === state);

/** Waits for this many more passes over a shard. */
async function passes(instance: Instance, shard: string, count: number): Promise<void> {
  const made = () =>
    instance.events.filter((one) => one.event === "shard-checked" && one.shard === shard).length;
  const before = made();
  await until(`${count} passes over ${shard}`, () => made() >= before + count);
}

const CASES: [damage: RowDamage, table: string, record: string][] = [
  [
    { change: "match", which: { id: "match-a" }, to: { mode: "casual" } },
    "match_documents",
    "match-a",
  ],
  [{ remove: "listed match", which: { id: "match-b" } }, "matches", "match-b"],
  [{ remove: "player entry", which: { match: "match-b", result: 1 } }, "player_matches", "match-b"],
  [{ remove: "team entry", which: { match: "match-b" } }, "team_matches", "match-b"],
  [{ change: "team entry", to: { leadsTo: "match-x" } }, "team_matches", "match-x"],
  [
    { change: "player", which: { id: "bea" }, to: ({ wins }) => ({ wins: wins + 1 }) },
    "players",
    "bea",
  ],
  [{ change: "team", which: { id: "red" }, to: { name: "BLU" } }, "teams", "red"],
  [{ remove: "name entry", which: { key: "=ada" } }, "name_index", "ada"],
  [
    { change: "withheld", which: { id: "practice" }, to: { reason: "ending" } },
    "withheld",
    "practice",
  ],
  [{ change: "player base", which: { id: "ada" }, to: { played: 7 } }, "player_base", "ada"],
  [
    {
      change: "actor statistics",
      which: ({ actor }) => actor !== "",
      to: ({ wins }) => ({ wins: wins + 1 }),
    },
    "actor_stats",
    "",
  ],
  // The last one.
  [{ remove: "commit", which: "last" }, "changes", ""],
  [
    { change: "shard", to: ({ matches }) => ({ matches: matches + 1 }) },
    "shard",
    "total of matches",
  ],
];

test("damage of each kind is found and named; the shard is unavailable until it is repaired", async () => {
  const instance = await startInstance(world, {}, SOON);
  await passes(instance, "na", 1);
  expect(await stateOf(instance)).toBe("served");
  for (const [damage, table, record] of CASES) {
    const restore = await keepFor(rows, damage);
    instance.events.length = 0;
    await inflict(rows, damage);
    await until(`${table} is reported`, () =>
      instance.events.some(
        (one) =>
          one.event === "damaged-data" &&
          one.requestId === undefined &&
          one.shard === "na" &&
          one.table === table &&
          (record === "" || one.record === record),
      ),
    );
    await isSoon("503 damaged-data", instance);
    await restore();
    await isSoon("served", instance);
  }
  expect(existsSync(join(world.data, "na.damaged"))).toBe(false);
  const counted = await instance.metric("matchbook_damaged_records_total");
  expect(counted.find(({ labels }) => labels.shard === "na")!.value).toBeGreaterThanOrEqual(
    CASES.length,
  );
  await instance.stop();
}, 120_000);

test("it is recorded for other processes and restarts, until the shard is replaced", async () => {
  const instance = await startInstance(world, {}, SOON);
  // Serves the same data folder, but finds nothing itself.
  const other = await startInstance(world, {});
  await rows.remove("player entry", { match: "match-a" });
  await isSoon("503 damaged-data", instance);
  await isSoon("503 damaged-data", other);
  expect((await other.get("/shards/eu/matches", world.key)).status).toBe(200);
  expect((await other.get("/readyz", world.key)).body.unavailable).toEqual(["na"]);
  await instance.stop();
  await other.stop();
  const record = readFileSync(join(world.data, "na.damaged"), "utf8");
  expect(JSON.parse(record).damage).toContainEqual({ table: "player_matches", record: "match-a" });

  expect(await examineShard(world.settings, "na", [])).toMatchObject({
    damage: expect.stringContaining("table player_matches, record match-a"),
  });

  const restarted = await startInstance(world, {});
  expect(await stateOf(restarted)).toBe("503 damaged-data");
  await dropSchema(cluster.url, schema);
  await fill();
  await isSoon("served", restarted);
  await restarted.stop();
});

testLong("with workers, none serves the damaged shard", async () => {
  await rows.remove("player entry", { match: "match-a" });
  const flags = {
    data: world.data,
    config: join(world.data, "matchbook.toml"),
    workers: 2,
    "log-level": "silent",
    rate: 1_000_000,
  };
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const command = [process.execPath, join(ROOT, "src/main.ts"), "serve", ...words];
  const settings = { ...world.settings, workers: 2 };
  const server = await supervise(settings, () => {}, command, undefined, SOON);
  const headers = { Authorization: `Bearer ${world.key}`, Accept: JSON_API, Connection: "close" };
  const get = async (path: string) => {
    const response = await fetch(`${server.url}${path}`, { headers });
    return { status: response.status, milliseconds: 0, body: await response.json() };
  };
  // Each connection may reach another worker.
  await until("no worker serves it", async () => {
    const states = await Promise.all(Array.from({ length: 16 }, () => stateOf({ get })));
    return states.every((state) => state === "503 damaged-data");
  });
  expect((await get("/shards/eu/matches")).status).toBe(200);
  await server.stop("test");
});

testLong(
  "a database that fails during a pass is not damaged, and the other shards are checked",
  async () => {
    const instance = await startInstance(world, {}, SOON);
    await passes(instance, "na", 1);
    await cluster.stop("immediate");
    await passes(instance, "eu", 2);
    await cluster.start();
    await passes(instance, "na", 1);
    expect(await stateOf(instance)).toBe("served");
    expect(instance.events.filter(({ event }) => event === "damaged-data")).toEqual([]);
    await instance.stop();
  },
);

test("records that are added, replaced, pruned and redacted during passes are not damage", async () => {
  const instance = await startInstance(world, {}, SOON);
  let isOver = false;
  const writing = (async () => {
    for (let round = 0; !isOver; round++) {
      const players = [{ id: `p${round % 7}`, name: `P${round % 5}` }, { id: `q${round % 3}` }];
      const matches = Array.from({ length: 5 }, (_, at) =>
        aMatch({
          id: `busy-${(round + at) % 11}`,
          createdAt: START + 100 + round,
          mode: at === 0 ? "practice" : "casual",
          rosters: duel(players[0]!, players[1]!),
        }),
      );
      await world.ingest(matches, { replace: true, batch: 2 });
      if (round % 4 === 1) await pruneAt(world.settings, "na", START + 95 + round, 1);
      if (round % 8 === 3) await redactIn(world.settings, "na", `p${round % 7}`);
    }
  })();
  await passes(instance, "na", costly(48, 5));
  isOver = true;
  await writing;
  await passes(instance, "na", 2);
  expect(instance.events.filter(({ event }) => /damage|failed/.test(event))).toEqual([]);
  expect(await stateOf(instance)).toBe("404 not-found");
  await instance.stop();
}, 120_000);

/** One pass in small steps. `work` runs once, after the first of them. */
async function passWith(work: () => Promise<unknown>): Promise<string[]> {
  let isDone = false;
  return damageAt(world.settings, "na", 1, async () => {
    if (!isDone) await work();
    isDone = true;
  });
}

testLong(
  "a shard that is migrated by a newer version, or replaced, during a pass is not damaged",
  async () => {
    const migrated = passWith(() => rows.changeFormat((version) => version + 1));
    await expect(migrated).rejects.toThrow("was migrated during the check");
    await rows.changeFormat((version) => version - 1);
    await expect(passWith(() => rows.replaceFormat())).rejects.toThrow(
      "was replaced during the check",
    );
  },
);

testLong("a match that is removed while its entries are looked up is not damage", async () => {
  const shards = openShards(world.settings, unobserved);
  const checker = (await shards.checker("na"))!;
  let step: ReturnType<typeof checker.check> | undefined;
  await database.begin(async (transaction) => {
    await transaction.unsafe(`LOCK TABLE ${rows.table("team entry")} IN ACCESS EXCLUSIVE MODE`);
    step = checker.check(100);
    await until("the step waits for the table", async () => {
      const waiting = await transaction.unsafe("SELECT 1 FROM pg_locks WHERE NOT granted");
      return waiting.length > 0;
    });
    const inTransaction = postgresRows(transaction, schema);
    await inTransaction.remove("team entry", { match: "match-b" });
    await inTransaction.remove("player entry", { match: "match-b" });
    await inTransaction.remove("listed match", { id: "match-b" });
    await inTransaction.remove("match", { id: "match-b" });
  });
  expect((await step!).damage).toEqual([]);
  await checker.close();
  await shards.close();
});

testLong("what a second look does not find is not damage", async () => {
  const removeAll = await rows.hideFromFirstRead("team entry");
  expect(await damageAt(world.settings, "na", 100, () => {})).toEqual([]);
  await removeAll();
  expect(await damageAt(world.settings, "na", 100, () => {})).toContain("team_matches match-b");
});
