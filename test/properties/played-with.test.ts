/** The company of players compared with a model that reads the records, on both stores. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { TestClock } from "../support/keys.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
import { aMatch, type MatchDocument, type MemberIn } from "../support/records.ts";
import { scaled } from "../support/scale.ts";
import { startWorld, type World } from "../support/world.ts";
import { take } from "./asking.ts";

const NOW = Date.UTC(2026, 2, 29);
const DAY = 86_400_000;
const PLAYERS = ["p", "P", "q-1", "_r", "9", "s", "t"];

const match = fc.record({
  createdAt: fc.constantFrom(
    NOW,
    NOW - 1,
    NOW - 1000,
    NOW - 3 * DAY,
    NOW - 28 * DAY,
    NOW - 28 * DAY - 1,
    NOW - 40 * DAY,
  ),
  mode: fc.constantFrom("ranked", "casual", "private", "private_party_blitz_match", "practice"),
  order: fc.shuffledSubarray(PLAYERS),
  sizes: fc.tuple(fc.nat(4), fc.nat(4)),
  bots: fc.tuple(fc.nat(1), fc.nat(1)),
  won: fc.tuple(fc.boolean(), fc.boolean()),
});

type Given = typeof match extends fc.Arbitrary<infer T> ? T : never;

interface Played {
  createdAt: number;
  mode: string;
  id: string;
  sides: { won: boolean; players: string[] }[];
}

/** Those who are on neither side are spectators. */
function sidesIn({ order, sizes, won }: Given): Played["sides"] {
  const [one, other] = sizes;
  return [
    { won: won[0], players: order.slice(0, one) },
    { won: won[1], players: order.slice(one, one + other) },
  ];
}

function recordOf(given: Given, id: string): MatchDocument {
  const sides = sidesIn(given);
  const roster = ({ won, players }: Played["sides"][number], bots: number) => ({
    members: [
      ...players.map((player): MemberIn => ({ id: player })),
      ...Array.from({ length: bots }, (): MemberIn => ({ bot: true })),
    ],
    attributes: { won: String(won) },
  });
  const spectators = given.order.slice(given.sizes[0] + given.sizes[1]);
  return aMatch({
    id,
    createdAt: given.createdAt,
    mode: given.mode,
    rosters: [roster(sides[0]!, given.bots[0]), roster(sides[1]!, given.bots[1])],
    relationships: { spectators: { data: spectators.map((one) => ({ type: "player", id: one })) } },
    included: spectators.map((one) => ({
      type: "player",
      id: one,
      attributes: { name: `Name_${one}`, shardId: "na", stats: {} },
    })),
  });
}

/** As a reader of the records would count by hand. */
function modelOf(player: string, played: Played[]) {
  const counted = played.filter(
    ({ createdAt, mode, sides }) =>
      createdAt >= NOW - 28 * DAY &&
      createdAt <= NOW &&
      mode !== "private" &&
      mode !== "practice" &&
      sides.some(({ players }) => players.includes(player)),
  );
  const rows = PLAYERS.filter((id) => id !== player).map((id) => {
    const both = counted.filter(({ sides }) => sides.some(({ players }) => players.includes(id)));
    const isWith = ({ sides }: Played) =>
      sides.some(({ players }) => players.includes(id) && players.includes(player));
    const tally = (some: Played[]) => ({
      matches: some.length,
      wins: some.filter(({ sides }) => sides.find((s) => s.players.includes(player))!.won).length,
    });
    return {
      id,
      with: tally(both.filter(isWith)),
      against: tally(both.filter((one) => !isWith(one))),
      last: Math.max(...both.map(({ createdAt }) => createdAt)),
      count: both.length,
    };
  });
  const data = rows
    .filter(({ count }) => count > 0)
    .sort(
      (a, b) =>
        b.count - a.count || b.last - a.last || Buffer.from(a.id).compare(Buffer.from(b.id)),
    )
    .map(({ count: _, last, ...row }) => ({ ...row, last: new Date(last).getTime() }));
  return { data, matches: counted.length };
}

async function companyIn(world: World, player: string) {
  const { status, body } = await world.get(`/shards/na/players/${player}/played-with`);
  if (status === 404) return undefined;
  expect([status, body.meta?.isTruncated]).toEqual([200, false]);
  // biome-ignore lint/suspicious/noExplicitAny: as in Reply.
  const data = body.data.map(({ id, attributes }: any) => {
    expect(attributes.name).toBe(`Name_${id}`);
    const last = Date.parse(attributes.lastPlayedAt);
    return { id, with: attributes.with, against: attributes.against, last };
  });
  return { data, matches: body.meta.matches };
}

let postgres: Awaited<ReturnType<typeof aPostgres>>;
beforeAll(async () => {
  postgres = await aPostgres();
});
afterAll(() => postgres.stop());

let schemas = 0;

test("the company of any player in any matches equals that of a model", async () => {
  const countsAlike = fc.asyncProperty(
    fc.array(match, { minLength: 1, maxLength: 25 }),
    fc.integer({ min: 1, max: 10 }),
    async (given, batch) => {
      const ids = given.map((_, at) => `m${at}`);
      const records = given.map((one, at) => recordOf(one, ids[at]!));
      const played = given.map((one, at) => ({
        createdAt: one.createdAt,
        mode: one.mode,
        id: ids[at]!,
        sides: sidesIn(one),
      }));
      const served = given.filter(({ mode }) => mode !== "practice");
      const schema = `company_${process.pid}_${++schemas}`;
      const toml = `[shards.na]\nurl = "${postgres.url}?schema=${schema}"\n`;
      const worlds = [
        await startWorld([], { shards: "na" }, new TestClock(NOW)),
        await startWorld([], {}, new TestClock(NOW), toml),
      ];
      try {
        for (const world of worlds) {
          await take(world, records, batch);
          for (const player of PLAYERS) {
            const found = await companyIn(world, player);
            const isNamed = served.some(
              ({ mode, order }) => mode !== "private" && order.includes(player),
            );
            if (found) expect(found).toEqual(modelOf(player, played));
            else expect(isNamed).toBe(false);
          }
        }
      } finally {
        for (const world of worlds) await world.stop();
        await dropSchema(postgres.url, schema);
      }
    },
  );
  await fc.assert(countsAlike, { numRuns: scaled(20) });
}, 600_000);
