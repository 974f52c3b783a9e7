/** `matchbook redact` as a process, on both engines: backups, restores, servers and ingest meanwhile. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { digestAt, homeAt, lookInto, matchbookAt, settingsAt } from "../support/places.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
import { type Finished, startServerProcess } from "../support/process.ts";
import { pruneAt } from "../support/prune.ts";
import { aMatch, duel } from "../support/records.ts";
import { filesWith, removeList, storedText } from "../support/redact.ts";
import { aFolder, JSON_API, makeKey } from "../support/world.ts";

const NAME = "Ada Lovelace";
const SECRETS = [NAME, "Poetical science"];
const ADA = { id: "ada", name: NAME, attributes: { motto: "Poetical science" } };

let postgres: Awaited<ReturnType<typeof aPostgres>>;
beforeAll(async () => {
  postgres = await aPostgres();
});
afterAll(() => postgres.stop());

let homes = 0;

const played = (id: string, minute: number, mode = "casual") =>
  aMatch({
    id,
    shard: "na",
    mode,
    createdAt: Date.UTC(2024, 0, 1, 0, minute),
    rosters: duel(ADA, { id: "bob", name: "Bob" }),
  });

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => played(`m${index}`, index));

describe.each(["SQLite", "PostgreSQL"])("in %s, redact", (engine) => {
  let folder: ReturnType<typeof aFolder>;
  let schema: string;
  let data: string;
  beforeEach(() => {
    folder = aFolder();
    schema = `redacting_${process.pid}_${++homes}`;
    data = home("home");
  });
  afterEach(async () => {
    folder.remove();
    if (engine === "PostgreSQL") await dropSchema(postgres.url, schema);
  });

  const path = (name: string) => join(folder.path, name);
  const file = () => path("home/na.db");
  /** A data folder for the one shard. */
  const home = (name: string) =>
    homeAt(
      path(name),
      engine === "SQLite" ? `sqlite:${file()}` : `${postgres.url}?schema=${schema}`,
    );
  const run = (...args: string[]) => matchbookAt(data, args);
  const ingest = (records: object[]) =>
    matchbookAt(
      data,
      ["ingest", "-", "--json"],
      records.map((record) => `${JSON.stringify(record)}\n`).join(""),
    );
  const backup = (name: string) => run("backup", path(name), "--json");

  /** Removes the shard, as a disaster would. */
  async function destroy(): Promise<void> {
    if (engine === "PostgreSQL") return dropSchema(postgres.url, schema);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file()}${suffix}`, { force: true });
  }

  async function expectNothingLeft(): Promise<void> {
    const text = await lookInto(data, storedText);
    expect(SECRETS.filter((secret) => text.includes(secret))).toEqual([]);
    expect(filesWith(data, SECRETS)).toEqual([]);
    if (engine === "SQLite") return;
    const sql = new SQL(postgres.url);
    const tables = await sql`SELECT tablename FROM pg_tables WHERE schemaname = ${schema}`;
    for (const { tablename } of tables) {
      const rows = await sql.unsafe(`SELECT t::text AS row FROM "${schema}"."${tablename}" AS t`);
      expect(SECRETS.filter((one) => JSON.stringify(rows).includes(one))).toEqual([]);
    }
    await sql.close();
  }

  const expectQuiet = ({ exitCode, stdout, stderr }: Finished) => {
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    return stdout === "" ? undefined : JSON.parse(stdout);
  };

  test("removes the player, says so, keeps the player out, and can be repeated", async () => {
    const records = [...many(3), played("hidden", 9, "practice")];
    await ingest(records);
    const counted = { shard: "na", players: ["ada"], served: 3, withheld: 1 };
    const unconfirmed = await run("redact", "na", "ada");
    expect(unconfirmed.exitCode).toBe(2);
    expect(unconfirmed.stderr).toMatch(/^matchbook: nothing was changed: 4 records .*--yes/);
    expect((await lookInto(data, storedText)).includes(NAME)).toBe(true);

    const done = expectQuiet(await run("redact", "na", "ada", "--yes", "--json"));
    expect(done).toEqual({ ...counted, erased: true });
    await expectNothingLeft();
    const again = await run("redact", "na", "ada");
    expect({ ...again, stdout: again.stdout.replaceAll(/ +/g, " ") }).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: "players 1\nserved rewritten 0\nwithheld rewritten 0\n",
    });
    const report = expectQuiet(await ingest([...records, played("new", 30)]));
    expect(report).toMatchObject({ stored: 1, duplicate: 4, conflict: 0 });
    await expectNothingLeft();

    const list = expectQuiet(await run("redact", "--list", "--json"));
    expect(list).toEqual([{ shard: "na", player: "ada", redactedAt: expect.any(String) }]);
    expect((await run("redact", "--list", "na")).stdout).toMatch(/^SHARD .*\nna +ada +2\S+Z\n$/);
    expect(statSync(join(data, "redactions.sqlite")).mode & 0o777).toBe(0o600);
  });

  test("reaches a player whom only pruned matches named, as a participant or in a link", async () => {
    const document = played("m1", 1);
    Object.assign(document.included.find(({ id }) => id === "bob")!, {
      relationships: { friend: { data: { type: "player", id: "eve", meta: { called: NAME } } } },
    });
    await ingest([document]);
    await pruneAt(settingsAt(data), "na", Date.UTC(2024, 0, 2));
    expect(await lookInto(data, storedText)).toContain(NAME);
    const counted = { shard: "na", served: 0, withheld: 0 };
    // The name of a player is not an id.
    expect((await run("redact", "na", "Bob", "--yes")).exitCode).toBe(1);
    for (const player of ["ada", "eve"]) {
      expect((await run("redact", "na", player)).exitCode).toBe(2);
      const done = expectQuiet(await run("redact", "na", player, "--yes", "--json"));
      expect(done).toEqual({ ...counted, players: [player], erased: true });
    }
    await expectNothingLeft();
    expect(await lookInto(data, storedText)).toContain("Bob");
  });

  const withBackups = async () => {
    const records = many(5);
    await ingest(records);
    expectQuiet(await backup("older"));
    expectQuiet(await run("redact", "na", "ada", "--yes", "--json"));
    const { digest } = await digestAt(data);
    const manifest = expectQuiet(await backup("newer"));
    expect(manifest.redactions).toEqual([
      { shard: "na", player: "ada", redactedAt: expect.any(String) },
    ]);
    expect(filesWith(path("newer"), SECRETS)).toEqual([]);

    await destroy();
    expectQuiet(await run("restore", path("older"), "--json"));
    expect((await digestAt(data)).digest).toBe(digest);
    await expectNothingLeft();
    expect(expectQuiet(await ingest(records))).toMatchObject({ stored: 0, duplicate: 5 });
    await expectNothingLeft();

    // On another machine, which has no list.
    await destroy();
    removeList(data);
    expectQuiet(await run("restore", path("newer"), "--json"));
    expect((await digestAt(data)).digest).toBe(digest);
    expect(expectQuiet(await ingest([...records, played("new", 30)]))).toMatchObject({
      stored: 1,
      duplicate: 5,
    });
    await expectNothingLeft();
    expect(expectQuiet(await run("redact", "--list", "--json"))).toHaveLength(1);
  };
  if (engine === "SQLite") {
    test("is applied again when an older backup is restored, and is part of new ones", withBackups);
  }

  test("a shard that was put back without its redactions is refused until they are applied", async () => {
    await ingest(many(3));
    if (engine === "SQLite") expectQuiet(await backup("older"));
    else writeFileSync(path("older.ndjson"), (await run("export", "na")).stdout);
    expectQuiet(await run("redact", "na", "ada", "--yes", "--json"));
    await destroy();
    if (engine === "SQLite") copyFileSync(path("older/na.db"), file());
    else {
      // As pg_restore would do it: nobody looks at the list.
      const other = home("other");
      expectQuiet(await matchbookAt(other, ["ingest", path("older.ndjson"), "--json"]));
    }
    const message =
      "shard na still has players who were redacted (1 on the list), e.g. because an older backup was put back: run 'matchbook redact na'\n";
    for (const command of ["digest", "export"]) {
      const refused = await run(...(command === "digest" ? ["shards", command] : [command]), "na");
      expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) });
    }
    const doctor = await run("doctor");
    expect(doctor.stdout).toContain(message.slice(0, message.indexOf(":")));
    // Nobody reads what is stored meanwhile.
    expect(expectQuiet(await ingest([played("new", 30)]))).toMatchObject({ stored: 1 });
    expectQuiet(await run("redact", "na", "--json"));
    await expectNothingLeft();
    expect(expectQuiet(await ingest([played("new", 30)]))).toMatchObject({ duplicate: 1 });
  });

  test("while records are served and stored, each response is from before or from after", async () => {
    await ingest(many(120));
    const { key } = await makeKey({ data });
    const server = await startServerProcess([
      ...["--data", data, "--config", join(data, "matchbook.toml")],
      ...["--log-level", "debug", "--rate", "1000000"],
    ]);
    const log = new Response(server.child.stderr).text();
    const headers = { Authorization: `Bearer ${key}`, Accept: JSON_API };
    const window =
      "filter[createdAt-start]=2024-01-01T00:00:00Z&filter[createdAt-end]=2024-01-02T00:00:00Z";
    const paths = [
      `/shards/na/matches?${window}&sort=createdAt`,
      `/shards/na/matches?${window}&sort=-createdAt&page[limit]=3`,
      "/shards/na/matches/m7",
    ];
    let responses = 0;
    let isDone = false;
    /** Reads until it has seen the end; every response is one state, and no later one is older. */
    const read = async (at: string) => {
      const states: string[] = [];
      while (!isDone || states.at(-1) !== "after") {
        const response = await fetch(`${server.url}${at}`, { headers });
        const text = await response.text();
        expect([response.status, text]).toEqual([200, expect.anything()]);
        const { data } = JSON.parse(text);
        const named = text.split('"id":"ada"').length - 1;
        // Once as a resource, and once in each match.
        expect([0, [data].flat().length + 1]).toContain(named);
        expect(text.includes(NAME)).toBe(named > 0);
        const state = named > 0 ? "before" : "after";
        if (states.at(-1) !== state) states.push(state);
        responses += 1;
      }
      return states;
    };
    const readers = Promise.all(paths.map(read));
    const storing = (async () => {
      for (let index = 0; index < 3; index++) {
        expectQuiet(await ingest([played(`more${index}`, 900 + index), ...many(10)]));
      }
    })();
    // Some requests come first.
    while (responses < 10) await Promise.race([readers, new Promise(setImmediate)]);
    expectQuiet(await run("redact", "na", "ada", "--yes", "--json"));
    isDone = true;
    for (const states of await readers) expect(states).toEqual(["before", "after"]);
    await storing;
    await server.end();
    expect((await log).length).toBeGreaterThan(0);
    expect((await log).includes(NAME)).toBe(false);
    await expectNothingLeft();
  });

  test("names what is wrong", async () => {
    await ingest(many(1));
    const wrong = [
      [[], 2, "which shard? Name it, or add --list"],
      [
        ["na", "nobody", "--yes"],
        1,
        "no record in na names a player with the id nobody; with --force, later records are redacted",
      ],
      [["eu", "ada", "--yes"], 1, 'there is no shard "eu"; shards: na'],
      [
        ["na", NAME, "--yes"],
        2,
        "that is not a player id: find the id with filter[playerNames], or in a record",
      ],
    ] as const;
    for (const [args, exitCode, message] of wrong) {
      const { stdout: _, ...found } = await run("redact", ...args);
      expect(found).toEqual({ exitCode, stderr: `matchbook: ${message}\n` });
    }
    expect(existsSync(join(data, "redactions.sqlite"))).toBe(false);
  });

  test("changes nothing if it cannot be listed", async () => {
    await ingest(many(1));
    const list = join(data, "redactions.sqlite");
    mkdirSync(list);
    expect(await run("redact", "na", "ada", "--yes")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`cannot use ${list}`),
    });
    expect((await lookInto(data, storedText)).includes(NAME)).toBe(true);
    rmSync(list, { recursive: true });
    expectQuiet(await run("redact", "na", "ada", "--yes", "--json"));
    await expectNothingLeft();
  });

  test("with --force removes a player whom no record names yet", async () => {
    await ingest([aMatch({ id: "other", shard: "na", createdAt: Date.UTC(2024, 0, 1) })]);
    expectQuiet(await run("redact", "na", "ada", "--yes", "--force", "--json"));
    expect(expectQuiet(await ingest(many(2)))).toMatchObject({ stored: 2 });
    await expectNothingLeft();
  });
});

test("with keys-database, a redaction counts for every instance, and nothing changes while it is unavailable", async () => {
  const folder = aFolder();
  const [schema, older] = [`redacting_${process.pid}_shared`, `redacting_${process.pid}_older`];
  const home = (name: string, place: string, keys = `${postgres.url}?schema=${schema}`) => {
    const data = homeAt(join(folder.path, name), `${postgres.url}?schema=${place}`);
    const config = join(data, "matchbook.toml");
    writeFileSync(config, `keys-database = "${keys}"\n${readFileSync(config, "utf8")}`);
    return data;
  };
  const here = home("here", `${schema}_na`);
  const record = `${JSON.stringify(played("m1", 1))}\n`;
  for (const data of [here, home("old", older)]) await matchbookAt(data, ["ingest", "-"], record);
  const redact = ["redact", "na", "ada", "--yes"];

  const cut = home("cut", `${schema}_na`, "postgres://127.0.0.1:1/none");
  expect(await matchbookAt(cut, redact)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("127.0.0.1:1"),
  });
  expect(await lookInto(here, storedText)).toContain(NAME);

  expect((await matchbookAt(here, redact)).exitCode).toBe(0);
  // The same shard as it was before, on another machine.
  const there = home("there", older);
  expect(await matchbookAt(there, ["export", "na"])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("run 'matchbook redact na'"),
  });
  expect((await matchbookAt(there, ["redact", "na"])).exitCode).toBe(0);
  expect((await matchbookAt(there, ["export", "na"])).stdout).not.toContain(NAME);
  for (const name of [schema, `${schema}_na`, older]) await dropSchema(postgres.url, name);
  folder.remove();
});
