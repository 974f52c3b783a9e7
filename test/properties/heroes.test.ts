/** The statistics of heroes are a function of the accepted records, in both stores. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import fc from "fast-check";
import { recordDocument } from "../../src/document/record.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import type { HeroTotals } from "../../src/features/heroes/statistics.ts";
import { ingest } from "../../src/ingest/ingest.ts";
import { openWriter } from "../../src/open-stores.ts";
import { prune } from "../../src/prune/prune.ts";
import { redactPlayers } from "../../src/redact/redact.ts";
import { parseLocation } from "../../src/settings/shard-locations.ts";
import type { Writer } from "../../src/store/store.ts";
import { addEmptyShard } from "../support/empty-shard.ts";
import { exportedFrom } from "../support/exported.ts";
import { heroTotals } from "../support/heroes.ts";
import { aPostgres } from "../support/postgres.ts";
import type { MatchDocument } from "../support/records.ts";
import { scaled } from "../support/scale.ts";
import { aFolder } from "../support/world.ts";
import { arrival, PLAYER_IDS, TITLE } from "./histories.ts";

let postgres: Awaited<ReturnType<typeof aPostgres>>;
beforeAll(async () => {
  postgres = await aPostgres();
});
afterAll(() => postgres.stop());

const ACTORS = ["*Ana*", "*ana*", "名 前", "x".repeat(128), "x".repeat(129), "", "nul\0"];
const STATS = ["kills", "deaths", "assists", "gold", "farm"] as const;
const VALUES = [0, 3, 0.1, 0.2, 1e-7, -4.5, 2 ** 52, 1234.567891, "5", null, undefined];

/** Every participant plays some actor with some stats; another seed gives others. */
function cast(document: MatchDocument, seed: number): MatchDocument {
  const pick = <T>(from: readonly T[], what: string): T =>
    from[Number(Bun.hash.wyhash(`${seed} ${what}`) % BigInt(from.length))]!;
  const included = document.included.map((resource) => {
    if (resource.type !== "participant") return resource;
    const { stats, ...attributes } = resource.attributes as JsonObject & { stats: JsonObject };
    const numbers = STATS.map((name) => {
      const value = pick(VALUES, `${resource.id} ${name}`);
      // These two must be numbers, and integers.
      const isCount = name === "deaths" || name === "assists";
      return [
        name,
        isCount ? Math.floor(Number(value ?? 1)) : name === "farm" ? Number(value ?? 2) : value,
      ];
    });
    const actor = pick(ACTORS, String(resource.id));
    return {
      ...resource,
      attributes: { ...attributes, actor, stats: { ...stats, ...Object.fromEntries(numbers) } },
    };
  });
  return JSON.parse(JSON.stringify({ ...document, included }));
}

async function send(writer: Writer, documents: MatchDocument[], batch: number, replace = false) {
  async function* bytes() {
    for (const document of documents) yield Buffer.from(`${JSON.stringify(document)}\n`);
  }
  const report = await ingest([{ name: "test", bytes: bytes() }], {
    writer: () => writer,
    clock: Date.now,
    replace,
    threads: 0,
    batch,
    context: { shard: "na", shards: undefined, titleId: TITLE, longest: 1 << 24 },
    onRejection: ({ problems }) => {
      throw new Error(problems.join());
    },
    onConflict() {},
    onProgress() {},
  });
  return report;
}

/** Written independently of the code: over the served records as they are exported. */
function naive(documents: MatchDocument[]): Record<string, (number | string)[]> {
  const sums = new Map<string, { picks: number; wins: number; stats: bigint[] }>();
  const of = (key: string) => {
    const known = sums.get(key) ?? { picks: 0, wins: 0, stats: STATS.map(() => 0n) };
    sums.set(key, known);
    return known;
  };
  // biome-ignore lint/suspicious/noExplicitAny: documents of the test.
  for (const { data, included } of documents as any[]) {
    const { gameMode, patchVersion } = data.attributes;
    if (gameMode === "private") continue;
    of(`${gameMode} ${patchVersion} `).picks += 1;
    for (const { id } of data.relationships.rosters.data) {
      const find = (type: string, wanted: string) =>
        included.find((one: JsonObject) => one.type === type && one.id === wanted);
      const roster = find("roster", id);
      for (const { id: participantId } of roster.relationships.participants.data) {
        const { actor, stats } = find("participant", participantId).attributes;
        if (actor === "" || actor.length > 128 || actor.includes("\0")) continue;
        const sum = of(`${gameMode} ${patchVersion} ${actor}`);
        sum.picks += 1;
        sum.wins += roster.attributes.won === "true" ? 1 : 0;
        sum.stats = sum.stats.map((before, at) => {
          const value = stats[STATS[at]!];
          return before + (typeof value === "number" ? BigInt(Math.round(value * 1_000_000)) : 0n);
        });
      }
    }
  }
  return Object.fromEntries(
    [...sums].map(([key, { picks, wins, stats }]) => [key, [picks, wins, ...stats.map(String)]]),
  );
}

const shown = (rows: HeroTotals[]) =>
  Object.fromEntries(
    rows.map((row) => [
      `${row.gameMode} ${row.patchVersion} ${row.hero}`,
      [row.picks, row.wins, ...STATS.map((name) => String(row[name]))],
    ]),
  );

/** What is stored, what the stored records give, and both parts together. */
async function stateOf(writer: Writer) {
  return writer.survey(async (state) => {
    const records = await state.records(undefined, 1000);
    const served = records.filter(({ fate }) => fate.state === "served");
    const documents = served.map(({ match }) => JSON.parse(recordDocument(match)));
    const stored = await heroTotals(state, false);
    const pruned = await heroTotals(state, true);
    return {
      stored: shown(stored),
      fromRecords: naive(documents),
      total: added(shown(stored), shown(pruned)),
    };
  });
}

type Shown = ReturnType<typeof shown>;

function added(one: Shown, other: Shown): Shown {
  const sum = { ...one };
  for (const [key, values] of Object.entries(other)) {
    sum[key] = values.map((value, at) => {
      const before = one[key]?.[at] ?? 0;
      return typeof value === "number"
        ? value + Number(before)
        : String(BigInt(value) + BigInt(before));
    });
  }
  return sum;
}

async function expectExact(writer: Writer): Promise<Shown> {
  const { stored, fromRecords, total } = await stateOf(writer);
  expect(stored).toEqual(fromRecords);
  return total;
}

const ENGINES: Record<string, (n: number) => Promise<{ writer: Writer; remove(): Promise<void> }>> =
  {
    async SQLite() {
      const folder = aFolder();
      await addEmptyShard(folder.path, "na");
      const writer = openWriter("na", { engine: "sqlite", path: join(folder.path, "na.db") });
      return {
        writer,
        async remove() {
          await writer.close();
          folder.remove();
        },
      };
    },
    async PostgreSQL(n) {
      const schema = `heroes_${process.pid}_${n}`;
      const location = parseLocation(`${postgres.url}?schema=${schema}`);
      if ("error" in location) throw new Error(location.error);
      const writer = openWriter("na", location.value);
      return {
        writer,
        async remove() {
          await writer.close();
          const sql = new SQL({ url: postgres.url, max: 1 });
          await sql.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
          await sql.close();
        },
      };
    },
  };

const CUTOFFS = ["2024-03-10T12:00:00.001Z", "2024-05-01T00:00:00Z", "2024-08-01T00:00:00Z"];
let made = 0;

describe.each(Object.entries(ENGINES))("%s", (engine, open) => {
  // Each run in PostgreSQL creates two schemas, which takes longer than the rest.
  const runs = engine === "SQLite" ? scaled(24) : scaled(6, 2);

  test("shuffled, repeated, late, replaced, redacted and pruned records give the sums of a rebuild, also in a copy from an export", async () => {
    const isRebuilt = fc.asyncProperty(
      arrival,
      fc.nat(),
      fc.subarray([...PLAYER_IDS], { maxLength: 2 }),
      fc.constantFrom(...CUTOFFS),
      fc.integer({ min: 1, max: 5 }),
      async ({ documents, calls }, seed, redacted, cutoff, step) => {
        const one = await open(++made);
        const other = await open(++made);
        const copy = await open(++made);
        try {
          await send(
            one.writer,
            documents.map((document) => cast(document, seed)),
            100,
          );
          const atOnce = await expectExact(one.writer);
          for (const call of calls) {
            await send(
              other.writer,
              call.documents.map((document) => cast(document, seed)),
              call.batch,
            );
          }
          expect(await expectExact(other.writer)).toEqual(atOnce);

          // Some get other actors, and the others stay.
          const replaced = documents.filter((_, at) => at % 2 === 0);
          await send(
            other.writer,
            replaced.map((document) => cast(document, seed + 1)),
            step,
            true,
          );
          const afterwards = await expectExact(other.writer);
          await redactPlayers(
            other.writer,
            redacted.map((playerId) => ({ playerId, redactedAt: 0 })),
          );
          // A private match may be withheld now, but those do not count.
          expect(await expectExact(other.writer)).toEqual(afterwards);

          await prune(other.writer, Date.parse(cutoff), { step, rest: 0 });
          expect(await expectExact(other.writer)).toEqual(afterwards);
          await send(
            other.writer,
            documents.map((document) => cast(document, seed)),
            step,
          );
          expect(await expectExact(other.writer)).toEqual(afterwards);

          const exported = await exportedFrom(other.writer);
          for (let times = 0; times < 2; times++) {
            await send(copy.writer, exported, step);
            expect(await expectExact(copy.writer)).toEqual(afterwards);
          }
        } finally {
          await one.remove();
          await other.remove();
          await copy.remove();
        }
      },
    );
    await fc.assert(isRebuilt, { numRuns: runs });
  }, 600_000);
});
