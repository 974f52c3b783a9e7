/** In charge of moves that break off, are in somebody's way, or meet what they must not touch. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { writeFollowing } from "../../src/document/fragment.ts";
import { recordsIn } from "../../src/move/move.ts";
import { openForWriting } from "../../src/store/sqlite/open.ts";
import { writeLines } from "../support/demo.ts";
import { homeAt, linesOf, lookInto, matchbookAt } from "../support/places.ts";
import { type Cluster, startCluster, startReplica } from "../support/postgres.ts";
import { spawnMatchbook } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { servedPages, until } from "../support/state.ts";
import { aFolder } from "../support/world.ts";

const MATCHES = 600;
const now = Date.now();
const folder = aFolder();
const path = (name: string) => join(folder.path, name);
const file = path("matches.ndjson");
/** A shard in a file, which no test changes. */
let home: string;
let cluster: Cluster;
let database: SQL;

beforeAll(async () => {
  cluster = await startCluster();
  database = new SQL(cluster.url);
  writeLines(file, linesOf("na", MATCHES, now));
  home = homeAt(path("home"), `sqlite:${path("home.db")}`);
  expect((await matchbookAt(home, ["ingest", file])).exitCode).toBe(0);
}, 60_000);

afterAll(async () => {
  await database.close();
  cluster.remove();
  folder.remove();
});

const schema = (name: string) => `${cluster.url}?schema=${name}`;
const moving = (to: string, ...more: string[]) => ["shards", "move", "na", "--to", to, ...more];
const digestAt = async (where: string) =>
  (await matchbookAt(where, ["shards", "digest", "na", "--json"])).stdout;
const recordsAt = (where: string) =>
  lookInto(where, async (writer) => recordsIn(await writer.counts()));

describe("a move that is killed", () => {
  const tries: [engine: string, place: (name: string) => string][] = [
    ["PostgreSQL", (name) => schema(name)],
    ["SQLite", (name) => `sqlite:${path(`${name}.db`)}`],
  ];
  test.each(tries)(
    "into %s leaves the source alone and is finished by --resume",
    async (engine, place) => {
      const to = place(`killed_${engine.toLowerCase()}`);
      const copy = homeAt(path(`killed-${engine}`), to);
      const before = await digestAt(home);
      const args = moving(to, "--batch", "40", "--config", join(home, "matchbook.toml"));
      const child = spawnMatchbook([...args, "--data", home]);
      await until("the first records are copied", async () => (await recordsAt(copy)) > 0);
      child.kill("SIGKILL");
      await child.exited;
      expect(child.signalCode).toBe("SIGKILL");
      const left = await recordsAt(copy);
      expect(left).toBeLessThan(MATCHES);
      expect(await digestAt(home)).toBe(before);

      const again = await matchbookAt(home, moving(to));
      expect(again.exitCode).toBe(1);
      expect(again.stderr).toMatch(/\b\d+ records\b.*--resume/);
      const resumed = await matchbookAt(home, moving(to, "--resume"));
      expect([resumed.exitCode, resumed.stderr]).toEqual([0, ""]);
      expect(resumed.stdout).toContain(`Copied ${MATCHES - left} records. All ${MATCHES} of na`);
      expect(await digestAt(copy)).toBe(before);
      expect(await servedPages(copy, now)).toEqual(await servedPages(home, now));
    },
    120_000,
  );
});

describe("--resume", () => {
  test("brings a copy up to date with what came in since", async () => {
    const source = homeAt(path("growing"), `sqlite:${path("growing.db")}`);
    const lines = linesOf("na", 60, now);
    await matchbookAt(source, ["ingest", "-"], lines.slice(0, 50).join("\n"));
    const to = schema("growing");
    expect((await matchbookAt(source, moving(to))).exitCode).toBe(0);
    await matchbookAt(source, ["ingest", "-"], lines.join("\n"));
    const resumed = await matchbookAt(source, moving(to, "--resume"));
    expect(resumed.stdout).toContain("Copied 10 records. All 60 of na");
    expect(await digestAt(homeAt(path("grown"), to))).toBe(await digestAt(source));
  }, 60_000);

  test("adds nothing to a place that is no copy", async () => {
    const original = linesOf("na", 20, now);
    const source = homeAt(path("source"), `sqlite:${path("source.db")}`);
    await matchbookAt(source, ["ingest", "-"], original.slice(0, 10).join("\n"));
    const changed = JSON.parse(original[3]!);
    changed.data.attributes.duration += 1;
    for (const [name, line, what] of [
      ["more", original[15]!, "missing"],
      ["other", JSON.stringify(changed), "different"],
    ] as const) {
      const other = homeAt(path(name), `sqlite:${path(`${name}.db`)}`);
      await matchbookAt(other, ["ingest", "-"], [original[0], line].join("\n"));
      const before = await digestAt(other);
      const refused = await matchbookAt(source, moving(`sqlite:${path(`${name}.db`)}`, "--resume"));
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain(`${path(`${name}.db`)} is not a copy of na`);
      expect(refused.stderr).toContain(`is ${what} in na`);
      expect(await digestAt(other)).toBe(before);
    }
  }, 60_000);
});

test("ingest waits for the move and then goes on, while callers read and servers start", async () => {
  const source = homeAt(path("busy"), schema("busy"));
  expect((await matchbookAt(source, ["ingest", file])).exitCode).toBe(0);
  const target = path("busy.db");
  openForWriting(target).close();
  // The move has its turn at the source, and waits for one at the target.
  const holder = new Database(target);
  holder.run("BEGIN IMMEDIATE");
  const move = matchbookAt(source, moving(`sqlite:${target}`));
  await until("the move holds the lock", async () => (await turns({ granted: true })) === 1);
  const late = aMatch({ shard: "na" });
  const ingest = matchbookAt(source, ["ingest", "-", "--json"], JSON.stringify(late));
  await until("ingest waits for the lock", async () => (await turns({ granted: false })) === 1);

  const pages = await servedPages(source, now);
  expect(pages.size).toBeGreaterThan(0);
  expect(await turns({ granted: false })).toBe(1);

  holder.run("ROLLBACK");
  holder.close();
  expect((await move).exitCode).toBe(0);
  const { exitCode, stdout } = await ingest;
  expect([exitCode, JSON.parse(stdout).stored]).toEqual([0, 1]);
  expect(await recordsAt(source)).toBe(MATCHES + 1);
  expect(await recordsAt(homeAt(path("moved"), `sqlite:${target}`))).toBe(MATCHES);
}, 120_000);

/** How many have their turn at a shard of the database, or wait for one. */
async function turns({ granted }: { granted: boolean }): Promise<number> {
  const [row] = await database`
    SELECT count(*)::integer AS found FROM pg_locks
    WHERE locktype = 'advisory' AND granted = ${granted}`;
  return row.found;
}

describe("damage in the source", () => {
  const cases: [what: string, sql: string][] = [
    ["a served match", "SELECT id, served AS bytes, 'matches' AS place FROM matches"],
    ["a withheld match", "SELECT id, sheet AS bytes, 'withheld' AS place FROM withheld"],
    ["a player", "SELECT id, resource AS bytes, 'players' AS place FROM players"],
  ];
  const column = { matches: "served", withheld: "sheet", players: "resource" };
  test.each(cases)(
    "in %s stops the move, with its name",
    async (what, sql) => {
      const name = what.replaceAll(" ", "-");
      const damaged = path(`${name}.db`);
      copyFileSync(path("home.db"), damaged);
      const store = new Database(damaged);
      const row = store
        .query<{ id: string; bytes: Uint8Array; place: keyof typeof column }, []>(
          `${sql} ORDER BY rowid LIMIT 1 OFFSET 20`,
        )
        .get()!;
      row.bytes[row.bytes.length - 9]! ^= 1;
      store
        .query(`UPDATE ${row.place} SET ${column[row.place]} = ? WHERE id = ?`)
        .run(row.bytes, row.id);
      store.close();

      const moved = await matchbookAt(
        homeAt(path(name), `sqlite:${damaged}`),
        moving(`sqlite:${path(`${name}-copy.db`)}`, "--batch", "10"),
      );
      expect([moved.exitCode, moved.stdout]).toEqual([1, ""]);
      const called = row.place === "players" ? `player ${row.id}` : `match ${row.id}`;
      expect(moved.stderr).toContain(`matchbook: ${called} is damaged`);
      expect(moved.stderr).toContain("backup");
    },
    60_000,
  );
});

test("a copy that serves something else is not to be used", async () => {
  // A player who is stored soundly, but not as the records have it.
  const odd = path("odd.db");
  copyFileSync(path("home.db"), odd);
  const store = new Database(odd);
  const { id } = store.query<{ id: string }, []>("SELECT id FROM players LIMIT 1").get()!;
  const resource = writeFollowing(`{"type":"player","id":"${id}"}`);
  store.query("UPDATE players SET resource = ? WHERE id = ?").run(resource, id);
  store.close();
  const source = homeAt(path("odd"), `sqlite:${odd}`);
  const to = path("odd-copy.db");
  const { exitCode, stdout, stderr } = await matchbookAt(source, moving(`sqlite:${to}`));
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(`the copy of na in ${to} differs`);
  expect(stderr).toContain(`original  ${JSON.parse(await digestAt(source)).digest}`);
  expect(stderr).toContain(`copy      ${JSON.parse(await digestAt(home)).digest}`);
}, 60_000);

describe("a move that cannot be made", () => {
  const fails = async (args: string[]) => {
    const { exitCode, stdout, stderr } = await matchbookAt(home, args);
    expect(stdout).toBe("");
    return [exitCode, stderr];
  };

  test("to where the shard is already, by whatever name, is misuse", async () => {
    const same = `${folder.path}/home/../home.db`;
    expect(await fails(moving(`sqlite:${same}`))).toEqual([
      2,
      expect.stringContaining(`${same} is the location of shard na`),
    ]);
  });

  test("to the same database under another name, or to its replica, is no move", async () => {
    const source = homeAt(path("original"), schema("original"));
    await matchbookAt(source, ["ingest", "-"], linesOf("na", 10, now).join("\n"));
    const follower = await startReplica(cluster);
    try {
      for (const [one, other] of [
        ["127.0.0.1", "localhost"],
        [`:${cluster.port}`, `:${follower.port}`],
      ] as const) {
        const to = schema("original").replace(one, other);
        const { exitCode, stdout, stderr } = await matchbookAt(source, moving(to, "--resume"));
        expect([exitCode, stdout]).toEqual([1, ""]);
        expect(stderr).toMatch(/\bna\b.* another name.* replica/);
      }
    } finally {
      follower.remove();
    }
  }, 60_000);

  test("to a place that cannot be understood does not repeat it", async () => {
    const [exitCode, stderr] = await fails(moving("mysql://user:hidden@host/database"));
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/--to.*sqlite:PATH or postgres:/);
    expect(stderr).not.toContain("hidden");
  });

  test("to a server that does not answer hides the password", async () => {
    const [exitCode, stderr] = await fails(moving("postgres://user:hidden@127.0.0.1:1/database"));
    expect(exitCode).toBe(1);
    expect(stderr).toContain("postgres://127.0.0.1:1/database");
    expect(stderr).not.toContain("hidden");
  });

  test("for want of rights says which are needed", async () => {
    await database`CREATE ROLE guest LOGIN`;
    const [exitCode, stderr] = await fails(moving(schema("x").replace("matchbook@", "guest@")));
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/permission denied .*GRANT CREATE/);
    const closed = await fails(moving("sqlite:/proc/na.db"));
    expect(closed).toEqual([1, expect.stringContaining("/proc/na.db")]);
  });
});
