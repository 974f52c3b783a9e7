/** Tests `matchbook export`: what it writes, ingest takes back to the identical records, on every engine. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { prune } from "../../src/prune/prune.ts";
import type { ShardRecord } from "../../src/store/store.ts";
import { inverted } from "../support/engine.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { ENGINES, type Engine, engineHomes } from "../support/engine-worlds.ts";
import { digestAt, doneAt, ingestAt, linesOf, lookInto, matchbookAt } from "../support/places.ts";
import { MATCHBOOK, matchbook } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
import { richMatch } from "../support/rich-match.ts";
import { countsOf } from "../support/state.ts";

const NOON = Date.UTC(2026, 2, 1, 12);
const DAY = 86_400_000;

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

const homeIn = engineHomes();
/** What was done to a shard with these records before it is exported. */
const HISTORIES: Record<string, (home: string) => Promise<unknown>> = {
  whole: async () => {},
  async "redacted and half pruned"(home) {
    await doneAt(home, ["redact", "na", "ann", "--yes"]);
    const ending = new AbortController();
    const onStep = () => ending.abort();
    const options = { step: 15, rest: 0, onStep, signal: ending.signal };
    await lookInto(home, (writer) => prune(writer, NOON - DAY, options));
  },
};

async function aSource(engine: Engine, how = "whole"): Promise<string> {
  const { data } = homeIn(engine);
  await ingestAt(data, records);
  const newer = JSON.stringify(
    aMatch({ id: "replaced", mode: "casual", rosters: duel({ id: "r2" }, { id: "r3" }) }),
  );
  await doneAt(data, ["ingest", "-", "--replace"], newer);
  await HISTORIES[how]!(data);
  return data;
}

/** Every record as it is stored, byte for byte. */
const storedIn = (home: string): Promise<ShardRecord[]> =>
  lookInto(home, (writer) => writer.survey(async (all) => all.records(undefined, 10_000)));

/** Exports to standard output; the counts come on standard error. */
async function exported(home: string) {
  const { exitCode, stdout, stderr } = await matchbookAt(home, ["export", "na"]);
  expect(exitCode).toBe(0);
  const counts = stderr.matchAll(/^(\w+) +(\d+)$/gm);
  return {
    lines: stdout,
    ...Object.fromEntries(counts.map(([, name, count]) => [name, Number(count)])),
  };
}

describe.each(ENGINES)("an export from %s", (engine) => {
  const cases = Object.keys(HISTORIES).flatMap((how) => ENGINES.map((to) => [how, to] as const));
  test.each(cases)("of a %s shard gives the identical one in %s", async (how, target) => {
    const home = await aSource(engine, how);
    const { lines, ...counts } = await exported(home);
    const { served, withheld } = (await countsOf(home)).na!;
    const all = { served, withheld: Object.values(withheld).reduce((sum, one) => sum + one, 0) };
    expect(counts).toEqual({ ...all, bytes: Buffer.byteLength(lines) });
    const { data: copy } = homeIn(target);
    for (const _ of ["first", "again"]) {
      const taken = await matchbookAt(copy, ["ingest", "-"], lines);
      expect([taken.exitCode, taken.stderr]).toEqual([0, ""]);
      expect(await storedIn(copy)).toEqual(await storedIn(home));
      expect(await digestAt(copy)).toEqual(await digestAt(home));
      expect(await countsOf(copy)).toEqual(await countsOf(home));
      expect((await exported(copy)).lines).toBe(lines);
    }
    await doneAt(copy, ["verify", "na", "--full-speed"]);
  });
});

test("a damaged record ends the export, and is named", async () => {
  const { data: home, file } = homeIn("SQLite");
  await ingestAt(home, records);
  const rows = sqliteRows(file);
  const { id } = rows.rows("match")[0]!;
  rows.change("match", { id }, ({ document }) => ({ document: inverted(document, -9) }));
  const failed = await matchbookAt(home, ["export", "na"]);
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain(`match ${id} is damaged`);
  expect(failed.stdout).not.toContain(id);
});

test("a record that is too long for the settings is exported, and ingest says which setting it needs", async () => {
  const { data: home, file, beside } = homeIn("SQLite");
  await ingestAt(home, [JSON.stringify(aMatch({ stats: { text: "ä".repeat(3000) } }))]);
  const config = beside("short.toml");
  writeFileSync(config, `max-record-bytes = "1KiB"\n[shards.na]\nurl = "sqlite:${file}"\n`);
  const { exitCode, stdout } = await matchbook(["export", "na", "--config", config]);
  expect(exitCode).toBe(0);
  const limit = Buffer.byteLength(stdout) - 1;
  const copy = beside("copy");
  const ingest = (most: number) =>
    matchbook(["ingest", "-", "--data", copy, "--max-record-bytes", `${most}`], { stdin: stdout });
  const refused = await ingest(limit - 1);
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining("raise max-record-bytes"),
  ]);
  expect((await ingest(limit)).exitCode).toBe(0);
});

test("a reader that closes the pipe ends the export without an error", async () => {
  const command = `"$1" export na --data "$2" --config "$2/matchbook.toml" | head -c 100`;
  const script = `set -o pipefail; ${command}`;
  const child = Bun.spawn(["bash", "-c", script, "-", MATCHBOOK, await aSource("SQLite")], {
    stdout: "pipe",
    stderr: "pipe",
  });
  expect((await new Response(child.stdout).text()).length).toBe(100);
  expect(await new Response(child.stderr).text()).toBe("");
  expect(await child.exited).toBe(0);
});
