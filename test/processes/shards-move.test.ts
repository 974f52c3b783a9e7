/** Tests a shard that moves from SQLite to PostgreSQL and back: nothing is lost or changed. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { restoreRecord } from "../../src/document/record.ts";
import { WITHHELD_REASONS } from "../../src/domain/visibility.ts";
import type { Report } from "../../src/ingest/report.ts";
import type { ShardRecord } from "../../src/store/store.ts";
import { digestAt, homeAt, ingestAt, linesOf, lookInto, matchbookAt } from "../support/places.ts";
import { aPostgres } from "../support/postgres.ts";
import { aMatch, duel } from "../support/records.ts";
import { countsOf, servedPages } from "../support/state.ts";
import { aFolder } from "../support/world.ts";

/** With matches that are withheld for each reason. */
const MATCHES = 160;
const now = Date.UTC(2026, 0, 1);
const folder = aFolder();
let postgres: Awaited<ReturnType<typeof aPostgres>>;
const schema = `moved_${process.pid}`;
/** The same shard: as ingested, moved to PostgreSQL, and moved back to a file. */
let homes: { first: string; remote: string; back: string };
let withheld: ShardRecord[];

beforeAll(async () => {
  postgres = await aPostgres();
  const path = (name: string) => join(folder.path, name);
  const url = new URL(postgres.url);
  url.searchParams.set("schema", schema);
  const remote = url.href;
  const back = `sqlite:${path("back.db")}`;
  homes = {
    first: homeAt(path("first"), `sqlite:${path("first.db")}`),
    remote: homeAt(path("remote"), remote),
    back: homeAt(path("back"), back),
  };
  await ingestAt(homes.first, linesOf("na", MATCHES, now));
  withheld = await lookInto(homes.first, (writer) =>
    writer.survey(async (holdings) =>
      (await holdings.records(undefined, MATCHES)).filter(({ fate }) => fate.state === "withheld"),
    ),
  );

  for (const [from, to] of [
    [homes.first, remote],
    [homes.remote, back],
  ] as const) {
    const moved = await matchbookAt(from, ["shards", "move", "na", "--to", to]);
    expect([moved.exitCode, moved.stderr]).toEqual([0, ""]);
    expect(moved.stdout).toContain(`All ${MATCHES} records of na`);
    expect(moved.stdout).toContain("Set url in the table [shards.na]");
    expect(moved.stdout).toContain((await digestAt(from)).digest);
  }
}, 180_000);

afterAll(async () => {
  const sql = new SQL(postgres.url);
  await sql.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await sql.close();
  postgres.stop();
  folder.remove();
});

/** The result, which must be the same in every location. */
async function inAll<T>(ask: (home: string) => Promise<T>): Promise<T> {
  const [first, ...copies] = [
    await ask(homes.first),
    await ask(homes.remote),
    await ask(homes.back),
  ];
  for (const copy of copies) expect(copy).toEqual(first);
  return first!;
}

test("the digest and the counts are the same everywhere", async () => {
  const { digest, matches } = await inAll(digestAt);
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  const { na } = await inAll(countsOf);
  expect(na!.served).toBe(matches);
});

test("every page is served byte for byte alike", async () => {
  const pages = await inAll((home) => servedPages(home, now));
  expect(pages.size).toBeGreaterThan(MATCHES / 100);
});

test("withheld matches stay so for the same reason, until one of their players turns out to be ranked", async () => {
  const withReason = (reason: string) =>
    withheld.find(({ fate }) => fate.state === "withheld" && fate.reason === reason)!.match;
  const fateOf = (id: string) =>
    inAll((home) => lookInto(home, async (writer) => (await writer.inspect(id))!.fate));
  for (const reason of WITHHELD_REASONS) {
    expect(await fateOf(withReason(reason).id)).toEqual({ state: "withheld", reason });
  }

  const hidden = withReason("no-ranked-player");
  const [player] = restoreRecord(hidden).players.filter(({ part }) => part);
  const ranked = aMatch({ shard: "na", rosters: duel({ id: player!.id }, { id: "newcomer" }) });
  const before = await inAll(digestAt);
  const report: Report = await inAll(async (home) =>
    JSON.parse((await matchbookAt(home, ["ingest", "-", "--json"], JSON.stringify(ranked))).stdout),
  );
  expect(report.stored).toBe(1);
  expect(report.released).toBeGreaterThan(0);
  const after = await inAll(digestAt);
  expect(after.matches).toBe(before.matches + 1 + report.released);
  expect((await fateOf(hidden.id)).state).toBe("served");
});
