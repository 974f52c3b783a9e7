/** Leaderboards are a function of the accepted records, in both stores. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import fc from "fast-check";
import { recordDocument } from "../../src/document/record.ts";
import { ingest } from "../../src/ingest/ingest.ts";
import { openWriter } from "../../src/open-stores.ts";
import { prune } from "../../src/prune/prune.ts";
import { redactPlayers } from "../../src/redact/redact.ts";
import type { Writer } from "../../src/store/store.ts";
import { addEmptyShard } from "../support/empty-shard.ts";
import { aPostgres } from "../support/postgres.ts";
import { aMatch, duel, type MatchDocument } from "../support/records.ts";
import { scaled } from "../support/scale.ts";
import { aFolder } from "../support/world.ts";

let postgres: Awaited<ReturnType<typeof aPostgres>>;
beforeAll(async () => {
  postgres = await aPostgres();
});
afterAll(() => postgres.stop());

const DAY = 86_400_000;
const START = Date.UTC(2024, 0, 1);
const PLAYERS = ["p1", "P1", "p-1", "_p", "9"];

/** Around both ends of the 28 days, and far away from them. */
const moment = fc
  .tuple(fc.constantFrom(0, 1, 2, 27, 28, 29, 30, 55, 56, 57, 90), fc.constantFrom(0, 1, DAY - 1))
  .map(([day, time]) => START + day * DAY + time);

const match = fc.record({
  createdAt: moment,
  mode: fc.constantFrom("ranked", "ranked", "ranked", "casual", "private", "practice"),
  players: fc
    .shuffledSubarray(PLAYERS, { minLength: 3, maxLength: 3 })
    .map((ids) => ids as [string, string, string]),
  tiers: fc.tuple(tier(), tier()),
});

function tier() {
  return fc.constantFrom(undefined, 0, 3, 17, -1, 2.5, 2 ** 53 - 1);
}

type Wishes = typeof match extends fc.Arbitrary<infer T> ? T : never;

/** The third player is only mentioned. */
function written(id: string, { createdAt, mode, players, tiers }: Wishes): MatchDocument {
  const [winner, loser, watching] = players;
  const person = (player: string, skillTier: number | undefined) => ({
    id: player,
    stats: skillTier === undefined ? {} : { skillTier },
  });
  return aMatch({
    id,
    createdAt,
    mode,
    rosters: duel(person(winner, tiers[0]), person(loser, tiers[1])),
    relationships: { spectators: { data: [{ type: "player", id: watching }] } },
    included: [
      {
        type: "player",
        id: watching,
        attributes: { name: "Watching", patchVersion: "2.5", shardId: "na", stats: {} },
      },
    ],
  });
}

/** Records with distinct ids, each with another one that can replace it, and an order with repetitions. */
const history = fc.array(fc.tuple(match, match), { minLength: 3, maxLength: 14 }).chain((pairs) =>
  fc.record({
    documents: fc.constant(pairs.map(([one], at) => written(`m${at}`, one))),
    others: fc.constant(pairs.map(([, other], at) => written(`m${at}`, other))),
    order: fc
      .tuple(
        fc.shuffledSubarray([...pairs.keys()], { minLength: pairs.length }),
        fc.array(fc.nat(pairs.length - 1), { maxLength: 4 }),
      )
      .map(([all, again]) => [...all, ...again]),
    batch: fc.integer({ min: 1, max: 4 }),
  }),
);

async function send(writer: Writer, documents: MatchDocument[], batch: number, replace = false) {
  async function* bytes() {
    for (const document of documents) yield Buffer.from(`${JSON.stringify(document)}\n`);
  }
  await ingest([{ name: "test", bytes: bytes() }], {
    writer: () => writer,
    clock: Date.now,
    replace,
    threads: 0,
    batch,
    context: { shard: "na", shards: undefined, titleId: "title", longest: 1 << 24 },
    onRejection: ({ problems }) => {
      throw new Error(problems.join());
    },
    onConflict() {},
    onProgress() {},
  });
}

interface Scores {
  rankedWins: number;
  playedRanked: number;
  tier: number | null;
  run: number;
  recent: [played: number, wins: number];
}

/** Written independently of the code: over the served records as they are exported. */
function naive(documents: MatchDocument[]): Record<string, Scores> {
  // biome-ignore lint/suspicious/noExplicitAny: documents of the test.
  const all = (documents as any[])
    .map(({ data, included }) => ({
      data,
      included,
      at: Date.parse(data.attributes.createdAt),
    }))
    .sort((a, b) => a.at - b.at || (a.data.id < b.data.id ? -1 : 1));
  const lastDay = Math.floor((all.at(-1)?.at ?? 0) / DAY);
  const scores: Record<string, Scores> = {};
  for (const { data, included, at } of all) {
    const find = (type: string, id: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: documents of the test.
      included.find((one: any) => one.type === type && one.id === id);
    const results = new Map<string, boolean>();
    for (const { id } of data.relationships.rosters.data) {
      const roster = find("roster", id);
      for (const { id: participant } of roster.relationships.participants.data) {
        const player = find("participant", participant).relationships?.player?.data?.id;
        if (player) results.set(player, roster.attributes.won === "true");
      }
    }
    for (const { type, id, attributes } of included) {
      if (type !== "player") continue;
      const one: Scores = scores[id] ?? {
        rankedWins: 0,
        playedRanked: 0,
        tier: null,
        run: 0,
        recent: [0, 0],
      };
      scores[id] = one;
      const found = attributes.stats?.skillTier;
      one.tier = Number.isSafeInteger(found) && found >= 0 ? found : null;
      const won = results.get(id);
      if (won === undefined) continue;
      one.run = won ? Math.max(one.run, 0) + 1 : Math.min(one.run, 0) - 1;
      if (data.attributes.gameMode !== "ranked") continue;
      one.playedRanked += 1;
      one.rankedWins += won ? 1 : 0;
      if (Math.floor(at / DAY) <= lastDay - 28) continue;
      one.recent[0] += 1;
      one.recent[1] += won ? 1 : 0;
    }
  }
  return scores;
}

interface Opened {
  writer: Writer;
  /** What is stored in a table. */
  rows(table: string): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
}

/** What is stored, and what the stored records give. */
async function stateOf({ writer, rows }: Opened) {
  const records = await writer.survey(async (state) => state.records(undefined, 1000));
  const served = records.filter(({ fate }) => fate.state === "served");
  const documents = served.map(({ match: one }) => JSON.parse(recordDocument(one)));
  const recent = new Map((await rows("player_recent")).map((row) => [row.id, row]));
  const stored: Record<string, Scores> = {};
  for (const row of await rows("players")) {
    const { played = 0, wins = 0 } = recent.get(row.id) ?? {};
    recent.delete(row.id);
    stored[row.id as string] = {
      rankedWins: Number(row.ranked_wins),
      playedRanked: Number(row.played_ranked),
      tier: row.skill_tier === null ? null : Number(row.skill_tier),
      run: Number(row.streak),
      recent: [Number(played), Number(wins)],
    };
  }
  // Counts of players who are not there.
  expect([...recent]).toEqual([]);
  return { stored, fromRecords: naive(documents) };
}

async function expectExact(opened: Opened): Promise<Record<string, Scores>> {
  const { stored, fromRecords } = await stateOf(opened);
  expect(stored).toEqual(fromRecords);
  return stored;
}

const recentOnly = (scores: Record<string, Scores>) =>
  Object.fromEntries(
    Object.entries(scores).flatMap(([id, { recent }]) => (recent[0] > 0 ? [[id, recent]] : [])),
  );
const lifetimeOnly = (scores: Record<string, Scores>) =>
  Object.fromEntries(Object.entries(scores).map(([id, { recent: _, ...rest }]) => [id, rest]));

/** Pruned matches keep counting, except for the 28 days. */
async function expectPruned(opened: Opened, before: Record<string, Scores>): Promise<void> {
  const { stored, fromRecords } = await stateOf(opened);
  expect(lifetimeOnly(stored)).toEqual(lifetimeOnly(before));
  expect(recentOnly(stored)).toEqual(recentOnly(fromRecords));
}

const ENGINES: Record<string, (n: number) => Promise<Opened>> = {
  async SQLite() {
    const folder = aFolder();
    await addEmptyShard(folder.path, "na");
    const path = join(folder.path, "na.db");
    const writer = openWriter("na", { engine: "sqlite", path });
    return {
      writer,
      async rows(table) {
        using database = new Database(path, { readonly: true });
        return database.query<Record<string, unknown>, []>(`SELECT * FROM ${table}`).all();
      },
      async remove() {
        await writer.close();
        folder.remove();
      },
    };
  },
  async PostgreSQL(n) {
    const schema = `boards_${process.pid}_${n}`;
    const { url } = postgres;
    const place = { url, given: url, shown: "the test's", schema, prepares: true, pool: 2 };
    const writer = openWriter("na", { engine: "postgres", ...place });
    const sql = new SQL({ url: postgres.url, max: 1 });
    return {
      writer,
      rows: (table) => sql.unsafe(`SELECT * FROM ${schema}.${table}`),
      async remove() {
        await writer.close();
        await sql.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
        await sql.close();
      },
    };
  },
};

const CUTOFFS = [1, 28, 40, 57, 100].map((day) => START + day * DAY);
let made = 0;

describe.each(Object.entries(ENGINES))("%s", (engine, open) => {
  // Each run in PostgreSQL creates two schemas, which takes longer than the rest.
  const runs = engine === "SQLite" ? scaled(40) : scaled(6, 2);

  test("shuffled, repeated, late, replaced, redacted and pruned records give the scores of a rebuild", async () => {
    const isRebuilt = fc.asyncProperty(
      history,
      fc.subarray(PLAYERS, { maxLength: 2 }),
      fc.constantFrom(...CUTOFFS),
      async ({ documents, others, order, batch }, redacted, cutoff) => {
        const one = await open(++made);
        const other = await open(++made);
        try {
          await send(one.writer, documents, 100);
          const atOnce = await expectExact(one);
          const sent = order.map((at) => documents[at]!);
          await send(other.writer, sent, batch);
          expect(await expectExact(other)).toEqual(atOnce);

          await send(other.writer, others, batch, true);
          await expectExact(other);
          const redactions = redacted.map((playerId) => ({ playerId, redactedAt: 0 }));
          await redactPlayers(other.writer, redactions);
          const remaining = await expectExact(other);
          expect(Object.keys(remaining).filter((id) => redacted.includes(id))).toEqual([]);

          await prune(other.writer, cutoff, { step: batch, rest: 0 });
          await expectPruned(other, remaining);
        } finally {
          await one.remove();
          await other.remove();
        }
      },
    );
    await fc.assert(isRebuilt, { numRuns: runs });
  }, 600_000);
});
