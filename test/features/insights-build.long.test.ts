/** The insights of shards of earlier formats are built: in a server in the background, and by `matchbook migrate`. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildInsights } from "../../src/ingest/build-insights.ts";
import type { Event } from "../../src/observe/events.ts";
import { locationOf, migrateShard } from "../../src/open-stores.ts";
import { loadSettings } from "../../src/settings/load.ts";
import type { Writer } from "../../src/store/store.ts";
import { serve } from "../../src/wiring.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import {
  dropSchema,
  loadPostgres,
  POSTGRES_SHARD_FORMATS,
  putSqliteShard,
  SQLITE_FORMAT,
  SQLITE_SHARD_FORMATS,
} from "../support/formats.ts";
import { aPostgres } from "../support/postgres.ts";
import { matchbook } from "../support/process.ts";
import { withWriter } from "../support/prune.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { aFolder, ingestInto } from "../support/world.ts";

let postgres: Awaited<ReturnType<typeof aPostgres>>;
beforeAll(async () => {
  postgres = await aPostgres();
});
afterAll(() => postgres.stop());

const RECORDS = readFileSync(join(import.meta.dir, "../fixtures/formats/records.ndjson"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

function settingsIn(data: string, shard = "") {
  writeFileSync(join(data, "matchbook.toml"), shard === "" ? "" : `[shards.na]\n${shard}\n`);
  const flags = { data, port: "0", "drain-ms": "0" };
  return loadSettings({ flags, env: {}, cwd: data }).values;
}

const insightsOf = (writer: Writer) =>
  writer.survey(async (state) => ({
    last: await state.lastCounted(),
    rows: await state.actorTotals(false, undefined, 1000),
    uncounted: await state.uncountedPlayers(1),
    recent: await state.recentAfter("", 1000),
    players: (await state.playerRows(await state.namedIds("players", "", 1000)))
      .map(({ id, totals, skillTier }) => ({ id, totals, skillTier }))
      .sort((one, other) => (one.id < other.id ? -1 : 1)),
  }));

/** What the same records give when they are ingested now. */
async function expectedInsights() {
  const folder = aFolder();
  const settings = settingsIn(folder.path);
  await ingestInto(settings, RECORDS);
  const found = await withWriter(settings, "na", insightsOf);
  folder.remove();
  expect(found.last).toBeUndefined();
  expect(found.rows.length).toBeGreaterThan(3);
  expect(found.players.some(({ totals }) => totals.rankedWins! > 0)).toBe(true);
  return found;
}

async function serveUntil(
  settings: ReturnType<typeof settingsIn>,
  isWanted: (event: Event) => boolean,
) {
  const events: Event[] = [];
  const pace = { firstMs: 0, pauseMs: 20 };
  const observe = (event: Event) => void events.push(event);
  const server = await serve(settings, observe, undefined, undefined, undefined, undefined, pace);
  try {
    await until("the event", async () => events.find(isWanted));
  } finally {
    await server.stop("test");
  }
  return events.filter(({ event }) => event.startsWith("insights"));
}

describe("a server builds the insights of a shard of an earlier format", () => {
  test.each(SQLITE_SHARD_FORMATS)("SQLite, format %d", async (format) => {
    const folder = aFolder();
    putSqliteShard(folder.path, format);
    const settings = settingsIn(folder.path);
    const events = await serveUntil(settings, ({ event }) => event === "insights-built");
    expect(events).toMatchObject([
      { event: "insights-building", shard: "na" },
      // Format 8 has the statistics of actors already.
      { event: "insights-built", shard: "na", matches: format < 8 ? 6 : 0, players: 10 },
    ]);
    expect(await withWriter(settings, "na", insightsOf)).toEqual(await expectedInsights());
    folder.remove();
  });

  test.each(POSTGRES_SHARD_FORMATS)(
    "PostgreSQL, format %d, once it is migrated",
    async (format) => {
      const folder = aFolder();
      const schema = `insights_${format}_${process.pid}`;
      await loadPostgres(postgres.url, `postgres-shard-${format}`, schema);
      const settings = settingsIn(folder.path, `url = "${postgres.url}?schema=${schema}"`);
      await migrateShard("na", locationOf(settings, "na"), () => undefined);
      await serveUntil(settings, ({ event }) => event === "insights-built");
      expect(await withWriter(settings, "na", insightsOf)).toEqual(await expectedInsights());
      folder.remove();
      await dropSchema(postgres.url, schema);
    },
  );
});

test("matchbook migrate builds the insights to the end, also after an interruption", async () => {
  const expected = await expectedInsights();
  const folder = aFolder();
  putSqliteShard(folder.path, 7);
  const settings = settingsIn(folder.path);
  const migrate = () => matchbook(["migrate", "--data", folder.path]);
  expect((await migrate()).stdout).toBe(`na  migrated from format 7 to ${SQLITE_FORMAT}\n`);
  expect(await withWriter(settings, "na", insightsOf)).toEqual(expected);

  putSqliteShard(folder.path, 7);
  await migrateShard("na", locationOf(settings, "na"), () => undefined);
  const stopping = new AbortController();
  const seen: number[] = [];
  await withWriter(settings, "na", (writer) =>
    buildInsights(writer, {
      step: 2,
      signal: stopping.signal,
      onProgress(done, total) {
        // Six matches and ten players.
        expect(total).toBe(16);
        seen.push(done);
        if (done >= 4) stopping.abort();
      },
    }),
  );
  expect(seen).toEqual([0, 2, 4]);
  expect((await migrate()).stdout).toBe(`na  format ${SQLITE_FORMAT}, insights built\n`);
  expect((await migrate()).stdout).toBe(`na  format ${SQLITE_FORMAT}, nothing to do\n`);
  expect(await withWriter(settings, "na", insightsOf)).toEqual(expected);
  folder.remove();
});

test("a damaged match is reported, and the others of its step are not counted either", async () => {
  const folder = aFolder();
  const path = putSqliteShard(folder.path, 7);
  const settings = settingsIn(folder.path);
  await migrateShard("na", locationOf(settings, "na"), () => undefined);
  sqliteRows(path).change("match", "last", { mode: "casual_aral" });
  const events = await serveUntil(settings, ({ event }) => event === "insights-failed");
  const failed = events.find(({ event }) => event === "insights-failed") as { error?: Error };
  expect(failed.error?.message).toContain("is damaged in the store");
  expect((await withWriter(settings, "na", insightsOf)).rows).toEqual([]);
  folder.remove();
});

test("a new shard needs no build", async () => {
  const folder = aFolder();
  const settings = settingsIn(folder.path);
  await ingestInto(settings, [aMatch()]);
  expect(await withWriter(settings, "na", (writer) => buildInsights(writer))).toEqual({
    matches: 0,
    players: 0,
  });
  folder.remove();
});
