/**
 * Tests `matchbook export`: what it writes, ingest takes back to the identical records, on every engine. Pruned and redacted
 * shards are in test/features/export-pruned.test.ts, and copies in the other engine in test/properties/state.test.ts.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { ShardRecord } from "../../src/store/store.ts";
import { inverted } from "../support/engine.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { ENGINES, type Engine, engineHomes } from "../support/engine-worlds.ts";
import { hasProgram, skipWithout } from "../support/needs.ts";
import {
  digestAt,
  homeAt,
  ingestAt,
  linesOf,
  lookInto,
  matchbookAt,
  shardsFile,
} from "../support/places.ts";
import { MATCHBOOK, matchbook, spawnMatchbook } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
import { richMatch } from "../support/rich-match.ts";
import { countsOf, until } from "../support/state.ts";
import { startProxy } from "../support/tcp-proxy.ts";
import { aFolder } from "../support/world.ts";

const NOON = Date.UTC(2026, 2, 1, 12);
const folder = aFolder();
const path = (name: string) => join(folder.path, name);
const homeIn = engineHomes();

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

const homes = {} as Record<Engine, string>;

beforeAll(async () => {
  for (const engine of ENGINES) {
    const { data } = homeIn(engine);
    await ingestAt(data, records);
    const newer = JSON.stringify(
      aMatch({ id: "replaced", mode: "casual", rosters: duel({ id: "r2" }, { id: "r3" }) }),
    );
    const replaced = await matchbookAt(data, ["ingest", "-", "--replace"], newer);
    expect(replaced.exitCode).toBe(0);
    homes[engine] = data;
  }
});
afterAll(() => folder.remove());

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
  const args = ["export", "na", "--json", ...flags];
  const { exitCode, stdout, stderr } = await matchbookAt(home, args);
  expect(exitCode).toBe(0);
  return { lines: stdout, ...JSON.parse(stderr) };
}

describe.each(ENGINES)("an export from %s", (engine) => {
  test.each(["ndjson", "ndjson.gz", "ndjson.zst"])(
    "as .%s gives the identical records in an empty shard, on either engine",
    async (suffix) => {
      const home = homes[engine];
      const file = path(`${engine}.${suffix}`);
      const made = await matchbookAt(home, ["export", "na", "--output", file, "--json"]);
      expect([made.exitCode, made.stderr]).toEqual([0, ""]);
      const all = await storedIn(home);
      const served = all.filter(({ fate }) => fate.state === "served").length;
      expect(JSON.parse(made.stdout)).toEqual({
        shard: "na",
        file,
        served,
        withheld: all.length - served,
        bytes: readFileSync(file).length,
      });
      const target =
        ENGINES[suffix === "ndjson.gz" ? ENGINES.indexOf(engine) : 1 - ENGINES.indexOf(engine)]!;
      const copy = homeIn(target).data;
      const taken = await matchbookAt(copy, ["ingest", file]);
      expect([taken.exitCode, taken.stderr]).toEqual([0, ""]);
      expect(await storedIn(copy)).toEqual(all);
      expect(await digestAt(copy)).toEqual(await digestAt(home));
      expect(await countsOf(copy)).toEqual(await countsOf(home));
    },
  );

  test("has one valid document per record; --no-withheld and --since select some", async () => {
    const home = homes[engine];
    const all = await storedIn(home);
    const idsOf = (chosen: typeof all) => chosen.map(({ match }) => match.id).sort();
    const isServed = ({ fate }: ShardRecord) => fate.state === "served";
    const { lines, served, withheld } = await exported(home);
    expect(idsIn(lines)).toEqual(idsOf(all));
    expect(served + withheld).toBe(all.length);
    const withoutWithheld = await exported(home, "--no-withheld");
    expect([idsIn(withoutWithheld.lines), withoutWithheld.withheld]).toEqual([
      idsOf(all.filter(isServed)),
      0,
    ]);
    const since = ["--since", "2026-03-01T13:00:00+01:00"];
    const later = all.filter(({ match }) => match.createdAt >= NOON);
    expect(idsIn((await exported(home, ...since)).lines)).toEqual(idsOf(later));
    expect(idsOf(later)).toEqual(expect.arrayContaining(["noon", "mode", "unranked"]));
    const both = await exported(home, ...since, "--no-withheld");
    expect(idsIn(both.lines)).toEqual(idsOf(later.filter(isServed)));
  });
});

describe("the compression", () => {
  for (const [program, suffix] of [
    ["gzip", "gz"],
    ["zstd", "zst"],
  ] as const) {
    const tests = () => {
      test(`can be undone by the program ${program}`, async () => {
        const file = path(`program.ndjson.${suffix}`);
        await matchbookAt(homes.SQLite, ["export", "na", "--output", file]);
        const { stdout, exitCode } = Bun.spawnSync([program, "-dc", file]);
        expect(exitCode).toBe(0);
        expect(stdout.toString()).toBe((await exported(homes.SQLite)).lines);
      });
    };
    if (hasProgram(program)) tests();
    else skipWithout(program, tests);
  }
});

describe("the file", () => {
  const exportTo = (file: string, ...flags: string[]) =>
    matchbookAt(homes.SQLite, ["export", "na", "--output", file, ...flags]);

  test("is not replaced without --force", async () => {
    const file = path("there.ndjson");
    writeFileSync(file, "mine");
    const refused = await exportTo(file);
    expect([refused.exitCode, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(/there\.ndjson exists.*--force/);
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect((await exportTo(file, "--force")).exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toBe((await exported(homes.SQLite)).lines);
  });

  test("of another export that is still being written is left alone", async () => {
    const file = path("busy.ndjson");
    writeFileSync(`${file}.partial`, "theirs");
    const refused = await exportTo(file);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/busy\.ndjson\.partial exists/);
    expect(readFileSync(`${file}.partial`, "utf8")).toBe("theirs");
  });

  test("is never a device, even with --force", async () => {
    const link = path("device");
    symlinkSync("/dev/null", link);
    const refused = await exportTo(link, "--force");
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining("not a regular file"),
    ]);
  });

  test("does not appear if a record is damaged, which is named", async () => {
    const home = homeAt(path("hurt"), `sqlite:${path("hurt.db")}`);
    await ingestAt(home, records);
    const rows = sqliteRows(path("hurt.db"));
    const { id } = rows.rows("match")[0]!;
    rows.change("match", { id }, ({ document }) => ({ document: inverted(document, -9) }));
    const out = path("out");
    mkdirSync(out);
    const failed = await matchbookAt(home, ["export", "na", "--output", join(out, "na.ndjson.gz")]);
    expect([failed.exitCode, failed.stdout]).toEqual([1, ""]);
    expect(failed.stderr).toContain(`match ${id} is damaged`);
    expect(readdirSync(out)).toEqual([]);
  });

  test("does not appear if the export is ended by a signal", async () => {
    const { data, place } = homeIn("PostgreSQL");
    await ingestAt(data, records);
    const file = path("ended.ndjson.zst");
    // What the export asks for once its file is open is held back: it is not over when the signal comes.
    let isHeld = false;
    const proxy = await startProxy(Number(new URL(place).port));
    proxy.fate = (_, __, isReply) => {
      isHeld ||= existsSync(`${file}.partial`);
      return isHeld && !isReply ? "is lost" : "passes";
    };
    const through = new URL(place);
    through.port = String(proxy.port);
    const config = shardsFile(path("ended.toml"), { na: through.href });
    const args = ["export", "na", "--output", file, "--config", config];
    const child = spawnMatchbook([...args, "--data", path("ended-data")]);
    await until("the export reads its first record", () => isHeld);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(143);
    proxy.stop();
    expect([existsSync(`${file}.partial`), existsSync(file)]).toEqual([false, false]);
  });
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
