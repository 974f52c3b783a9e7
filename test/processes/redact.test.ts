/**
 * `matchbook redact` as a process: what it prints, backups, and shards that were put back. What is left of a player, and
 * what is served meanwhile, is tested in test/features/redact.test.ts and by the soak.
 */

import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { withRedactionList } from "../../src/open-access.ts";
import { ENGINES, type EngineHome, engineHomes } from "../support/engine-worlds.ts";
import {
  digestAt,
  doneAt,
  ingestAt,
  linesOf,
  lookInto,
  matchbookAt,
  settingsAt,
} from "../support/places.ts";
import { type Finished, matchbook } from "../support/process.ts";
import { pruneAt } from "../support/prune.ts";
import { aMatch, duel, type MatchDocument } from "../support/records.ts";
import { filesWith, redactIn, removeList, storedText } from "../support/redact.ts";
import { aFolder } from "../support/world.ts";

const NAME = "Ada Lovelace";
const SECRETS = [NAME, "Poetical science"];
const ADA = { id: "ada", name: NAME, attributes: { motto: "Poetical science" } };
const REDACT = ["redact", "na", "ada", "--yes", "--json"];

const homeIn = engineHomes();

const played = (id: string, minute: number, mode = "casual") =>
  aMatch({
    ...{ id, mode, createdAt: Date.UTC(2024, 0, 1, 0, minute) },
    rosters: duel(ADA, { id: "bob", name: "Bob" }),
  });
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => played(`m${index}`, index));
const linesFor = (records: object[]) => records.map((record) => JSON.stringify(record));
const ingest = (data: string, records: object[]) =>
  matchbookAt(data, ["ingest", "-", "--json"], linesFor(records).join("\n"));

const reportOf = ({ exitCode, stdout, stderr }: Finished) => {
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout);
};

/** Neither in what the program can read, nor anywhere else. */
async function expectNothingLeft({ data, place, schema }: EngineHome): Promise<void> {
  const text = await lookInto(data, storedText);
  expect(SECRETS.filter((secret) => text.includes(secret))).toEqual([]);
  expect(filesWith(data, SECRETS)).toEqual([]);
  if (place.startsWith("sqlite:")) return;
  const sql = new SQL(place.split("?")[0]!);
  const tables = await sql`SELECT tablename FROM pg_tables WHERE schemaname = ${schema}`;
  for (const { tablename } of tables) {
    const rows = await sql.unsafe(`SELECT t::text AS row FROM "${schema}"."${tablename}" AS t`);
    expect(SECRETS.filter((one) => JSON.stringify(rows).includes(one))).toEqual([]);
  }
  await sql.close();
}

/** Rows are packed anew in such a file, and parts of them must not stay in the gaps between them. */
test.each<[how: string, commands: string[][]]>([
  [
    "restored",
    [
      ["backup", "copies", "na", "--data", "data"],
      ["restore", "copies", "na", "--data", "restored"],
    ],
  ],
  ["repaired", [["repair", "na", "--data", "data"]]],
])("nothing of a player is left in a file that was %s", async (how, commands) => {
  using folder = aFolder();
  const data = join(folder.path, "data");
  mkdirSync(data);
  const lines = linesOf("na", 600, Date.UTC(2026, 0, 31));
  await ingestAt(data, lines);
  for (const command of commands) {
    expect((await matchbook(command, { cwd: folder.path })).exitCode).toBe(0);
  }
  const made = how === "restored" ? join(folder.path, how) : data;
  const players = lines.flatMap((line) =>
    (JSON.parse(line) as MatchDocument).included.filter(({ type }) => type === "player"),
  );
  // Several players may have the same name.
  const byName = Map.groupBy(players, ({ attributes }) => (attributes as { name: string }).name);
  const names: string[] = [];
  const ids: string[] = [];
  for (const [name, those] of byName) {
    const [id, ...others] = new Set(those.map((player) => player.id as string));
    if (others.length > 0 || ids.length === 40) continue;
    names.push(name);
    ids.push(id!);
  }
  await redactIn(settingsAt(made), "na", ...ids);
  const file = readFileSync(join(made, "na.db"));
  expect(names.filter((name) => file.includes(name))).toEqual([]);
});

describe.each(ENGINES)("in %s, redact", (engine) => {
  test("removes the player, says so, keeps the player out, and can be repeated", async () => {
    const home = homeIn(engine);
    const { data } = home;
    const records = [...many(3), played("hidden", 9, "practice")];
    await ingestAt(data, linesFor(records));
    const unconfirmed = await matchbookAt(data, ["redact", "na", "ada"]);
    expect(unconfirmed.exitCode).toBe(2);
    expect(unconfirmed.stderr).toMatch(/^matchbook: nothing was changed: 4 records .*--yes/);
    expect(await lookInto(data, storedText)).toContain(NAME);

    const done = reportOf(await matchbookAt(data, REDACT));
    expect(done).toEqual({ shard: "na", players: ["ada"], served: 3, withheld: 1, erased: true });
    await expectNothingLeft(home);
    const again = await matchbookAt(data, ["redact", "na", "ada"]);
    expect({ ...again, stdout: again.stdout.replaceAll(/ +/g, " ") }).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: "players 1\nserved rewritten 0\nwithheld rewritten 0\n",
    });
    const report = reportOf(await ingest(data, [...records, played("new", 30)]));
    expect(report).toMatchObject({ stored: 1, duplicate: 4, conflict: 0 });
    await expectNothingLeft(home);

    const list = reportOf(await matchbookAt(data, ["redact", "--list", "--json"]));
    expect(list).toEqual([{ shard: "na", player: "ada", redactedAt: expect.any(String) }]);
    const table = await matchbookAt(data, ["redact", "--list", "na"]);
    expect(table.stdout).toMatch(/^SHARD .*\nna +ada +2\S+Z\n$/);
    expect(statSync(join(data, "redactions.sqlite")).mode & 0o777).toBe(0o600);
  });

  test("reaches a player whom only pruned matches named, as a participant or in a link", async () => {
    const home = homeIn(engine);
    const { data } = home;
    const document = played("m1", 1);
    Object.assign(document.included.find(({ id }) => id === "bob")!, {
      relationships: { friend: { data: { type: "player", id: "eve", meta: { called: NAME } } } },
    });
    await ingestAt(data, linesFor([document]));
    await pruneAt(settingsAt(data), "na", Date.UTC(2024, 0, 2));
    expect(await lookInto(data, storedText)).toContain(NAME);
    // The name of a player is not an id.
    expect((await matchbookAt(data, ["redact", "na", "Bob", "--yes"])).exitCode).toBe(1);
    for (const player of ["ada", "eve"]) {
      const redact = ["redact", "na", player];
      expect((await matchbookAt(data, redact)).exitCode).toBe(2);
      const done = reportOf(await matchbookAt(data, [...redact, "--yes", "--json"]));
      expect(done).toMatchObject({ players: [player], served: 0, withheld: 0, erased: true });
    }
    await expectNothingLeft(home);
    expect(await lookInto(data, storedText)).toContain("Bob");
  });

  test("is needed by a shard that was put back as it was before: it is refused until then", async () => {
    const home = homeIn(engine);
    const { data } = home;
    await ingestAt(data, linesFor(many(3)));
    await withRedactionList(settingsAt(data), (list) =>
      list.add("na", [{ playerId: "ada", redactedAt: 0 }]),
    );
    const message =
      "shard na still has players who were redacted (1 on the list), e.g. because an older backup was put back: run 'matchbook redact na'\n";
    for (const command of [
      ["shards", "digest", "na"],
      ["export", "na"],
    ]) {
      const stderr = expect.stringContaining(message);
      expect(await matchbookAt(data, command)).toMatchObject({ exitCode: 1, stderr });
    }
    const doctor = await matchbookAt(data, ["doctor"]);
    expect(doctor.stdout).toContain(message.slice(0, message.indexOf(":")));
    // Nobody reads what is stored meanwhile.
    expect(reportOf(await ingest(data, [played("new", 30)]))).toMatchObject({ stored: 1 });
    reportOf(await matchbookAt(data, ["redact", "na", "--json"]));
    await expectNothingLeft(home);
    expect(reportOf(await ingest(data, [played("new", 30)]))).toMatchObject({ duplicate: 1 });
  });
});

test("redactions are applied again when an older backup is restored, and are part of new ones", async () => {
  const home = homeIn("SQLite");
  const { data, file, beside } = home;
  const records = many(5);
  await ingestAt(data, linesFor(records));
  const run = (...args: string[]) => doneAt(data, args);
  await run("backup", beside("older"));
  await run("redact", "na", "ada", "--yes");
  const { digest } = await digestAt(data);
  await run("backup", beside("newer"));
  const manifest = JSON.parse(readFileSync(join(beside("newer"), "manifest.json"), "utf8"));
  expect(manifest.redactions).toMatchObject([{ shard: "na", player: "ada" }]);
  expect(filesWith(beside("newer"), SECRETS)).toEqual([]);

  for (const backup of ["older", "newer"]) {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
    // The newer one on another machine, which has no list.
    if (backup === "newer") removeList(data);
    await run("restore", beside(backup));
    expect((await digestAt(data)).digest).toBe(digest);
    expect(reportOf(await ingest(data, records))).toMatchObject({ stored: 0, duplicate: 5 });
    await expectNothingLeft(home);
  }
  expect(JSON.parse(await run("redact", "--list", "--json"))).toHaveLength(1);
});

test("nothing is changed if the redaction cannot be listed", async () => {
  const home = homeIn("SQLite");
  const { data } = home;
  await ingestAt(data, linesFor(many(1)));
  const list = join(data, "redactions.sqlite");
  mkdirSync(list);
  const stderr = expect.stringContaining(`cannot use ${list}`);
  expect(await matchbookAt(data, REDACT)).toMatchObject({ exitCode: 1, stderr });
  expect(await lookInto(data, storedText)).toContain(NAME);
  rmSync(list, { recursive: true });
  reportOf(await matchbookAt(data, REDACT));
  await expectNothingLeft(home);
});

test("with --force, a player is redacted whom no record names yet", async () => {
  const home = homeIn("SQLite");
  const { data } = home;
  await ingestAt(data, linesFor([aMatch({ id: "other", createdAt: Date.UTC(2024, 0, 1) })]));
  reportOf(await matchbookAt(data, [...REDACT, "--force"]));
  expect(reportOf(await ingest(data, many(2)))).toMatchObject({ stored: 2 });
  await expectNothingLeft(home);
});

test("with keys-database, a redaction counts for every instance, and nothing changes while it is unavailable", async () => {
  const [shard, older, keys] = [homeIn("PostgreSQL"), homeIn("PostgreSQL"), homeIn("PostgreSQL")];
  const withKeys = ({ data }: EngineHome, database: string) => {
    const config = join(data, "matchbook.toml");
    const shards = readFileSync(config, "utf8").replace(/^keys-database.*\n/, "");
    writeFileSync(config, `keys-database = "${database}"\n${shards}`);
  };
  for (const home of [shard, older]) {
    withKeys(home, keys.place);
    await ingestAt(home.data, linesFor([played("m1", 1)]));
  }
  withKeys(shard, "postgres://127.0.0.1:1/none");
  const stderr = expect.stringContaining("127.0.0.1:1");
  expect(await matchbookAt(shard.data, REDACT)).toMatchObject({ exitCode: 1, stderr });
  withKeys(shard, keys.place);
  expect(await lookInto(shard.data, storedText)).toContain(NAME);

  reportOf(await matchbookAt(shard.data, REDACT));
  // The same shard as it was before, on another machine.
  const exported = () => matchbookAt(older.data, ["export", "na"]);
  expect(await exported()).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("run 'matchbook redact na'"),
  });
  expect((await matchbookAt(older.data, ["redact", "na"])).exitCode).toBe(0);
  expect((await exported()).stdout).not.toContain(NAME);
});
