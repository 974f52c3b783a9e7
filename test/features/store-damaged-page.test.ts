/** Damage to an SQLite file affects the requests that read it, and nothing else; a write says what to do. */

import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Event, unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { DamagedData } from "../../src/store/store.ts";
import { serve } from "../../src/wiring.ts";
import { hasEndpoint } from "../support/endpoints.ts";
import type { Kind, Values } from "../support/engine.ts";
import { settle, sqliteRows } from "../support/engine-sqlite.ts";
import { serveWithKeys } from "../support/keys.ts";
import { expectProblem } from "../support/problems.ts";
import { aMatch, duel, minutesAgo, withAsset } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";

describe("a damaged schema is damaged data, for reads and writes:", () => {
  const CASES = [
    ["documents", "documants", "/matches/match-a", "no such table: documents"],
    ["changes", "chenges", "/players", "no such table: changes"],
    ["key", "kay", "/player-names?filter[near]=Ada", "no such column: listed.key"],
  ] as const;
  const isThere = ([, , path]: readonly string[]) => hasEndpoint(`/shards/eu${path}`);
  test.each(CASES.filter(isThere))(
    "%s overwritten with %s",
    async (name, damaged, path, message) => {
      const match = (id: string) => aMatch({ id, mode: "ranked", shard: "eu" });
      const world = await startWorld([match("match-a"), aMatch({ shard: "na" })]);
      overwriteText(join(world.data, "eu.db"), name, damaged);
      const events: Event[] = [];
      const server = await serve(world.settings, (event) => events.push(event));
      try {
        expectProblem(await world.get(`${server.url}/shards/eu${path}`), "damaged-data");
        expect(events.filter(({ event }) => event === "damaged-data")).toMatchObject([
          { shard: "eu", table: "sqlite_schema", record: message },
        ]);
        expect((await world.get(`${server.url}/shards/na${path}`)).status).not.toBe(503);
        await expect(world.ingest([match("match-b")])).rejects.toThrow(
          /^the shard's file is damaged \(.*\): run 'matchbook repair', or restore the shard from a backup$/,
        );
      } finally {
        await server.stop("test");
        await world.stop();
      }
    },
  );
});

describe("/status", () => {
  const newestOf = async (world: World, url: string) => {
    const { body } = await world.get(`${url}/status`);
    return body.shards.map(({ available, newestMatch }: Record<string, unknown>) => [
      available,
      newestMatch,
    ]);
  };
  const NEWEST = Date.UTC(2026, 0, 2);
  const matches = [
    aMatch({ createdAt: NEWEST - 60_000 }),
    aMatch({ id: "newest", createdAt: NEWEST }),
  ];

  test.each([
    ["the list", "listed match", { createdAt: NEWEST + 60_000 }],
    ["the document", "match", { document: new Uint8Array(100) }],
  ] as [string, Kind, Values][])("has no wrong time after damage to %s", async (_, kind, to) => {
    await using world = await startWorld(matches);
    sqliteRows(join(world.data, "na.db")).change(kind, { id: "newest" }, to);
    await using server = await serveWithKeys(world, []);
    expect(await newestOf(world, server.url)).toEqual([[true, "2026-01-01T23:59:00Z"]]);
  });

  test("has a shard with damaged totals as unavailable, and nothing is written into it", async () => {
    await using world = await startWorld(matches);
    sqliteRows(join(world.data, "na.db")).change("shard", {}, ({ players }) => ({
      players: (players as number) + 1,
    }));
    await using server = await serveWithKeys(world, []);
    expect(await newestOf(world, server.url)).toEqual([[false, null]]);
    await expect(world.ingest([aMatch()])).rejects.toThrow(/^shard row 1 is damaged.*restore/);
  });
});

describe("a row with a value of another type is damaged data:", () => {
  // One overwritten byte can change the type of a value.
  const CASES: [what: string, kind: Kind, to: Values, paths: string[]][] = [
    ["a document", "match", { document: 7 }, ["/match-a", "?filter[playerIds]=p", ""]],
    ["a word", "word", { word: Uint8Array.of(0) }, ["?include="]],
  ];
  test.each(CASES)("%s", async (_what, kind, to, paths) => {
    const rosters = duel({ id: "p" }, { id: "q" });
    await using world = await startWorld([aMatch({ id: "match-a", rosters, ...withAsset })]);
    sqliteRows(join(world.data, "na.db")).change(kind, "first", to);
    for (const path of paths) {
      expectProblem(await world.get(`/shards/na/matches${path}`), "damaged-data");
    }
  });
});

test("no outdated player is served if the changes since the last read cannot be read", async () => {
  const record = (id: string, name: string, createdAt: string) =>
    aMatch({ id, createdAt, rosters: duel({ id: "p", name }, { id: "q" }) });
  await using world = await startWorld([record("match-a", "Before", minutesAgo(2))]);
  const shards = openShards(world.settings, unobserved);
  const reader = (await shards.reader("na"))!;
  expect(reader.players(["p"])).toMatchObject([{ name: "Before" }]);
  await world.ingest([record("match-b", "After", minutesAgo(1))]);
  const bringBack = sqliteRows(join(world.data, "na.db")).hide("commit");
  // Both reads are in one turn of the event loop, and could share a snapshot.
  expect(() => reader.players(["p"])).toThrow(DamagedData);
  expect(() => reader.players(["p"])).toThrow(DamagedData);
  bringBack();
  expect(reader.players(["p"])).toMatchObject([{ name: "After" }]);
  await shards.close();
});

test("a file whose format a newer version changed while it was served is unavailable, not damaged", async () => {
  await using world = await startWorld([aMatch({ id: "match-a" })]);
  sqliteRows(join(world.data, "na.db")).changeFormat();
  expectProblem(await world.get("/shards/na/matches/match-a"), "shard-unavailable");
});

test("ingest into a shard with a damaged index says what to do", async () => {
  const match = aMatch({ id: "match-a" });
  await using world = await startWorld([match]);
  sqliteRows(join(world.data, "na.db")).remove("snapshot");
  await expect(world.ingest([match])).rejects.toThrow(/na\.db is damaged.*[Rr]estore/);
});

test.each([
  ["player_matches", "player entry", { player: "p" }],
  ["team_matches", "team entry", { team: "t" }],
] as const)(
  "a damaged entry of %s does not decide what is stored next",
  async (table, kind, of) => {
    const record = (id: string, name: string, minutes: number) =>
      aMatch({
        id,
        createdAt: minutesAgo(minutes),
        rosters: [{ members: [{ id: "p" }], team: { id: "t", name } }, { members: [] }],
      });
    await using world = await startWorld([
      record("match-a", "OLD", 9),
      record("match-b", "NEW", 5),
    ]);
    // As if it were the latest.
    sqliteRows(join(world.data, "na.db")).change(
      kind,
      { ...of, match: "match-a" },
      ({ createdAt }) => ({ createdAt: createdAt + 9_999_999 }),
    );
    // Between the others, so that the streak of the player is computed again.
    await expect(world.ingest([record("match-c", "LATER", 7)])).rejects.toThrow(
      `${table} match-a is damaged in the store: run 'matchbook repair', or restore the shard from a backup`,
    );
  },
);

/** Replaces a text wherever it is in the file. */
function overwriteText(file: string, text: string, replacement: string): void {
  settle(file);
  const content = readFileSync(file, "latin1");
  writeFileSync(file, content.replaceAll(text, replacement), "latin1");
}
