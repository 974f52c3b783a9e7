/** Every stored format so far opens, is migrated and serves the same. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { hashKey } from "../../src/access/key.ts";
import { openAccess } from "../../src/open-access.ts";
import { locationOf, migrateShard } from "../../src/open-stores.ts";
import {
  dropSchema,
  EXPECTED,
  killedMigration,
  loadPostgres,
  POSTGRES_FORMAT,
  POSTGRES_SHARD_FORMATS,
  putSqliteKeys,
  putSqliteShard,
  putSqliteUsage,
  SQLITE_KEY_FORMATS,
  SQLITE_SHARD_FORMATS,
} from "../support/formats.ts";
import { TestClock } from "../support/keys.ts";
import { digestAt, lookInto } from "../support/places.ts";
import { aPostgres } from "../support/postgres.ts";
import { aMatch } from "../support/records.ts";
import { describeLong, testLong } from "../support/scale.ts";
import { until } from "../support/state.ts";
import { aFolder, startWorld, type World } from "../support/world.ts";

let postgres: Awaited<ReturnType<typeof aPostgres>>;
beforeAll(async () => {
  postgres = await aPostgres();
});
afterAll(() => postgres.stop());

const schemaOf = (name: string) => `formats_${name}_${process.pid}`;

/** The base URL of links depends on the port. */
const withoutBase = (body: object, url: string): unknown =>
  JSON.parse(JSON.stringify(body).replaceAll(url, ""));

async function expectSameResponses(world: World, except?: string): Promise<void> {
  for (const [path, body] of Object.entries(EXPECTED.responses)) {
    if (path === except) continue;
    const reply = await world.get(path);
    expect(reply.status).toBe(200);
    expect(withoutBase(reply.body, world.url)).toEqual(body);
  }
}

async function expectSameAsRecorded(world: World): Promise<void> {
  await expectSameResponses(world);
  expect(await digestAt(world.data)).toEqual(EXPECTED.digest);
  expect(await lookInto(world.data, async (writer) => writer.counts())).toMatchObject(
    EXPECTED.counts,
  );
}

describe("a shard of an earlier format serves the same pages with the same digest", () => {
  test.each(SQLITE_SHARD_FORMATS)("SQLite, format %d", async (format) => {
    const world = await startWorld();
    putSqliteShard(world.data, format);
    await expectSameAsRecorded(world);
    await world.stop();
  });

  testLong.each(POSTGRES_SHARD_FORMATS)(
    "PostgreSQL, format %d, after a migration",
    async (format) => {
      const { world, location, drop } = await serveFromPostgres(format);
      const migrated = await migrateShard("na", location, () => {});
      expect(migrated).toEqual({ from: format, to: POSTGRES_FORMAT });
      await expectSameAsRecorded(world);
      await drop();
    },
  );
});

let loaded = 0;

async function serveFromPostgres(format: number, clock?: TestClock) {
  const schema = schemaOf(`shard${++loaded}`);
  await loadPostgres(postgres.url, `postgres-shard-${format}`, schema);
  const url = `${postgres.url}?schema=${schema}`;
  const world = await startWorld([], {}, clock, `[shards.na]\nurl = "${url}"\n`);
  const database = new SQL({ url: postgres.url, max: 1 });
  await database.unsafe(`SET search_path = ${schema}`);
  return {
    world,
    url,
    location: locationOf(world.settings, "na"),
    sql: (statement: string) => database.unsafe(statement),
    async drop() {
      await world.stop();
      await database.close();
      await dropSchema(postgres.url, schema);
    },
  };
}

test("a server and ingest leave a PostgreSQL shard of format 2 as it is, which is served but not written", async () => {
  const { world, location, drop } = await serveFromPostgres(2);
  await expectSameAsRecorded(world);
  await expect(world.ingest([aMatch()])).rejects.toThrow(
    `has format 2 and must be migrated to format ${POSTGRES_FORMAT}: make a backup, then run 'matchbook migrate'`,
  );
  expect(await migrateShard("na", location, () => undefined)).toEqual({
    from: 2,
    to: POSTGRES_FORMAT,
  });
  expect((await world.ingest([aMatch()])).report.stored).toBe(1);
  await drop();
});

testLong(
  "the company of a player is the same before and after the migration of a PostgreSQL shard of format 2",
  async () => {
    const clock = new TestClock("2023-03-20T00:00:00Z");
    const { world, location, drop } = await serveFromPostgres(2, clock);
    const expectCompany = async () => {
      const { body } = await world.get("/shards/na/players/ana/company");
      const tallies = body.data.map((one: { id: string; attributes: object }) => [
        one.id,
        one.attributes,
      ]);
      const once = { matches: 1, wins: 1 };
      const never = { matches: 0, wins: 0 };
      expect(tallies).toMatchObject([
        ["arina", { with: never, against: once }],
        ["mei", { with: once, against: never }],
        ["omega", { with: never, against: once }],
      ]);
      clock.advance(30 * 86_400_000);
      expect((await world.get("/shards/na/players/mei/company")).body.data).toEqual([]);
      clock.advance(-30 * 86_400_000);
    };
    await expectCompany();
    await migrateShard("na", location, () => undefined);
    await expectCompany();
    await drop();
  },
);

test("a server keeps serving a PostgreSQL shard while another process migrates it", async () => {
  const { world, url, location, drop } = await serveFromPostgres(2);
  await expectSameResponses(world);
  let isMigrated = false;
  const reading = (async () => {
    while (!isMigrated) await expectSameResponses(world);
  })();
  await killedMigration(url, "after some rows");
  await expectSameResponses(world);
  expect(await migrateShard("na", location, () => undefined)).toEqual({
    from: 3,
    to: POSTGRES_FORMAT,
  });
  isMigrated = true;
  await reading;
  await expectSameAsRecorded(world);
  await drop();
});

testLong(
  "a migration that waits for a long read of a PostgreSQL shard does not keep others from reading it",
  async () => {
    const { world, location, sql, drop } = await serveFromPostgres(2);
    await expectSameResponses(world);
    const other = new SQL({ url: postgres.url, max: 1 });
    const isWaiting = async () => {
      const waiting = await other.unsafe(
        "SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'",
      );
      return waiting.length > 0 || undefined;
    };
    await sql("BEGIN");
    await sql("SELECT count(*) FROM players");
    const migration = migrateShard("na", location, () => undefined);
    await until("the migration waits for the long read", isWaiting);
    await expectSameResponses(world);
    await sql("COMMIT");
    expect(await migration).toEqual({ from: 2, to: POSTGRES_FORMAT });
    await expectSameAsRecorded(world);
    await other.close();
    await drop();
  },
);

describeLong("a damaged row of a PostgreSQL shard of format 2 is reported,", () => {
  test.each([
    ["served", "sheets", "served", "length(served) - 1"],
    ["served", "matches", "carried", "20"],
    ["withheld", "withheld", "sheet", "40"],
    ["withheld", "withheld", "carried", "20"],
  ])("%s: %s.%s", async (_state, table, column, at) => {
    const { world, sql, drop } = await serveFromPostgres(2);
    await sql(
      `UPDATE ${table} SET ${column} = set_byte(${column}, ${at}, 255 - get_byte(${column}, ${at}))`,
    );
    if (column === "served") {
      const [{ id }] = await sql("SELECT id FROM sheets LIMIT 1");
      const reply = await world.get(`/shards/na/matches/${id}`);
      expect([reply.status, reply.body.errors?.[0].code]).toEqual([503, "damaged-data"]);
    }
    await expect(digestAt(world.data)).rejects.toThrow(/is damaged in the store/);
    await drop();
  });
});

testLong(
  "a PostgreSQL row that is damaged before a migration is reported after it, and the rest is served",
  async () => {
    const { world, location, sql, drop } = await serveFromPostgres(2);
    await sql(
      "UPDATE players SET resource = set_byte(resource, 20, 255 - get_byte(resource, 20)) WHERE num = 1",
    );
    await migrateShard("na", location, () => undefined);
    const [{ id }] = await sql("SELECT id FROM players WHERE checksum IS NULL");
    const reply = await world.get(`/shards/na/players/${id}`);
    expect([reply.status, reply.body.errors[0].code]).toEqual([503, "damaged-data"]);
    const [other] = await sql("SELECT id FROM players WHERE checksum IS NOT NULL LIMIT 1");
    expect((await world.get(`/shards/na/players/${other.id}`)).status).toBe(200);
    await drop();
  },
);

const DAYS = [
  {
    day: 20000,
    requests: new Map([
      [200, 5],
      [404, 1],
    ]),
    records: 42,
    lastSeen: 1728000000123,
  },
  {
    day: 20001,
    requests: new Map([
      [200, 2],
      [429, 7],
    ]),
    records: 6,
    lastSeen: 1728086400456,
  },
];

type Access = ReturnType<typeof openAccess>;

/** What was created: a key with terms, a revoked one and, since terms exist, one that expires. */
async function expectKeys({ keys }: Access, secrets: readonly string[], hasTerms: boolean) {
  const terms = hasTerms ? { tier: "community", note: "Grüße", shards: ["na"] } : {};
  expect(await keys.list()).toMatchObject([
    { name: "first", rate: 600, revokedAt: null, ...terms },
    { name: "revoked", revokedAt: expect.any(Number) },
    ...(hasTerms ? [{ name: "expires", expiresAt: Date.parse("2099-02-01T00:00:00Z") }] : []),
  ]);
  const live = new Set((await keys.liveSecrets()).map(({ hash }) => hash));
  // The first secret of a rotated key was replaced, and its overlap ends with time.
  const lasting = hasTerms ? secrets.slice(1) : secrets;
  expect(lasting.map((key) => live.has(hashKey(key)))).toEqual(
    hasTerms ? [true, false, true] : [true, false],
  );
}

/** Quotas were estimates in format 1. */
const NOTHING_COUNTED = { counted: [], position: 0 };

describe("keys and usage of an earlier format are the same, and quotas start over", () => {
  test.each(SQLITE_KEY_FORMATS)("SQLite, keys of format %d", async (format) => {
    const folder = aFolder();
    putSqliteKeys(folder.path, format);
    putSqliteUsage(folder.path);
    const unchanged = openAccess({ data: folder.path }, true);
    const { keyId, day } = (await unchanged.usage.read(0)).at(-1)!;
    expect(await unchanged.usage.distinctMatches(day, keyId)).toBe(0);
    await unchanged.close();
    const access = openAccess({ data: folder.path });
    await expectKeys(access, EXPECTED.keys[`sqlite${format}`], format > 1);
    expect(await access.usage.read(0)).toMatchObject(DAYS);
    expect(await access.usage.countedAfter(0)).toEqual(NOTHING_COUNTED);
    await access.close();
    folder.remove();
  });

  testLong("PostgreSQL, keys and usage of format 1", async () => {
    const schema = schemaOf("keys1");
    await loadPostgres(postgres.url, "postgres-keys-1", schema);
    const place = { url: postgres.url, shown: "the test's", schema, prepares: true, pool: 1 };
    const access = openAccess({ data: "", "keys-database": place });
    await expectKeys(access, EXPECTED.keys.postgres1, true);
    expect(await access.usage.read(0)).toMatchObject(DAYS);
    expect(await access.usage.countedAfter(0)).toEqual(NOTHING_COUNTED);
    await access.close();
    await dropSchema(postgres.url, schema);
  });
});
