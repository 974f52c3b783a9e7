/** `matchbook repair`: everything but the records is rebuilt, and only damaged records are lost. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Damage, inflict, overwritten } from "../support/engine.ts";
import {
  freePages,
  holdOpen,
  overwritePage,
  pagesOf,
  readOn,
  type SqliteRows,
  type Stored,
  settle,
  sqliteRows,
} from "../support/engine-sqlite.ts";
import { startInstance } from "../support/instances.ts";
import { digestAt, ingestAt, settingsAt } from "../support/places.ts";
import { matchbook, spawnMatchbook } from "../support/process.ts";
import { pruneAt } from "../support/prune.ts";
import { aMatch } from "../support/records.ts";
import { redactIn, removeList } from "../support/redact.ts";
import { aShardToDamage, repair, stateOf } from "../support/repair.ts";
import { describeLong, testLong } from "../support/scale.ts";
import { until } from "../support/state.ts";
import { aFolder, startWorld } from "../support/world.ts";

const folder = aFolder();
afterAll(() => folder.remove());
const shard = await aShardToDamage(folder.path, 36);
const served = shard.state.counts!.served;
const records = shard.lines.length;

const filesIn = (data: string) =>
  new Map(readdirSync(data).map((name) => [name, readFileSync(join(data, name), "base64")]));

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const isKept = (name: string) => name.startsWith("na.db.damaged-");

const listIn = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("the shard has records of all kinds, on many pages", () => {
  expect(served).toBeGreaterThan(25);
  for (const withheld of Object.values(shard.state.counts!.withheld)) {
    expect(withheld).toBeGreaterThan(0);
  }
  expect(shard.state.counts!.teams).toBeGreaterThan(0);
  expect(shard.state.damage).toEqual([]);
  for (const kind of ["match", "snapshot"] as const) {
    expect(pagesOf(shard.original, kind, "leaf").length).toBeGreaterThan(3);
  }
});

describe("everything that follows from the records is rebuilt:", () => {
  // What the check does not look at needs --force.
  const CASES: [what: string, damages: Damage[], ...flags: string[]][] = [
    [
      "entries, players, names, and totals of the shard",
      [
        { remove: "player entry", which: (_, at) => at % 3 === 0 },
        { change: "team entry", to: ({ createdAt }) => ({ createdAt: createdAt + 1 }) },
        {
          change: "player",
          to: ({ played }) => ({
            played: played + 1,
            gold: "7",
            name: "X",
            resource: Uint8Array.of(0),
          }),
        },
        { remove: "name entry", which: ({ key }) => key.length > 3 },
        { change: "shard", to: { matches: 7 } },
        { change: "commit", to: { players: Uint8Array.of(1) } },
      ],
    ],
    [
      "missing players, teams and the row of the shard",
      [
        { remove: "player", which: ({ number }) => number % 2 === 0 },
        { remove: "team" },
        { remove: "shard" },
      ],
    ],
    ["tables", [{ drop: ["player", "name entry"] }]],
    [
      "checksums",
      [
        { change: "match", to: { checksum: 1 } },
        { change: "snapshot", to: { checksum: 2 } },
        { change: "withheld", to: { checksum: 0 } },
      ],
    ],
    [
      "results, filters, times and ids of matches, and withheld records",
      [
        {
          change: "match",
          to: ({ number }) => ({
            results: new Uint8Array(),
            mode: "none",
            createdAt: number,
            id: `x${number}`,
          }),
        },
        { change: "withheld", to: { reason: "ending", createdAt: 5 } },
      ],
    ],
    [
      "numbers in matches",
      [
        {
          change: "match",
          to: ({ document }) => ({ document: overwritten(document, 0, [255, 255]) }),
        },
      ],
    ],
    [
      "content hashes, evidence and words",
      [
        { change: "match", to: { contentHash: new Uint8Array(16) } },
        { remove: "evidence" },
        { remove: "dependent" },
        { remove: "word" },
      ],
      "--force",
    ],
  ];
  const isRebuilt = async (damage: (rows: SqliteRows) => unknown, ...flags: string[]) => {
    const { data, rows } = shard.copy();
    await damage(rows);
    const { exitCode, report } = await repair(data, ...flags);
    expect({ exitCode, ...report }).toMatchObject({ exitCode: 0, state: "repaired", records });
    expect(await stateOf(data)).toEqual(shard.state);
    // The records are known by their content: none is a conflict.
    await ingestAt(data, shard.lines);
    expect(await stateOf(data)).toEqual(shard.state);
  };

  test.each(CASES)("%s", (_, damages, ...flags) =>
    isRebuilt((rows) => inflict(rows, ...damages), ...flags),
  );

  test("indexes", () => isRebuilt((rows) => rows.dropIndex("matches by time", "players by name")));
});

test("what pruned matches left behind is kept, and a damaged part of it is listed", async () => {
  const pruned = shard.copy();
  await pruneAt(settingsAt(pruned.data), "na", Date.UTC(2026, 5, 20), 50);
  settle(pruned.path);
  const before = await stateOf(pruned.data);
  expect(before.counts!.served).toBeLessThan(served);
  expect(before.actors.pruned.length).toBeGreaterThan(1);
  pruned.rows.remove("player");
  expect((await repair(pruned.data)).exitCode).toBe(0);
  expect(await stateOf(pruned.data)).toEqual(before);
  expect((await matchbook(["verify", "na", "--full-speed", "--data", pruned.data])).exitCode).toBe(
    0,
  );

  pruned.rows.change("player base", "first", ({ played }) => ({ played: played + 1 }));
  const { report } = await repair(pruned.data);
  expect(report).toMatchObject({ state: "incomplete", lost: 1 });

  const last = pruned.rows.rows("actor statistics").findLastIndex(({ isPruned }) => isPruned === 1);
  pruned.rows.change(
    "actor statistics",
    (_, at) => at === last,
    ({ picks }) => ({ picks: picks + 1 }),
  );
  expect((await repair(pruned.data)).report).toMatchObject({ state: "incomplete", lost: 1 });
});

testLong.each([
  [
    "a wrong checksum",
    (path: string) =>
      sqliteRows(path).change("shard", {}, ({ checksum }) => ({ checksum: checksum + 1 })),
  ],
  ["a page that cannot be read", (path: string) => overwritePage(path, pagesOf(path, "shard")[0]!)],
  ["no row", (path: string) => sqliteRows(path).remove("shard")],
])(
  "a lost prune cutoff is set again as far as it is known, and reported: %s",
  async (_, damage) => {
    const { data, path } = shard.copy();
    const cutoff = Date.UTC(2026, 5, 20);
    await pruneAt(settingsAt(data), "na", cutoff, 50);
    settle(path);
    const before = await stateOf(data);
    damage(path);
    const { exitCode, report } = await repair(data, "--dry-run");
    expect({ exitCode, ...report }).toMatchObject({ exitCode: 3, state: "incomplete", lost: 0 });
    const { stdout, ...text } = await matchbook(["repair", "na", "--data", data]);
    expect(text.exitCode).toBe(3);
    expect(stdout).not.toContain("is listed in");
    const [, time] =
      /^The prune cutoff is lost; it is set to (\S+), .*'matchbook prune na --older-than/m.exec(
        stdout,
      )!;
    expect(Date.parse(time!)).toBeLessThanOrEqual(cutoff);
    expect(await stateOf(data)).toEqual(before);
    // Those of pruned matches do not count twice, and all others are there.
    await ingestAt(data, shard.lines);
    expect(await stateOf(data)).toEqual(before);
  },
);

testLong("bases without a cutoff are no damage: an export was ingested in part", async () => {
  const { data } = shard.copy();
  await pruneAt(settingsAt(data), "na", Date.UTC(2026, 5, 20), 50);
  const exported = join(data, "na.ndjson");
  await matchbook(["export", "na", "--output", exported, "--data", data]);
  const lines = readFileSync(exported, "utf8").trimEnd().split("\n");
  const part = aFolder();
  const stdin = lines.slice(0, -1).join("\n");
  await matchbook(["ingest", "-", "--data", part.path], { stdin });
  expect(await repair(part.path, "--force")).toMatchObject({ exitCode: 0 });
  await ingestAt(part.path, lines);
  expect((await digestAt(part.path)).digest).toBe((await digestAt(data)).digest);
  part.remove();
});

test.each([
  ["readable", []],
  ["gone", ["redaction"] as const],
])("redacted players stay redacted, with a list in the shard that is %s", async (_, gone) => {
  const { data, path, rows } = shard.copy();
  const [player] = rows.rows("player");
  await matchbook(["redact", "na", player!.id, "--yes", "--data", data]);
  settle(path);
  const before = await stateOf(data);
  for (const kind of [...gone, "name entry"] as const) rows.remove(kind);
  expect((await repair(data)).exitCode).toBe(0);
  expect(await stateOf(data)).toEqual(before);
  await ingestAt(data, shard.lines);
  expect(await stateOf(data)).toEqual(before);
});

describeLong("if the list of redacted players is damaged, and there is no other one,", () => {
  const COUNT = 600;
  const players = Array.from(
    { length: COUNT },
    (_, index) => `player-${index + 1000}-${"x".repeat(40)}`,
  );
  /** A shard with a long list, on several pages. */
  async function redactedShard() {
    const { data, path, rows } = shard.copy();
    const [found] = rows.rows("player");
    await redactIn(settingsAt(data), "na", found!.id, ...players);
    removeList(data);
    settle(path);
    return { data, path, rows, player: found!.id, state: await stateOf(data) };
  }
  const listed = async (data: string): Promise<string[]> => {
    const { stdout } = await matchbook(["redact", "--list", "na", "--json", "--data", data]);
    return JSON.parse(stdout).map((one: { player: string }) => one.player);
  };

  test("a damaged row loses one redaction, and how to restore it is said", async () => {
    const { data, rows, player, state } = await redactedShard();
    rows.change("redaction", { player }, ({ redactedAt }) => ({ redactedAt: redactedAt + 1 }));
    const trial = await matchbook(["repair", "na", "--dry-run", "--force", "--data", data]);
    expect(trial.exitCode).toBe(3);
    expect(trial.stdout).toContain("for whoever is missing in 'matchbook redact --list na'");
    const { exitCode, report } = await repair(data, "--force");
    expect({ exitCode, ...report }).toMatchObject({ exitCode: 3, lost: 0, lostRedactions: 1 });
    expect(listIn(report.list)).toEqual([
      { id: player, table: "redactions", why: "the redaction of a player is damaged" },
    ]);
    expect((await listed(data)).sort()).toEqual(players);

    const again = ["redact", "na", player, "--force", "--yes", "--data", data];
    expect((await matchbook(again)).exitCode).toBe(0);
    await ingestAt(data, shard.lines);
    expect((await stateOf(data)).digest).toBe(state.digest);
  });

  test("a damaged page loses those on it only", async () => {
    const { data, path } = await redactedShard();
    overwritePage(path, pagesOf(path, "redaction", "leaf")[2]!);
    const { exitCode, report } = await repair(data);
    expect({ exitCode, ...report }).toMatchObject({ exitCode: 3, lost: 0, lostRedactions: 1 });
    expect(listIn(report.list)).toMatchObject([{ table: "redactions" }]);
    const left = (await listed(data)).length;
    expect(left).toBeGreaterThan(COUNT / 2);
    expect(left).toBeLessThan(COUNT);
  });

  test("a damaged header of the file loses none", async () => {
    const { data, path, player, state } = await redactedShard();
    overwritePage(path, 1);
    expect(await repair(data)).toMatchObject({ exitCode: 0, report: { lostRedactions: 0 } });
    expect((await listed(data)).sort()).toEqual([player, ...players].sort());
    expect(await stateOf(data)).toEqual(state);
  });
});

test("a damaged redaction that the list of redactions has is not lost", async () => {
  const { data, rows } = shard.copy();
  await redactIn(settingsAt(data), "na", "nobody");
  rows.change("redaction", {}, ({ redactedAt }) => ({ redactedAt: redactedAt + 1 }));
  expect(await repair(data, "--force")).toMatchObject({ exitCode: 0, report: { list: null } });
});

describeLong("no record is lost if a page without records is damaged:", () => {
  test.each([
    ["the index by time", "matches by time"],
    ["the index by id", "matches by id"],
    ["the entries of players", "player entry"],
    ["the table of players", "player"],
    ["the name index", "name entry"],
    ["the tree above the matches", "match"],
    ["the tree above the snapshots", "snapshot"],
    ["the schema and the header of the file", "the schema"],
  ] as [string, Stored][])("%s", async (_, stored) => {
    const { data, path } = shard.copy();
    overwritePage(path, pagesOf(path, stored)[0]!);
    const { exitCode, report } = await repair(data);
    expect({ exitCode, ...report }).toMatchObject({ exitCode: 0, records, lost: 0, list: null });
    expect(await stateOf(data)).toEqual(shard.state);
  });
});

describe("only the records on a damaged page are lost:", () => {
  test.each(["match", "snapshot", "withheld"] as const)("a %s", async (kind) => {
    const { data, path } = shard.copy();
    overwritePage(path, pagesOf(path, kind, "leaf").at(-1)!);
    const { exitCode, report } = await repair(data);
    expect(exitCode).toBe(3);
    expect(report.lost).toBeGreaterThan(0);
    expect(report.lost).toBeLessThan(20);
    expect(report.records + report.lost).toBe(records);
    const ids = listIn(report.list).flatMap(({ id }) => id ?? []);
    expect(new Set(ids).size).toBe(report.lost);
    expect((await stateOf(data)).damage).toEqual([]);
    // What is on the list is missing, and nothing else.
    const { stdout } = await matchbook(["why", "na", ids[0], "--data", data]);
    expect(stdout).not.toContain("served");
    const stdin = shard.lines.join("\n");
    const again = await matchbook(["ingest", "-", "--json", "--data", data], { stdin });
    expect(JSON.parse(again.stdout).duplicate).toBe(records - report.lost);
    expect(await stateOf(data)).toEqual(shard.state);
  });
});

test("a damaged record is moved aside with what is left of it; all others survive", async () => {
  const { data, rows } = shard.copy();
  const first: string = JSON.parse(shard.lines[0]!).data.id;
  const kind = rows.rows("match", { id: first }).length > 0 ? "match" : "withheld";
  rows.change(kind, { id: first }, ({ document }) => ({
    document: overwritten(document, 200, [0xaa, 0x55]),
  }));
  const { exitCode, report, stderr } = await repair(data);
  expect({ exitCode, ...report }).toMatchObject({ exitCode: 3, lost: 1, records: records - 1 });
  expect(stderr).toContain(first);
  const [line, ...rest] = listIn(report.list);
  expect(rest).toEqual([]);
  expect(line).toMatchObject({ id: first, why: "the match is damaged" });
  expect(line.createdAt).toMatch(/^2026-/);
  expect(Buffer.from(line.snapshot, "base64").length).toBeGreaterThan(12);
  await ingestAt(data, shard.lines);
  expect(await stateOf(data)).toEqual(shard.state);
});

testLong(
  "records that were replaced stay replaced, although their pages are still in the file",
  async () => {
    const ids = Array.from({ length: 30 }, (_, at) => `match-${at}`);
    const noise = () => Array.from({ length: 200 }, () => crypto.randomUUID()).join();
    const world = await startWorld(ids.map((id) => aMatch({ id, stats: { noise: noise() } })));
    await world.ingest(
      ids.map((id) => aMatch({ id })),
      { replace: true },
    );
    const path = join(world.data, "na.db");
    const before = await stateOf(world.data);
    expect(freePages(path)).toBeGreaterThan(10);
    sqliteRows(path).remove("name entry");
    const { exitCode, report } = await repair(world.data);
    expect({ exitCode, ...report }).toMatchObject({ exitCode: 0, conflicts: 0, records: 30 });
    expect(await stateOf(world.data)).toEqual(before);
    await world.stop();
  },
);

test("the damaged file is kept as it was, and the new one has its rights", async () => {
  const { data, path, rows } = shard.copy();
  rows.remove("name entry");
  chmodSync(path, 0o640);
  const before = readFileSync(path);
  const { ino, mode } = statSync(path);
  const { report } = await repair(data);
  expect(report.kept).toMatch(/na\.db\.damaged-\d{8}-\d{6}$/);
  expect(readFileSync(report.kept).equals(before)).toBe(true);
  expect(statSync(path).ino).not.toBe(ino);
  expect(statSync(path).mode).toBe(mode);
  expect(readdirSync(data).sort()).toEqual(["na.db", report.kept.split("/").at(-1)]);
  // It is not taken for a shard.
  const { stdout } = await matchbook(["status", "--json", "--data", data]);
  expect(Object.keys(JSON.parse(stdout))).toEqual(["na"]);
});

test("a shard without damage is not changed", async () => {
  const { data } = shard.copy();
  const before = filesIn(data);
  const { exitCode, stdout } = await matchbook(["repair", "na", "--data", data]);
  expect(exitCode).toBe(0);
  expect(stdout).toBe(
    "na is not damaged, so nothing was changed. Use --force to rebuild it anyway.\n",
  );
  expect(filesIn(data)).toEqual(before);
});

test("every command advises repair for a damaged header, which loses nothing", async () => {
  const { data, path } = shard.copy();
  overwritePage(path, 1);
  const advice = "run 'matchbook repair', or restore the shard from a backup";
  for (const command of ["verify", "doctor", "status", "export na"]) {
    const { stdout, stderr } = await matchbook([...command.split(" "), "--data", data]);
    expect([command, `${stdout}${stderr}`]).toEqual([command, expect.stringContaining(advice)]);
  }
  expect((await repair(data)).exitCode).toBe(0);
  expect(await stateOf(data)).toEqual(shard.state);
});

testLong.each([
  ["a text", Buffer.from("not a shard")],
  ["pages of other bytes", Buffer.alloc(100_000, "not a shard")],
])(
  "a file in which no record can be found is left as it is, and not called repaired: %s",
  async (_, content) => {
    const { data, path } = shard.copy();
    writeFileSync(path, content);
    const before = filesIn(data);
    const { exitCode, stdout, stderr } = await matchbook(["repair", "na", "--data", data]);
    expect([exitCode, stdout, stderr]).toEqual([
      1,
      "",
      expect.stringContaining("restore na from a backup"),
    ]);
    expect(filesIn(data)).toEqual(before);
  },
);

test("--dry-run reports what would be lost, and changes nothing", async () => {
  const { data, path } = shard.copy();
  overwritePage(path, pagesOf(path, "match", "leaf")[0]!);
  const before = filesIn(data);
  const { exitCode, report } = await repair(data, "--dry-run");
  expect(exitCode).toBe(3);
  expect(report).toMatchObject({ state: "incomplete", isDryRun: true, kept: null, list: null });
  expect(report.lost).toBeGreaterThan(0);
  expect(filesIn(data)).toEqual(before);
});

describeLong("killed", () => {
  test("while it builds the new file, it leaves the shard as it was", async () => {
    const { data, path, rows } = shard.copy();
    rows.remove("name entry");
    const before = readFileSync(path);
    // Small batches, so that it takes a moment. If the machine is busy, it may be done too soon.
    for (let isKilled = false; !isKilled; ) {
      const child = spawnMatchbook(["repair", "na", "--json", "--batch", "1", "--data", data]);
      await until("it has begun", () => existsSync(`${path}.repair`) || child.exitCode !== null);
      child.kill("SIGKILL");
      await child.exited;
      isKilled = child.signalCode === "SIGKILL" && existsSync(`${path}.repair`);
      if (!isKilled) renameSync(JSON.parse(await new Response(child.stdout).text()).kept, path);
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    const { exitCode } = await repair(data);
    expect(exitCode).toBe(0);
    expect(await stateOf(data)).toEqual(shard.state);
    expect(existsSync(`${path}.repair`)).toBe(false);
  });

  test.each([
    ["records are written", (path: string) => sizeOf(`${path}.repair-wal`) > 50_000],
    [
      "the new file is complete",
      (path: string) => sizeOf(`${path}.repair`) > sizeOf(shard.original) / 2,
    ],
    ["the files are swapped", (path: string) => readdirSync(dirname(path)).some(isKept)],
  ])("when %s, it can be run again", async (when, isReached) => {
    // It may be done before it is killed: then that is tried again, except after the swap, the last thing it does.
    const { data } = await until("it is killed at that point", async () => {
      const copy = shard.copy();
      copy.rows.remove("name entry");
      const child = spawnMatchbook(["repair", "na", "--data", copy.data]);
      await until("it is reached", () => isReached(copy.path) || child.exitCode !== null);
      child.kill("SIGKILL");
      await child.exited;
      const isKilled = child.signalCode === "SIGKILL" || when === "the files are swapped";
      return isKilled && copy;
    });
    // Whichever of the files is there, it is complete.
    expect(await digestAt(data)).toMatchObject({ digest: shard.state.digest });
    const { exitCode, stderr } = await repair(data, "--force");
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(await stateOf(data)).toEqual(shard.state);
  });

  test("between the steps of the swap, it finds the WAL of the damaged file again", async () => {
    const { data, path } = shard.copy();
    const late = aMatch({ id: "late", shard: "na" });
    const release = holdOpen(path);
    await ingestAt(data, [JSON.stringify(late)]);
    const expected = await stateOf(data);
    const swapped = shard.copy();
    const kept = `${swapped.path}.damaged-20260701-000000`;
    copyFileSync(path, swapped.path);
    copyFileSync(`${path}-wal`, `${kept}-wal`);
    release();
    linkSync(swapped.path, kept);
    expect(statSync(`${kept}-wal`).size).toBeGreaterThan(0);
    const { exitCode, report } = await repair(swapped.data, "--force");
    expect({ exitCode, ...report }).toMatchObject({ exitCode: 0, records: records + 1, kept });
    expect(await stateOf(swapped.data)).toEqual(expected);
  });

  test("when the WAL already had its second name, it can be run again", async () => {
    const { data, path } = shard.copy();
    // Keeps the WAL from being emptied.
    const endRead = readOn(path);
    await ingestAt(data, [JSON.stringify(aMatch({ id: "late", shard: "na" }))]);
    const expected = await stateOf(data);
    const kept = `${path}.damaged-20260701-000000`;
    for (const end of ["", "-wal"]) linkSync(`${path}${end}`, `${kept}${end}`);
    const { exitCode, report, stderr } = await repair(data, "--force");
    endRead();
    expect({ exitCode, stderr, ...report }).toMatchObject({ exitCode: 0, kept });
    expect(await stateOf(data)).toEqual(expected);
    expect(sizeOf(`${kept}-wal`)).toBeGreaterThan(0);
  });
});

describeLong("the WAL", () => {
  /** A copy with a record that is only in its WAL. */
  const withWal = async () => {
    const source = shard.copy();
    const release = holdOpen(source.path);
    await ingestAt(source.data, [JSON.stringify(aMatch({ id: "late", shard: "na" }))]);
    const expected = await stateOf(source.data);
    const copy = shard.copy();
    for (const end of ["", "-wal"]) copyFileSync(`${source.path}${end}`, `${copy.path}${end}`);
    release();
    return { ...copy, expected };
  };

  test("is included", async () => {
    const { data, path, expected } = await withWal();
    overwritePage(path, pagesOf(shard.original, "matches by mode").at(-1)!);
    const { exitCode, report } = await repair(data, "--force");
    expect({ exitCode, ...report }).toMatchObject({ exitCode: 0, records: records + 1 });
    expect(report.isWalCut).toBe(false);
    expect(await stateOf(data)).toEqual(expected);
  });

  test("is included, and kept with the file, if a long read keeps it from being emptied", async () => {
    const { data, path } = shard.copy();
    const endRead = readOn(path);
    await ingestAt(data, [JSON.stringify(aMatch({ id: "late", shard: "na" }))]);
    const expected = await stateOf(data);
    const { exitCode, report } = await repair(data, "--force");
    endRead();
    expect({ exitCode, ...report }).toMatchObject({ exitCode: 0, records: records + 1 });
    expect(await stateOf(data)).toEqual(expected);
    expect(sizeOf(`${report.kept}-wal`)).toBeGreaterThan(0);
  });

  test("is used as far as it is not damaged, which is reported", async () => {
    const { data, path } = await withWal();
    const wal = readFileSync(`${path}-wal`);
    wal.fill("damage", wal.length - 100);
    writeFileSync(`${path}-wal`, wal);
    const { exitCode, report } = await repair(data, "--force");
    expect({ exitCode, ...report }).toMatchObject({ exitCode: 0, isWalCut: true, records });
    expect(await stateOf(data)).toEqual(shard.state);
  });
});

test("a shard that another program is writing to is refused", async () => {
  const { data, path, rows } = shard.copy();
  rows.remove("name entry");
  const writer = new Database(path);
  writer.run("BEGIN IMMEDIATE");
  const { exitCode, stderr } = await repair(data);
  writer.run("ROLLBACK");
  writer.close();
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`${path} is locked: another program is writing to it`);
  expect(await repair(data)).toMatchObject({ exitCode: 0 });
});

test("a running server serves the repaired shard, and takes uploads, without a restart", async () => {
  const world = await startWorld([aMatch({ id: "match-a", shard: "na" })]);
  const instance = await startInstance(world, {}, { pauseMs: 20 });
  const status = async () => (await instance.get("/shards/na/matches/match-a", world.key)).status;
  const path = join(world.data, "na.db");
  sqliteRows(path).remove("player entry");
  await until("the damage is found", async () => (await status()) === 503);
  expect(existsSync(`${path}.damaged`)).toBe(true);
  const { exitCode } = await repair(world.data);
  expect(exitCode).toBe(0);
  await until("it is served", async () => (await status()) === 200);
  expect(existsSync(`${path}.damaged`)).toBe(false);
  const { report } = await world.ingest([aMatch({ id: "match-b", shard: "na" })]);
  expect(report.stored).toBe(1);
  const isThere = async () =>
    (await instance.get("/shards/na/matches/match-b", world.key)).status === 200;
  await until("the new match is served", isThere);
  await instance.stop();
  await world.stop();
});
