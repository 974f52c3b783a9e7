/** Tests `matchbook export`: what it writes, ingest takes back to the identical records, on every engine. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { prune } from "../../src/prune/prune.ts";
import type { ShardRecord, Writer } from "../../src/store/store.ts";
import { inverted } from "../support/engine.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { digestAt, homeAt, ingestAt, linesOf, lookInto, matchbookAt } from "../support/places.ts";
import { aPostgres } from "../support/postgres.ts";
import { MATCHBOOK, matchbook } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
import { richMatch } from "../support/rich-match.ts";
import { testLong } from "../support/scale.ts";
import { countsOf } from "../support/state.ts";
import { aFolder } from "../support/world.ts";

const NOON = Date.UTC(2026, 2, 1, 12);
const DAY = 86_400_000;
const folder = aFolder();
const path = (name: string) => join(folder.path, name);
let postgres: Awaited<ReturnType<typeof aPostgres>>;
const schemas: string[] = [];

/** Records of every kind, among others one that is replaced. */
const records = [
  ...linesOf("na", 20, NOON),
  ...[
    richMatch("rich").document,
    aMatch({ id: "bots", rosters: [{ members: [{ bot: true }] }, { members: [{ bot: true }] }] }),
    aMatch({ id: "empty", rosters: [{ members: [{ id: "alone" }] }, { members: [] }] }),
    aMatch({
      id: "teams",
      mode: "casual",
      rosters: [
        { members: [{ id: "ann", name: "Ann" }], team: { id: "t1", name: "TÄG" } },
        { members: [{ bot: true }], team: { id: "t2", name: " T 2 " } },
      ],
    }),
    aMatch({ id: "mode", mode: "5v5_practice" }),
    aMatch({ id: "ending", ending: "exitpractice" }),
    aMatch({ id: "unranked", mode: "private", rosters: duel({ id: "u1" }, { id: "u2" }) }),
    aMatch({ id: "released", mode: "private", rosters: duel({ id: "ann" }, { id: "u2" }) }),
    aMatch({ id: "evidence", rosters: duel({ id: "ann", name: "Renamed" }, { id: "u3" }) }),
    aMatch({ id: "noon", createdAt: NOON }),
    aMatch({ id: "before-noon", createdAt: NOON - 1 }),
    aMatch({ id: "early", createdAt: "0001-01-01T00:00:00.001Z", mode: "strange" }),
    aMatch({ id: "replaced", rosters: duel({ id: "r1" }, { id: "r2" }) }),
  ].map((one) => JSON.stringify(one)),
];

const ENGINES = ["SQLite", "PostgreSQL"] as const;
type Engine = (typeof ENGINES)[number];

/** A new data folder whose shard na is stored in this engine. */
function aHome(engine: Engine, name: string): string {
  if (engine === "SQLite") return homeAt(path(name), `sqlite:${path(`${name}.db`)}`);
  const schema = `export_${name}_${process.pid}`.toLowerCase().replaceAll(/\W/g, "_");
  schemas.push(schema);
  const url = new URL(postgres.url);
  url.searchParams.set("schema", schema);
  return homeAt(path(name), url.href);
}

const homes = {} as Record<Engine, string>;

beforeAll(async () => {
  postgres = await aPostgres();
  for (const engine of ENGINES) {
    const home = aHome(engine, `source-${engine}`);
    await ingestAt(home, records);
    const newer = JSON.stringify(
      aMatch({ id: "replaced", mode: "casual", rosters: duel({ id: "r2" }, { id: "r3" }) }),
    );
    const replaced = await matchbookAt(home, ["ingest", "-", "--replace"], newer);
    expect(replaced.exitCode).toBe(0);
    homes[engine] = home;
  }
});

afterAll(async () => {
  const sql = new SQL(postgres.url);
  for (const schema of schemas) await sql.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await sql.close();
  postgres.stop();
  folder.remove();
});

/** Every record as it is stored, byte for byte. */
const storedIn = (home: string): Promise<ShardRecord[]> =>
  lookInto(home, (writer) => writer.survey(async (all) => all.records(undefined, 10_000)));

const idsIn = (lines: string): string[] =>
  lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).data.id)
    .sort();

/** Exports to standard output; the counts come on standard error. */
async function exported(home: string, ...flags: string[]) {
  const { exitCode, stdout, stderr } = await matchbookAt(home, [
    "export",
    "na",
    "--json",
    ...flags,
  ]);
  expect(exitCode).toBe(0);
  return { lines: stdout, ...JSON.parse(stderr) };
}

describe.each(ENGINES)("an export from %s", (engine) => {
  test.each([...ENGINES])("gives the identical records in an empty shard in %s", async (target) => {
    const home = homes[engine];
    const { lines, ...counts } = await exported(home);
    const all = await storedIn(home);
    const served = all.filter(({ fate }) => fate.state === "served").length;
    expect(counts).toEqual({
      shard: "na",
      served,
      withheld: all.length - served,
      bytes: Buffer.byteLength(lines),
    });
    const copy = aHome(target, `from-${engine}-to-${target}`);
    const taken = await matchbookAt(copy, ["ingest", "-"], lines);
    expect([taken.exitCode, taken.stderr]).toEqual([0, ""]);
    expect(await storedIn(copy)).toEqual(all);
    expect(await digestAt(copy)).toEqual(await digestAt(home));
    expect(await countsOf(copy)).toEqual(await countsOf(home));
  });

  test("has one valid document per record, withheld ones included", async () => {
    const { lines, served, withheld } = await exported(homes[engine]);
    const ids = idsIn(lines);
    expect(ids).toEqual((await storedIn(homes[engine])).map(({ match }) => match.id).sort());
    expect(new Set(ids).size).toBe(ids.length);
    expect(served + withheld).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(["mode", "ending", "unranked", "early"]));
  });

  test("--no-withheld leaves out withheld records", async () => {
    const { lines, withheld } = await exported(homes[engine], "--no-withheld");
    const served = (await storedIn(homes[engine])).filter(({ fate }) => fate.state === "served");
    expect(idsIn(lines)).toEqual(served.map(({ match }) => match.id).sort());
    expect(withheld).toBe(0);
  });

  test("--since selects records of that time and later, served and withheld", async () => {
    const since = ["--since", "2026-03-01T13:00:00+01:00"];
    const { lines } = await exported(homes[engine], ...since);
    const later = (await storedIn(homes[engine])).filter(({ match }) => match.createdAt >= NOON);
    expect(idsIn(lines)).toEqual(later.map(({ match }) => match.id).sort());
    expect(idsIn(lines)).toEqual(expect.arrayContaining(["noon", "mode", "unranked"]));
    const without = await exported(homes[engine], ...since, "--no-withheld");
    expect(idsIn(without.lines)).toContain("noon");
    expect(idsIn(without.lines)).not.toContain("before-noon");
    expect(idsIn(without.lines)).not.toContain("mode");
  });
});

/** What each shard has left, by how it was pruned. */
const PRUNED = {
  pruned: (writer: Writer) => prune(writer, NOON - DAY, { rest: 0 }),
  "half pruned": (writer: Writer) => {
    const ending = new AbortController();
    const onStep = () => ending.abort();
    return prune(writer, NOON - DAY, { step: 15, rest: 0, onStep, signal: ending.signal });
  },
};

testLong.each([
  ["half pruned", "SQLite", "PostgreSQL"],
  ["pruned", "PostgreSQL", "SQLite"],
] as const)(
  "a %s and redacted shard in %s is the same after exports to %s and back",
  async (how, engine, other) => {
    const name = `${how}-${engine}`;
    const home = aHome(engine, `${name}-source`);
    await ingestAt(home, [...records, ...linesOf("na", 40, NOON - 3 * DAY)]);
    const redacted = await matchbookAt(home, ["redact", "na", "ann", "--yes"]);
    expect([redacted.exitCode, redacted.stderr]).toEqual([0, ""]);
    await lookInto(home, PRUNED[how]);
    const { lines } = await exported(home);
    const isState = (line: string) => line.startsWith('{"meta":');
    expect(lines.split("\n").filter(isState).length).toBeGreaterThan(10);

    let from = home;
    for (const [target, step] of [
      [other, "there"],
      [engine, "back"],
    ] as const) {
      const given = (await exported(from)).lines;
      const copy = aHome(target, `${name}-${step}`);
      for (const _ of ["first", "again"]) {
        const taken = await matchbookAt(copy, ["ingest", "-"], given);
        expect([taken.exitCode, taken.stderr]).toEqual([0, ""]);
        expect(await digestAt(copy)).toEqual(await digestAt(home));
        expect(await countsOf(copy)).toEqual(await countsOf(home));
        expect((await exported(copy)).lines).toBe(lines);
      }
      expect((await matchbookAt(copy, ["verify", "na", "--full-speed"])).exitCode).toBe(0);
      from = copy;
    }
  },
);

test("a damaged record ends the export, and is named", async () => {
  const home = homeAt(path("hurt"), `sqlite:${path("hurt.db")}`);
  await ingestAt(home, records);
  const rows = sqliteRows(path("hurt.db"));
  const { id } = rows.rows("match")[0]!;
  rows.change("match", { id }, ({ document }) => ({ document: inverted(document, -9) }));
  const failed = await matchbookAt(home, ["export", "na"]);
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain(`match ${id} is damaged`);
  expect(failed.stdout).not.toContain(id);
});

test("a record that is too long for the settings is exported, with the limit that ingest needs", async () => {
  const home = homeAt(path("long"), `sqlite:${path("long.db")}`);
  await ingestAt(home, [JSON.stringify(aMatch({ stats: { text: "ä".repeat(3000) } }))]);
  const config = path("short.toml");
  writeFileSync(
    config,
    `max-record-bytes = "1KiB"\n[shards.na]\nurl = "sqlite:${path("long.db")}"\n`,
  );
  const { exitCode, stdout, stderr } = await matchbook(["export", "na", "--config", config]);
  expect(exitCode).toBe(0);
  const [, limit] = /The longest record has (\d+) bytes: .*--max-record-bytes \1\./.exec(stderr)!;
  const copy = path("long-copy");
  const ingest = (most: number) =>
    matchbook(["ingest", "-", "--data", copy, "--max-record-bytes", `${most}`], { stdin: stdout });
  expect((await ingest(Number(limit) - 1)).exitCode).toBe(1);
  expect((await ingest(Number(limit))).exitCode).toBe(0);
});

test("a reader that closes the pipe ends the export without an error", async () => {
  const home = homes.SQLite;
  const command = `"$1" export na --data "$2" --config "$2/matchbook.toml" | head -c 100`;
  const script = `set -o pipefail; ${command}`;
  const child = Bun.spawn(["bash", "-c", script, "-", MATCHBOOK, home], {
    stdout: "pipe",
    stderr: "pipe",
  });
  expect((await new Response(child.stdout).text()).length).toBe(100);
  expect(await new Response(child.stderr).text()).toBe("");
  expect(await child.exited).toBe(0);
});

describe("wrong usage", () => {
  test.each([
    [["--since", "yesterday"], /invalid --since "yesterday".*time zone/],
    [["--since", "2026-03-01"], /invalid --since/],
  ] as const)("%p is reported", async (flags, message) => {
    const { exitCode, stdout, stderr } = await matchbookAt(homes.SQLite, [
      "export",
      "na",
      ...flags,
    ]);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });
});
