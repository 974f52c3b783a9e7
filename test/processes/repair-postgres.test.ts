/** `matchbook repair` of a shard in PostgreSQL: the same guarantees as for files, while servers read the schema. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { ndjson, startAdminWorld } from "../support/admin.ts";
import { type Damage, inflict, overwritten } from "../support/engine.ts";
import { overwritePage, type PostgresRows, postgresRows } from "../support/engine-postgres.ts";
import { digestAt, homeAt, ingestAt, linesOf, matchbookAt, settingsAt } from "../support/places.ts";
import { type Cluster, startCluster } from "../support/postgres.ts";
import { ROOT, spawnMatchbook } from "../support/process.ts";
import { pruneAt } from "../support/prune.ts";
import { aMatch } from "../support/records.ts";
import { redactIn, removeList } from "../support/redact.ts";
import { actorsIn } from "../support/repair.ts";
import { testLong } from "../support/scale.ts";
import { countsOf, until } from "../support/state.ts";
import { damageOf, verified } from "../support/verify.ts";
import { aFolder } from "../support/world.ts";

setDefaultTimeout(120_000);

/** So long that its row needs TOAST. */
const long = aMatch({
  id: "long",
  shard: "na",
  createdAt: "2026-06-30T12:00:00Z",
  stats: { noise: Array.from({ length: 1000 }, () => crypto.randomUUID()).join() },
});
const lines = [...linesOf("na", 60, Date.UTC(2026, 6, 1)), JSON.stringify(long)];
const records = lines.length;
const folder = aFolder();
let cluster: Cluster;
let original: Awaited<ReturnType<typeof stateOf>>;
let made = 0;

const urlOf = (database: string) => {
  const url = new URL(cluster.url);
  url.pathname = `/${database}`;
  return url.href;
};
const sqlAt = (database: string) => new SQL(urlOf(database), { max: 1 });
const homeOf = (database: string) =>
  homeAt(join(folder.path, database), `${urlOf(database)}?schema=na`);

async function run(database: string, ...statements: string[]): Promise<void> {
  const sql = sqlAt(database);
  try {
    for (const statement of statements) await sql.unsafe(statement);
  } finally {
    await sql.close();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape.
async function query(database: string, text: string): Promise<any[]> {
  const sql = sqlAt(database);
  try {
    return [...(await sql.unsafe(text))];
  } finally {
    await sql.close();
  }
}

/** The inside of the shard in a database. */
async function inside<T>(database: string, work: (rows: PostgresRows) => Promise<T>): Promise<T> {
  const sql = sqlAt(database);
  try {
    return await work(postgresRows(sql, "na"));
  } finally {
    await sql.close();
  }
}

/** Everything that the shard serves and holds, and what a check of it finds. */
async function stateOf(data: string) {
  const { digest } = await digestAt(data);
  const counts = (await countsOf(data)).na!;
  const damage = damageOf(await verified(settingsAt(data), "na"));
  return { digest, counts, actors: await actorsIn(data), damage };
}

/** Another database with the same shard. */
async function copy(): Promise<{ database: string; data: string }> {
  const database = `copy_${made++}`;
  await run(
    "postgres",
    // A connection to the template that is not quite closed would make the next statement fail after five seconds.
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'original'",
    `CREATE DATABASE ${database} TEMPLATE original`,
  );
  return { database, data: homeOf(database) };
}

async function repair(data: string, ...flags: string[]) {
  const { exitCode, stdout, stderr } = await matchbookAt(data, [
    "repair",
    "na",
    "--json",
    ...flags,
  ]);
  return { exitCode, stderr, report: stdout === "" ? undefined : JSON.parse(stdout) };
}

const schemasOf = async (database: string): Promise<string[]> =>
  (await query(database, "SELECT nspname FROM pg_namespace WHERE nspname ~ '^na' ORDER BY 1")).map(
    ({ nspname }) => nspname,
  );

beforeAll(async () => {
  // It connects to databases and locks tables when it likes.
  cluster = await startCluster(["autovacuum = off"]);
  await run("postgres", "CREATE DATABASE original");
  const data = homeOf("original");
  await ingestAt(data, lines);
  // Records in another order than they came in: the rebuilt shard has other numbers.
  await inside("original", async (rows) => {
    await rows.change(
      "match",
      ({ page }) => page < 10,
      ({ id }) => ({ id }),
    );
    await run("original", `VACUUM ${rows.table("match")}`);
  });
  original = await stateOf(data);
  expect(original.damage).toEqual([]);
  expect(original.counts.served).toBeGreaterThan(30);
  expect(records).toBeGreaterThan(original.counts.served);
});

afterAll(() => {
  cluster.remove();
  folder.remove();
});

test("everything that follows from the records is rebuilt, with the privileges of the old schema", async () => {
  const { database, data } = await copy();
  const players = await inside(database, async (rows) => {
    await run(
      database,
      "CREATE ROLE owner_of_na",
      "CREATE ROLE reader_of_na LOGIN",
      "GRANT USAGE ON SCHEMA na TO reader_of_na",
      "GRANT SELECT ON ALL TABLES IN SCHEMA na TO reader_of_na",
      "ALTER DEFAULT PRIVILEGES IN SCHEMA na GRANT SELECT ON TABLES TO reader_of_na",
      "ALTER SCHEMA na OWNER TO owner_of_na",
      `ALTER TABLE ${rows.table("player")} OWNER TO owner_of_na`,
    );
    // Each match has one kind of damage: no two that together lose it.
    const listed = new Set(
      (await rows.rows("match")).flatMap(({ id }, at) => (at % 4 === 0 ? [id] : [])),
    );
    await inflict(
      rows,
      {
        change: "listed match",
        which: ({ id }) => listed.has(id),
        to: ({ id }) => ({ id: `x${id}` }),
      },
      {
        change: "match",
        which: (_, at) => at % 4 === 1,
        to: ({ createdAt }) => ({ createdAt: createdAt + 1000, results: new Uint8Array() }),
      },
      {
        change: "match",
        which: (_, at) => at % 4 === 2,
        to: ({ id }) => ({ id: `y${id}`, contentHash: new Uint8Array() }),
      },
      { remove: "player entry", which: (_, at) => at % 3 === 0 },
      { change: "team entry", to: ({ takesPart }) => ({ takesPart: !takesPart }) },
      { change: "team entry", which: "first", to: { team: "nobody" } },
      {
        change: "player",
        which: ({ number }) => number % 2 === 0,
        to: ({ played }) => ({ played: played + 1, gold: "7", name: "X", resource: Buffer.of(0) }),
      },
      { remove: "player", which: ({ number }) => number % 5 === 0 },
      { drop: ["team", "name entry", "word"] },
      { remove: "evidence" },
      { remove: "dependent" },
      { change: "commit", to: { players: Uint8Array.of(1) } },
      { change: "shard", to: { matches: 7, token: "x" } },
      { change: "listed match", to: { mode: "none", patch: "none" } },
      {
        change: "match",
        to: ({ document }) => ({ document: overwritten(document, 0, [255, 255]) }),
      },
      { change: "withheld", to: { reason: "ending", createdAt: 5, checksum: 0 } },
    );
    await rows.dropModeIndex();
    return rows.table("player");
  });
  const { exitCode, report } = await repair(data);
  expect({ exitCode, ...report }).toMatchObject({ exitCode: 0, state: "repaired", records });
  expect(report).toMatchObject({ lost: 0, conflicts: 0, list: null, isDryRun: false });
  expect(report.kept).toMatch(/^na_damaged_\d{8}_\d{6}$/);
  expect(await schemasOf(database)).toEqual(["na", report.kept]);
  expect(await stateOf(data)).toEqual(original);
  // The records are known by their content: none is a conflict.
  await ingestAt(data, lines);
  expect(await stateOf(data)).toEqual(original);

  const [owners] = await query(
    database,
    `SELECT nspowner::regrole::text AS schema, obj_description(oid) AS comment,
       (SELECT relowner::regrole::text FROM pg_class WHERE oid = '${players}'::regclass) AS players
     FROM pg_namespace WHERE nspname = 'na'`,
  );
  expect(owners).toEqual({ schema: "owner_of_na", players: "owner_of_na", comment: null });
  await run(
    database,
    "CREATE TABLE na.later ()",
    "SET ROLE reader_of_na",
    `SELECT * FROM ${players}, na.later LIMIT 1`,
  );
});

test("damaged and unreadable records are listed and can be ingested again; all others survive", async () => {
  const { database, data } = await copy();
  const damaged = await inside(database, async (rows) => {
    const stored = await rows.rows("match");
    const served = stored.filter(({ id, page }) => id !== "long" && page >= 20);
    const [document, snapshot, unlisted, gone] = served.map(({ id }) => id);
    const withheld = (await rows.rows("withheld"))[0]!.id;
    const onPage = stored.filter(({ page }) => page === 15).map(({ id }) => id);
    expect(onPage.length).toBeGreaterThan(0);
    const changed = (bytes: Uint8Array) => overwritten(bytes, 200, [0xaa, 0x55]);
    await inflict(
      rows,
      {
        change: "match",
        which: { id: document! },
        to: (row) => ({ document: changed(row.document) }),
      },
      {
        change: "snapshot",
        which: { match: snapshot! },
        to: (row) => ({ snapshot: changed(row.snapshot) }),
      },
      { remove: "listed match", which: { id: unlisted! } },
      { remove: "match", which: { id: gone! } },
      {
        change: "withheld",
        which: { id: withheld },
        to: (row) => ({ document: changed(row.document) }),
      },
    );
    await run(database, "CHECKPOINT");
    return {
      document,
      snapshot,
      unlisted,
      gone,
      withheld,
      onPage,
      files: await rows.files("match"),
    };
  });
  const { document, snapshot, unlisted, gone, withheld, onPage, files } = damaged;
  await cluster.stop();
  overwritePage(cluster.folder, files.rows, 15);
  overwritePage(cluster.folder, files.longValues!, 0);
  await cluster.start();

  const before = await schemasOf(database);
  const names = readdirSync(data);
  const tried = await repair(data, "--dry-run");
  expect({ exitCode: tried.exitCode, ...tried.report }).toMatchObject({
    exitCode: 3,
    state: "incomplete",
    isDryRun: true,
    kept: null,
    list: null,
  });
  expect(await schemasOf(database)).toEqual(before);
  expect(readdirSync(data)).toEqual(names);

  const { exitCode, report } = await repair(data);
  const lost = [document, snapshot, unlisted, gone, withheld, "long", ...onPage];
  expect({ exitCode, ...report }).toMatchObject({ exitCode: 3, lost: lost.length, pages: 1 });
  expect(report).toMatchObject({ records: records - lost.length, isCompared: true });
  expect(report.list).toBe(join(data, `${report.kept}.ndjson`));
  const listed = readFileSync(report.list, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const whys = new Map(listed.map(({ id, page, why }) => [id ?? `page ${page}`, why]));
  expect([...whys.keys()].sort()).toEqual(["page 15", ...lost].sort());
  expect(whys.get(document)).toBe("the match is damaged");
  expect(whys.get(snapshot)).toBe("the players and teams of the record are damaged");
  expect(whys.get(unlisted)).toBe("the players and teams of the record are missing");
  expect(whys.get(gone)).toBe("the indexes list the record, but its row is not there");
  expect(whys.get("long")).toStartWith("PostgreSQL cannot read it: invalid page in block 0");
  expect(whys.get("page 15")).toStartWith("PostgreSQL cannot read it: invalid page in block 15");
  expect((await stateOf(data)).damage).toEqual([]);
  await ingestAt(data, lines);
  expect(await stateOf(data)).toEqual(original);
});

testLong("if records may be missing that nothing lists, the report says so", async () => {
  const { database, data } = await copy();
  const withheld = await inside(database, async (rows) => {
    await rows.drop("player base");
    return rows.files("withheld");
  });
  await cluster.stop();
  rmSync(join(cluster.folder, "data", withheld.rows));
  await cluster.start();
  const { exitCode, report } = await repair(data);
  const { served } = original.counts;
  expect({ exitCode, ...report }).toMatchObject({
    exitCode: 3,
    records: served,
    lost: 1,
    pages: 1,
  });
  expect(report.isCompared).toBe(false);
  await ingestAt(data, lines);
  expect(await stateOf(data)).toEqual(original);
});

testLong("pruned and redacted shards stay so, and a damaged base is listed", async () => {
  const { database, data } = await copy();
  const settings = settingsAt(data);
  const [player] = await inside(database, (rows) => rows.rows("player"));
  await redactIn(settings, "na", player!.id);
  await pruneAt(settings, "na", Date.UTC(2026, 5, 20), 50);
  const before = await stateOf(data);
  expect(before.counts.served).toBeLessThan(original.counts.served);
  await inside(database, (rows) => inflict(rows, { remove: "player" }, { remove: "redaction" }));
  expect((await repair(data)).exitCode).toBe(0);
  expect(await stateOf(data)).toEqual(before);
  await ingestAt(data, lines);
  expect(await stateOf(data)).toEqual(before);

  await inside(database, (rows) =>
    rows.change("player base", "first", ({ played }) => ({ played: played + 1 })),
  );
  const { exitCode, report } = await repair(data);
  expect({ exitCode, ...report }).toMatchObject({ exitCode: 3, lost: 1 });

  await inside(database, (rows) =>
    rows.change("actor statistics", { actor: "", isPruned: 1 }, ({ picks }) => ({
      picks: picks + 1,
    })),
  );
  const { lost } = (await repair(data)).report;
  expect(lost).toBeGreaterThan(0);
});

testLong.each([
  ["in the future", { change: "shard", to: { prunedBefore: 9e15 } }],
  ["in no row", { remove: "shard" }],
] as [string, Damage][])(
  "a lost prune cutoff is set again as far as it is known, and reported: %s",
  async (_, damage) => {
    const { database, data } = await copy();
    const cutoff = Date.UTC(2026, 5, 20);
    await pruneAt(settingsAt(data), "na", cutoff, 50);
    const before = await stateOf(data);
    await inside(database, (rows) => inflict(rows, damage));
    const { exitCode, report } = await repair(data, "--force");
    expect({ exitCode, ...report }).toMatchObject({
      exitCode: 3,
      state: "incomplete",
      lost: 0,
      isCutoffLost: true,
      list: null,
    });
    expect(Date.parse(report.prunedBefore)).toBeLessThanOrEqual(cutoff);
    await ingestAt(data, lines);
    expect(await stateOf(data)).toEqual(before);
  },
);

testLong("damaged redactions are listed, and the others stay", async () => {
  const { database, data } = await copy();
  await redactIn(settingsAt(data), "na", "nobody", "somebody");
  removeList(data);
  await inside(database, (rows) =>
    rows.change("redaction", { player: "nobody" }, ({ redactedAt }) => ({
      redactedAt: redactedAt + 1,
    })),
  );
  const { exitCode, report } = await repair(data, "--force");
  expect({ exitCode, ...report }).toMatchObject({ exitCode: 3, lost: 0, lostRedactions: 1 });
  expect(JSON.parse(readFileSync(report.list, "utf8"))).toEqual({
    id: "nobody",
    table: "redactions",
    why: "the redaction of a player is damaged",
  });
  const left = await inside(database, (rows) => rows.rows("redaction"));
  expect(left.map(({ player }) => player)).toEqual(["somebody"]);

  await inside(database, (rows) => rows.drop("redaction"));
  const gone = await repair(data, "--force", "--dry-run");
  expect(gone).toMatchObject({ exitCode: 3, report: { lostRedactions: 1 } });
});

test("a running server gives the right responses before, during and after, and nothing is mixed", async () => {
  const { database } = await copy();
  const toml = `[shards.na]\nurl = "${urlOf(database)}?schema=na"\n`;
  const world = await startAdminWorld([], {}, toml);
  const paths = ["matches?page[limit]=5&filter[createdAt-start]=2026-01-01T00:00:00Z"];
  const ids = await inside(database, (rows) => rows.rows("match"));
  for (const { id } of ids.slice(0, 15)) paths.push(`matches/${id}`);
  // Several at a time, on several connections.
  const read = () =>
    Promise.all(
      paths.map(async (path) => {
        const { status, body } = await world.get(`/shards/na/${path}`);
        return JSON.stringify([status, body.data, body.included]);
      }),
    );
  const expected = await read();
  expect(expected.every((text) => text.startsWith("[200,"))).toBe(true);
  const numbers = () =>
    inside(database, async (rows) =>
      (await rows.rows("player")).map(({ id, number }) => [id, number]),
    );
  const numbersBefore = await numbers();
  const sequence = () => inside(database, async (rows) => (await rows.rows("shard"))[0]!.sequence);
  // Its month needs partitions again after the repair.
  const early = aMatch({ id: "early", shard: "na", createdAt: "2019-03-01T00:00:00Z" });
  expect((await world.upload(ndjson([early]))).report.stored).toBe(1);
  const table = await inside(database, async (rows) => {
    await inflict(
      rows,
      { remove: "match", which: { id: "early" } },
      { remove: "listed match", which: { id: "early" } },
      { remove: "name entry" },
    );
    return rows.table("match");
  });

  const sequenceBefore = await sequence();

  // A read that is not finished: both of its statements must see the same schema.
  const reader = sqlAt(database);
  await reader.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ");
  const [first] = await reader.unsafe(`SELECT '${table}'::regclass::oid AS oid`);
  await reader.unsafe(`SELECT count(*) FROM ${table}`);
  const isWaiting = async () =>
    (
      await query(
        database,
        "SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted",
      )
    ).length > 0;
  const start = () =>
    spawnMatchbook(
      ["repair", "na", "--json", "--data", world.data],
      // Its settings file is in its working directory.
      { cwd: world.data },
    );

  // Killed when everything is ready to be swapped: the next run begins again.
  const killed = start();
  await until("it waits for the read", isWaiting);
  expect(await schemasOf(database)).toEqual(["na", "na_repair"]);
  killed.kill("SIGKILL");
  await killed.exited;
  expect(await read()).toEqual(expected);

  // Without the connection that keeps writers waiting, nothing is swapped.
  const cut = start();
  await until("it waits for the read", isWaiting);
  await run(
    database,
    `SELECT pg_terminate_backend(pid) FROM pg_locks
     WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = '${database}')`,
  );
  expect(await cut.exited).toBe(1);
  expect(await schemasOf(database)).toEqual(["na"]);

  const child = start();
  await until("it waits for the read", isWaiting);
  const late = aMatch({ id: "late", shard: "na", createdAt: "2026-06-30T00:00:00Z" });
  const upload = world.upload(ndjson([early, late]));
  expect(await read()).toEqual(expected);
  const [second] = await reader.unsafe(`SELECT '${table}'::regclass::oid AS oid`);
  expect(second).toEqual(first);
  expect(child.exitCode).toBeNull();
  let isOver = false;
  const during = (async () => {
    do expect(await read()).toEqual(expected);
    while (!isOver);
  })();
  await reader.unsafe("COMMIT");
  await reader.close();
  expect(await child.exited).toBe(0);
  isOver = true;
  await during;
  const { kept } = JSON.parse(await new Response(child.stdout).text());
  expect(await schemasOf(database)).toEqual(["na", kept]);
  expect(await numbers()).not.toEqual(numbersBefore);
  // So that cursors of before are not ahead of it.
  expect(await sequence()).toBeGreaterThan(sequenceBefore);
  // What waited is stored in the new schema.
  expect((await upload).report.stored).toBe(2);
  expect(await read()).toEqual(expected);
  expect((await world.get("/shards/na/matches/late")).status).toBe(200);
  expect(damageOf(await verified(world.settings, "na"))).toEqual([]);
  await world.stop();
});

testLong("a schema that only looks like one of an interrupted repair is not dropped", async () => {
  const { database, data } = await copy();
  await run(database, "CREATE SCHEMA na_repair");
  await inside(database, (rows) => rows.change("match", "first", { document: Buffer.of(0) }));
  const { exitCode, stderr } = await repair(data);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("there is a schema na_repair that no repair has created");
  expect(await schemasOf(database)).toEqual(["na", "na_repair"]);

  // Without it, the output is what the documentation shows.
  await run(database, "DROP SCHEMA na_repair");
  const done = await matchbookAt(data, ["repair", "na"]);
  const page = readFileSync(join(ROOT, "docs/operating.md"), "utf8");
  const shown = /^\$ matchbook repair eu\n([^`]*)```/m
    .exec(page)![1]!
    .replaceAll(/\beu\b|eu(?=_)/g, "na");
  const masked = (text: string) =>
    text
      .replace(/(is damaged: match_documents ).*/, "$1ID")
      .replaceAll(/\S+(?=na_damaged_\d+_\d+\.ndjson)/g, "DIR/")
      .replaceAll(/\d+/g, "N");
  expect(masked(`${done.stderr}${done.stdout}`)).toBe(masked(shown));
});
