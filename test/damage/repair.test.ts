/**
 * What `matchbook repair` keeps and lists, in both stores, and files of which whole pages or some bytes are damaged.
 * DAMAGED_COPIES sets how many copies have random damage.
 */

import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Chance } from "../support/chance.ts";
import { inflict } from "../support/engine.ts";
import {
  flip,
  isDeclared,
  overwritePage,
  pagesOf,
  readOn,
  retypeFirst,
  type Stored,
  settle,
} from "../support/engine-sqlite.ts";
import { ENGINES, engineHomes } from "../support/engine-worlds.ts";
import { ingestAt, linesOf, matchbookAt, settingsAt } from "../support/places.ts";
import { spawnMatchbook } from "../support/process.ts";
import { pruneAt } from "../support/prune.ts";
import { aMatch } from "../support/records.ts";
import { redactIn, removeList } from "../support/redact.ts";
import { aShardToDamage, repair, stateOf } from "../support/repair.ts";
import { costly, describeLong, someOf, testLong } from "../support/scale.ts";
import { sharedFolder } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { damageIn } from "../support/verify.ts";

const COPIES = Number(process.env.DAMAGED_COPIES ?? costly(20, 2));
const SEED = Number(process.env.DAMAGE_SEED ?? 1);

const folder = sharedFolder();
const homeIn = engineHomes();
const lines = linesOf("na", 36, Date.UTC(2026, 6, 1));
const CUTOFF = Date.UTC(2026, 5, 20);

const placeOf = (path: string, text: string) => readFileSync(path).indexOf(text);
const listIn = (path: string): { id: string; table: string }[] =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe.each(ENGINES)("%s:", (engine) => {
  test("--dry-run reports what would be lost, and changes nothing", async () => {
    const { data, rows } = homeIn(engine);
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
    const { data, rows } = homeIn(engine);
    await ingestAt(data, lines);
    await pruneAt(settingsAt(data), "na", CUTOFF, 50);
    const before = await stateOf(data);
    for (const { kept } of before.derived) expect(kept.length).toBeGreaterThan(1);
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
    const { data, rows } = homeIn(engine);
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
    const { data, rows } = homeIn(engine);
    await ingestAt(data, lines);
    const [player] = await rows.rows("player");
    await redactIn(settingsAt(data), "na", player!.id);
    const before = await stateOf(data);
    await inflict(rows, { remove: "redaction" }, { remove: "player entry" });
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

/** After the header of the file, which says what kind of file it is. */
const FIRST_BYTE = 100;

const DAMAGE = {
  "40 bytes": (path: string, random: Chance) => {
    const { size } = statSync(path);
    for (let count = 0; count < 40; count++) {
      const at = random.between(FIRST_BYTE, size - 1);
      flip({ file: path, at }, random.between(1, 255));
    }
  },
  "3 pages": (path: string, random: Chance) => {
    const { size } = statSync(path);
    for (let count = 0; count < 3; count++) overwritePage(path, random.between(1, size / 8192));
  },
};

describe("a file:", () => {
  const shard = aShardToDamage(folder, 36);

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
  test.each(someOf(DERIVED.filter(isDeclared), 2))(
    "no record is lost if a page of %s is damaged",
    async (stored) => {
      const { copy, state } = await shard;
      const { data, path } = copy();
      overwritePage(path, pagesOf(path, stored)[0]!);
      expect(await repair(data)).toMatchObject({ exitCode: 0, report: { lost: 0, list: null } });
      expect(await stateOf(data)).toEqual(state);
    },
  );

  test("no record is lost if an index has a row number that is far too high", async () => {
    const { copy, state } = await shard;
    const { data, path } = copy();
    const integerOf8Bytes = 6;
    retypeFirst(1, () => integerOf8Bytes)(path, "records by id");
    expect(await repair(data)).toMatchObject({ exitCode: 0, report: { lost: 0, list: null } });
    expect(await stateOf(data)).toEqual(state);
  });

  test.each([
    ["the header and the schema", (path: string) => overwritePage(path, 1)],
    [
      "the name of a column",
      (path: string) => flip({ file: path, at: placeOf(path, "origin") }, 1),
    ],
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
    rows.remove("player entry");
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
    rows.remove("player entry");
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

  testLong.each(Object.entries(DAMAGE))(
    "with %s overwritten, what is not lost and what is sent again are the shard as it was",
    async (_, damage) => {
      const { copy, state, lines: all } = await shard;
      const random = new Chance(SEED, 0);
      let harmed = 0;
      for (let at = 0; at < COPIES; at++) {
        const { data, path } = copy();
        damage(path, random);
        if ((await damageIn(path, false)).length > 0) harmed += 1;
        const { exitCode, report, stderr } = await repair(data);
        const what = `copy ${at}: ${stderr}`;
        expect([0, 1, 3], what).toContain(exitCode);
        // SQLite cannot read anything of it: a backup is the only way.
        if (exitCode === 1) {
          expect(what).toContain("from a backup");
          continue;
        }
        if (exitCode === 0) expect(report.records, what).toBe(all.length);
        await ingestAt(data, all);
        expect(await stateOf(data), what).toEqual(state);
      }
      expect(harmed).toBePositive();
    },
    3_600_000,
  );

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
      rows.remove("player entry");
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
