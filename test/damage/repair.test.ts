/** What `matchbook repair` keeps and lists, in both stores, and files of which whole pages are damaged. */

import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { inflict, type ShardRows } from "../support/engine.ts";
import { postgresRows } from "../support/engine-postgres.ts";
import {
  overwritePage,
  pagesOf,
  readOn,
  type Stored,
  settle,
  sqliteRows,
} from "../support/engine-sqlite.ts";
import { homeAt, ingestAt, linesOf, matchbookAt, settingsAt } from "../support/places.ts";
import { aPostgres } from "../support/postgres.ts";
import { spawnMatchbook } from "../support/process.ts";
import { pruneAt } from "../support/prune.ts";
import { aMatch } from "../support/records.ts";
import { redactIn, removeList } from "../support/redact.ts";
import { aShardToDamage, inFile, repair, stateOf } from "../support/repair.ts";
import { describeLong, someOf, testLong } from "../support/scale.ts";
import { until } from "../support/state.ts";
import { aFolder } from "../support/world.ts";

const folder = aFolder();
const postgres = await aPostgres();
const sql = new SQL(postgres.url, { max: 2 });
afterAll(async () => {
  await sql.close();
  postgres.stop();
  folder.remove();
});

const lines = linesOf("na", 36, Date.UTC(2026, 6, 1));
const CUTOFF = Date.UTC(2026, 5, 20);
let made = 0;

interface Place {
  data: string;
  rows: ShardRows;
}

const ENGINES: Record<string, () => Place> = {
  SQLite() {
    const data = inFile(join(folder.path, `home-${made++}`));
    return { data, rows: sqliteRows(join(data, "na.db")) };
  },
  PostgreSQL() {
    const schema = `repair_${process.pid}_${made++}`;
    const data = homeAt(join(folder.path, schema), `${postgres.url}?schema=${schema}`);
    return { data, rows: postgresRows(sql, schema) };
  },
};

const listIn = (path: string): { id: string; table: string }[] =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe.each(Object.entries(ENGINES))("%s:", (_engine, place) => {
  test("--dry-run reports what would be lost, and changes nothing", async () => {
    const { data, rows } = place();
    await ingestAt(data, lines);
    await inflict(rows, { remove: "match", which: "first" });
    const before = await rows.rows("snapshot");
    const { exitCode, report } = await repair(data, "--dry-run");
    expect(exitCode).toBe(3);
    expect(report).toMatchObject({ isDryRun: true, lost: 1, kept: null, list: null });
    expect(await rows.rows("snapshot")).toEqual(before);
    expect((await repair(data, "--dry-run")).report).toEqual(report);
  });

  test("what pruned matches left behind is kept, and a damaged part of it is listed", async () => {
    const { data, rows } = place();
    await ingestAt(data, lines);
    await pruneAt(settingsAt(data), "na", CUTOFF, 50);
    const before = await stateOf(data);
    expect(before.heroes.pruned.length).toBeGreaterThan(1);
    await inflict(rows, { remove: "player" });
    expect((await repair(data)).exitCode).toBe(0);
    expect(await stateOf(data)).toEqual(before);
    await inflict(rows, {
      change: "player base",
      which: "first",
      to: ({ played }) => ({ played: played + 1 }),
    });
    expect((await repair(data)).report).toMatchObject({ state: "incomplete", lost: 1 });
  });

  testLong("a lost prune cutoff is set again as far as it is known, and reported", async () => {
    const { data, rows } = place();
    await ingestAt(data, lines);
    await pruneAt(settingsAt(data), "na", CUTOFF, 50);
    const before = await stateOf(data);
    await inflict(rows, { remove: "shard" });
    const { stdout, exitCode } = await matchbookAt(data, ["repair", "na"]);
    expect(exitCode).toBe(3);
    const [, time] = /^The prune cutoff is lost; it is set to (\S+), /m.exec(stdout)!;
    expect(Date.parse(time!)).toBeLessThanOrEqual(CUTOFF);
    // Those of pruned matches do not count twice, and all others are there.
    await ingestAt(data, lines);
    expect(await stateOf(data)).toEqual(before);
  });

  test("redacted players stay redacted, whichever list of them is left", async () => {
    const { data, rows } = place();
    await ingestAt(data, lines);
    const [player] = await rows.rows("player");
    await redactIn(settingsAt(data), "na", player!.id);
    const before = await stateOf(data);
    await inflict(rows, { remove: "redaction" }, { remove: "name entry" });
    expect((await repair(data)).exitCode).toBe(0);
    await ingestAt(data, lines);
    expect(await stateOf(data)).toEqual(before);
    removeList(data);
    await inflict(rows, { change: "redaction", to: { redactedAt: 5 } });
    expect((await repair(data)).report).toMatchObject({
      state: "incomplete",
      lost: 0,
      lostRedactions: 1,
    });
  });
});

describe("a file:", () => {
  const shard = aShardToDamage(folder.path, 36);

  test.each(["match", "snapshot"] as const)(
    "only the records on a damaged page of %s rows are lost",
    async (kind) => {
      const { copy, state, lines: all } = await shard;
      const { data, path } = copy();
      overwritePage(path, pagesOf(path, kind, "leaf").at(-1)!);
      const { exitCode, report } = await repair(data);
      expect(exitCode).toBe(3);
      expect(report.lost).toBeGreaterThan(0);
      expect(report.lost).toBeLessThan(20);
      expect(report.records + report.lost).toBe(all.length);
      const ids = listIn(report.list).map(({ id }) => id);
      expect(new Set(ids).size).toBe(report.lost);
      const { stdout } = await matchbookAt(data, ["why", "na", ids[0]!]);
      expect(stdout).not.toContain("served");
      await ingestAt(data, all);
      expect(await stateOf(data)).toEqual(state);
    },
  );

  const DERIVED: Stored[] = [
    ...(["player entry", "records by id", "listed match", "matches by mode"] as const),
    ...(["player", "matches by id", "name entry"] as const),
  ];
  test.each(someOf(DERIVED, 2))("no record is lost if a page of %s is damaged", async (stored) => {
    const { copy, state } = await shard;
    const { data, path } = copy();
    overwritePage(path, pagesOf(path, stored)[0]!);
    expect(await repair(data)).toMatchObject({ exitCode: 0, report: { lost: 0, list: null } });
    expect(await stateOf(data)).toEqual(state);
  });

  test.each([
    ["the header and the schema", (path: string) => overwritePage(path, 1)],
    ["everything", (path: string) => writeFileSync(path, Buffer.alloc(100_000, "no shard"))],
  ])("is left as it is, with the advice to use a backup, if %s is lost", async (_, damage) => {
    const { data, path } = (await shard).copy();
    damage(path);
    const before = readFileSync(path);
    const { exitCode, stdout, stderr } = await matchbookAt(data, ["repair", "na"]);
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("from a backup");
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("the damaged file is kept as it was, and the new one has its rights", async () => {
    const { data, path, rows } = (await shard).copy();
    rows.remove("name entry");
    chmodSync(path, 0o640);
    const before = readFileSync(path);
    const { report } = await repair(data);
    expect(report.kept).toMatch(/na\.db\.damaged-\d{8}-\d{6}$/);
    expect(readFileSync(report.kept).equals(before)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(data).sort()).toEqual([
      "matchbook.toml",
      "na.db",
      report.kept.split("/").at(-1),
    ]);
  });

  test("one that another program is writing to is refused", async () => {
    const { data, path, rows } = (await shard).copy();
    rows.remove("name entry");
    const { Database } = await import("bun:sqlite");
    const writer = new Database(path);
    writer.run("BEGIN IMMEDIATE");
    const { exitCode, stderr } = await repair(data);
    writer.run("ROLLBACK");
    writer.close();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${path} is locked: another program is writing to it`);
    expect((await repair(data)).exitCode).toBe(0);
  });

  describeLong("killed", () => {
    test.each([
      ["it builds the new file", (path: string) => existsSync(`${path}.repair`)],
      [
        "the files are swapped",
        (path: string) => readdirSync(join(path, "..")).some((name) => name.includes(".damaged-")),
      ],
    ])("when %s, it can be run again", async (_when, isReached) => {
      const { copy, state } = await shard;
      const { data, path, rows } = copy();
      rows.remove("name entry");
      const child = spawnMatchbook(["repair", "na", "--data", data], { cwd: data });
      await until("it is reached", () => isReached(path) || child.exitCode !== null);
      child.kill("SIGKILL");
      await child.exited;
      expect((await repair(data)).exitCode).toBe(0);
      expect(await stateOf(data)).toEqual(state);
    });
  });

  testLong(
    "its WAL is included, and kept with it, if a read keeps it from being emptied",
    async () => {
      const { copy, lines: all } = await shard;
      const { data, path } = copy();
      const endRead = readOn(path);
      await ingestAt(data, [JSON.stringify(aMatch({ id: "late", shard: "na" }))]);
      const expected = await stateOf(data);
      const { exitCode, report } = await repair(data);
      endRead();
      expect({ exitCode, ...report }).toMatchObject({ exitCode: 0, records: all.length + 1 });
      expect(await stateOf(data)).toEqual(expected);
      expect(statSync(`${report.kept}-wal`).size).toBeGreaterThan(0);
      settle(path);
    },
  );
});
