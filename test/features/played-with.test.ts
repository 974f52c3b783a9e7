/** Tests whom a player played with: the ends of the window, mentions, sides and limits. All else is compared with the model. */

import { afterAll, describe, expect, test } from "bun:test";
import { TestClock } from "../support/keys.ts";
import { aMatch, type MatchIn, type RosterIn } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";

const NOW = Date.UTC(2026, 2, 29);
const MINUTE = 60_000;
const timeOf = (minutes: number) => new Date(NOW - minutes * MINUTE).toISOString();

const side = (...ids: string[]): RosterIn => ({
  members: ids.map((id) => (id === "bot" ? { bot: true } : { id })),
});
/** The first side wins. */
const play = (minutes: number, one: string[], other: string[], more: MatchIn = {}) =>
  aMatch({ createdAt: timeOf(minutes), rosters: [side(...one), side(...other)], ...more });

const worlds: World[] = [];
afterAll(async () => {
  for (const world of worlds) await world.stop();
});

async function worldOf(
  records: ReturnType<typeof play>[],
  flags: Record<string, string> = {},
  clock = new TestClock(NOW),
) {
  const world = await startWorld(records, flags, clock);
  worlds.push(world);
  const playedWith = (id: string, query = "") =>
    world.get(`/shards/na/players/${id}/played-with${query}`);
  /** Each other player with matches and wins. */
  const tallies = async (id: string) =>
    Object.fromEntries(
      // biome-ignore lint/suspicious/noExplicitAny: as in Reply.
      (await playedWith(id)).body.data.map((one: any) => [
        one.id,
        `${one.attributes.with.wins}/${one.attributes.with.matches} ${one.attributes.against.wins}/${one.attributes.against.matches}`,
      ]),
    );
  return { world, clock, playedWith, tallies };
}

describe("what counts", () => {
  test("the window is the last 28 days, both ends included", async () => {
    const first = 28 * 24 * 60;
    const clock = new TestClock(NOW);
    const { tallies } = await worldOf(
      [
        play(first + 1, ["me"], ["before"]),
        play(first, ["me"], ["first"]),
        play(0, ["me"], ["last"]),
        play(-1, ["me"], ["after"]),
      ],
      {},
      clock,
    );
    // Also when the result is cached.
    for (let time = 0; time < 3; time++) {
      expect(Object.keys(await tallies("me"))).toEqual(["last", "first"]);
    }
    clock.advance(MINUTE);
    for (let time = 0; time < 3; time++) {
      expect(Object.keys(await tallies("me"))).toEqual(["after", "last"]);
    }
  });

  test("a match that only mentions the player does not, nor do others who are only mentioned", async () => {
    const spectators = (...ids: string[]): MatchIn => ({
      relationships: { spectators: { data: ids.map((id) => ({ type: "player", id })) } },
      included: ids.map((id) => ({
        type: "player",
        id,
        attributes: { name: id, shardId: "na", stats: {} },
      })),
    });
    const { playedWith, tallies } = await worldOf([
      play(50, ["me"], ["you"], spectators("seen")),
      play(40, ["you"], ["other"], spectators("me")),
    ]);
    expect(await tallies("me")).toEqual({ you: "0/0 1/1" });
    expect((await playedWith("seen")).body).toMatchObject({ data: [], meta: { matches: 0 } });
  });

  test("sides are those of the rosters, also if both have won or lost", async () => {
    const rosters = (won: boolean): [RosterIn, RosterIn] => [
      { ...side("me", "friend"), attributes: { won: String(won) } },
      { ...side("enemy", "bot"), attributes: { won: String(won) } },
    ];
    const { tallies } = await worldOf([
      aMatch({ createdAt: timeOf(50), rosters: rosters(true) }),
      aMatch({ createdAt: timeOf(40), rosters: rosters(false) }),
    ]);
    expect(await tallies("me")).toEqual({ enemy: "0/0 1/2", friend: "1/2 0/0" });
    expect(await tallies("enemy")).toEqual({ friend: "0/0 1/2", me: "0/0 1/2" });
  });

  test("at most the newest 200 matches do, and meta says that there were more", async () => {
    const matches = Array.from({ length: 201 }, (_, at) =>
      play(at + 1, ["me"], [at === 200 ? "oldest" : "you"]),
    );
    const { world, playedWith, tallies } = await worldOf(matches.slice(0, 200));
    expect((await playedWith("me")).body.meta).toMatchObject({ matches: 200, isTruncated: false });
    await world.ingest(matches.slice(200));
    expect((await playedWith("me")).body.meta).toMatchObject({ matches: 200, isTruncated: true });
    expect(await tallies("me")).toEqual({ you: "0/0 200/200" });
  });
});

describe("page[limit]", () => {
  const many = worldOf(
    Array.from({ length: 60 }, (_, at) => play(at + 1, ["me"], [`player-${at}`])),
  );

  test.each([
    ["", 20],
    ["?page[limit]=50", 50],
  ])("%s returns that many", async (query, count) => {
    const { body } = await (await many).playedWith("me", query);
    const ids = body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(Array.from({ length: count }, (_, at) => `player-${at}`));
    expect(body.meta.matches).toBe(60);
  });
});
