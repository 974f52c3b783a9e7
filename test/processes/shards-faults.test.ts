/** Tests moves that are interrupted, run concurrently with ingest, or find damage. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { writeFollowing } from "../../src/document/fragment.ts";
import { recordsIn } from "../../src/export/move.ts";
import { openForWriting } from "../../src/store/sqlite/open.ts";
import { inverted } from "../support/engine.ts";
import { replaceFirstPlayer, sqliteRows } from "../support/engine-sqlite.ts";
import {
  digestAt,
  doneAt,
  homeAt,
  ingestAt,
  linesOf,
  lookInto,
  matchbookAt,
} from "../support/places.ts";
import { startCluster, startReplica } from "../support/postgres.ts";
import { aMatch } from "../support/records.ts";
import { testLong } from "../support/scale.ts";
import { shared, sharedFolder } from "../support/shared.ts";
import { servedPages, until } from "../support/state.ts";

const MATCHES = 150;
const now = Date.now();
const folder = sharedFolder();
const path = (name: string) => join(folder, name);
const lines = linesOf("na", MATCHES, now);
/** A shard in a file, which no test changes. */
let home: string;
let database: SQL;
// Before the cluster goes.
afterAll(() => database.close());
const cluster = shared(() => startCluster());

beforeAll(async () => {
  database = new SQL(cluster.url);
  home = homeAt(path("home"), `sqlite:${path("home.db")}`);
  await ingestAt(home, lines);
});

const schema = (name: string) => `${cluster.url}?schema=${name}`;
const moving = (to: string) => ["shards", "move", "na", "--to", to];
const recordsAt = (where: string) =>
  lookInto(where, async (writer) => recordsIn(await writer.counts()));

describe("a move that ends early", () => {
  const tries: [engine: string, place: (name: string) => string][] = [
    ["PostgreSQL", (name) => schema(name)],
    ["SQLite", (name) => `sqlite:${path(`${name}.db`)}`],
  ];
  testLong.each(tries)(
    "into %s leaves the source unchanged, and is refused until the part is deleted",
    async (engine, place) => {
      const to = place(`early_${engine.toLowerCase()}`);
      const file = path(`early-${engine}.db`);
      copyFileSync(path("home.db"), file);
      const source = homeAt(path(`early-${engine}`), `sqlite:${file}`);
      const before = await digestAt(source);
      const rows = sqliteRows(file);
      const undo = await rows.keep("withheld match");
      // They are copied last.
      rows.change("withheld match", {}, ({ document }) => ({ document: inverted(document, -9) }));
      expect((await matchbookAt(source, moving(to))).exitCode).toBe(1);
      await undo();
      expect(await digestAt(source)).toEqual(before);

      const again = await matchbookAt(source, moving(to));
      expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining("is not empty")]);
      if (engine === "SQLite") rmSync(path(`early_${engine.toLowerCase()}.db`));
      else await database`DROP SCHEMA early_postgresql CASCADE`;
      expect(await doneAt(source, moving(to))).toContain(`All ${MATCHES} records of na`);
      const copy = homeAt(path(`early-copy-${engine}`), to);
      expect(await digestAt(copy)).toEqual(before);
      expect(await servedPages(copy, now)).toEqual(await servedPages(source, now));
    },
  );
});

test("ingest waits for the move and then continues, while clients read and servers start", async () => {
  const source = homeAt(path("busy"), schema("busy"));
  const some = lines.slice(0, 60);
  await ingestAt(source, some);
  const target = path("busy.db");
  openForWriting(target, "na").close();
  // The move holds the lock of the source and waits for that of the target.
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
  expect(await recordsAt(source)).toBe(some.length + 1);
  expect(await recordsAt(homeAt(path("moved"), `sqlite:${target}`))).toBe(some.length);
});

/** The number of held or awaited shard locks in the database. */
async function turns({ granted }: { granted: boolean }): Promise<number> {
  const [row] = await database`
    SELECT count(*)::integer AS found FROM pg_locks
    WHERE locktype = 'advisory' AND granted = ${granted}`;
  return row.found;
}

test.each([
  ["match", "document"],
  ["withheld match", "document"],
  ["player", "resource"],
] as const)("damage of a %s in the source stops the move, which names it", async (kind, field) => {
  const name = kind.replaceAll(" ", "-");
  const damaged = path(`${name}.db`);
  copyFileSync(path("home.db"), damaged);
  const rows = sqliteRows(damaged);
  const { id } = rows.rows(kind)[2]!;
  rows.change(kind, { id }, (row) => ({ [field]: inverted(row[field], -9) }));
  const source = homeAt(path(name), `sqlite:${damaged}`);
  const moved = await matchbookAt(source, moving(`sqlite:${path(`${name}-copy.db`)}`));
  expect([moved.exitCode, moved.stdout]).toEqual([1, ""]);
  const called = kind === "player" ? "player" : "match";
  expect(moved.stderr).toContain(`matchbook: ${called} ${id} is damaged`);
  expect(moved.stderr).toContain("backup");
});

testLong("a copy that serves something else is reported as unusable", async () => {
  // A player that is stored without damage, but differs from the records.
  const odd = path("odd.db");
  copyFileSync(path("home.db"), odd);
  replaceFirstPlayer(odd, (id) => writeFollowing(`{"type":"player","id":"${id}"}`));
  const source = homeAt(path("odd"), `sqlite:${odd}`);
  const to = path("odd-copy.db");
  const { exitCode, stdout, stderr } = await matchbookAt(source, moving(`sqlite:${to}`));
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(`the copy of na in ${to} differs`);
  expect(stderr).toContain(`original  ${(await digestAt(source)).digest}`);
  expect(stderr).toContain(`copy      ${(await digestAt(home)).digest}`);
});

describe("a move that is refused", () => {
  const fails = async (args: string[]) => {
    const { exitCode, stdout, stderr } = await matchbookAt(home, args);
    expect(stdout).toBe("");
    return [exitCode, stderr];
  };

  test("to the shard's current location, however it is written, is rejected", async () => {
    const same = `sqlite:${folder}/home/../home.db`;
    expect(await fails(moving(same))).toEqual([1, expect.stringContaining("is not empty")]);
  });

  test("to the same database under another name, or to its replica, is rejected", async () => {
    const source = homeAt(path("original"), schema("original"));
    await ingestAt(source, lines.slice(0, 10));
    const follower = await startReplica(cluster);
    try {
      for (const [one, other] of [
        ["127.0.0.1", "localhost"],
        [`:${cluster.port}`, `:${follower.port}`],
      ] as const) {
        const to = schema("original").replace(one, other);
        const { exitCode, stdout, stderr } = await matchbookAt(source, moving(to));
        expect([exitCode, stdout]).toEqual([1, ""]);
        expect(stderr).toContain("is not empty");
      }
    } finally {
      follower.remove();
    }
  });

  testLong("for lack of privileges says which are needed", async () => {
    await database`CREATE ROLE guest LOGIN`;
    const [exitCode, stderr] = await fails(moving(schema("x").replace("matchbook@", "guest@")));
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/permission denied .*GRANT CREATE/);
    const closed = await fails(moving("sqlite:/proc/na.db"));
    expect(closed).toEqual([1, expect.stringContaining("/proc/na.db")]);
  });
});
