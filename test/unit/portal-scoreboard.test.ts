/** In charge of the portal's scoreboard as pure data: sums, outcomes, and records that lack things. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { furtherFigures, furtherLists, others } from "../../src/portal/views/match/extras.ts";
import type { MatchRecord, RosterRecord } from "../../src/portal/views/match/record.ts";
import { scoreboardOf } from "../../src/portal/views/match/scoreboard.ts";

/** What has a place on the board where it is of its usual type. */
const BOARD = new Set([
  "kills",
  "deaths",
  "assists",
  "gold",
  "farm",
  "level",
  "items",
  "skillTier",
  "winner",
]);

type Stats = { [key: string]: unknown };

const roster = (won: boolean, members: Stats[], stats: Stats = {}): RosterRecord => ({
  id: `roster-${won}-${members.length}`,
  won,
  stats,
  participants: members.map((one, at) => ({
    id: `participant-${at}`,
    actor: "*Hero009*",
    stats: one,
    player: at === 0 ? { id: "player-1", name: "Ada" } : undefined,
  })),
});

const match = (...rosters: RosterRecord[]): MatchRecord => ({
  id: "match-1",
  createdAt: "2026-03-01T18:30:00Z",
  duration: 1702,
  gameMode: "ranked",
  patchVersion: "",
  stats: { endGameReason: "victory", queue: "ranked" },
  rosters,
});

describe("a scoreboard", () => {
  test("has both sides with their names, outcomes and lines", () => {
    const { sides } = scoreboardOf(
      match(
        roster(false, [{ kills: 3, skinKey: "Hero009_Gilded" }], { side: "left/blue" }),
        roster(true, [{ wentAfk: true, firstAfkTime: 90 }], { side: "right/red" }),
      ),
    );
    expect(sides.map(({ name, outcome, place }) => [name, outcome, place])).toEqual([
      ["Blue side", "lost", "left"],
      ["Red side", "won", "right"],
    ]);
    expect(sides[0]!.lines[0]).toMatchObject({ hero: "Hero 009", kills: 3, afk: false });
    expect(sides[1]!.lines[0]).toMatchObject({ afk: true, afkSince: 90, items: [] });
  });

  test("draws the side that played left on the left", () => {
    const right = roster(true, [], { side: "right/red" });
    const left = roster(false, [], { side: "left/blue" });
    const { sides } = scoreboardOf(match(right, left));
    expect(sides.map(({ name, place }) => [name, place])).toEqual([
      ["Blue side", "left"],
      ["Red side", "right"],
    ]);
  });

  test("takes totals from the roster, and sums what its members say where it is silent", () => {
    const members = [{ kills: 2, gold: 100.5, farm: 10 }, { kills: 1 }, {}];
    const { sides } = scoreboardOf(
      match(roster(true, members), roster(false, members, { heroKills: 9, gold: 500 })),
    );
    expect(sides[0]!.totals).toMatchObject({ kills: 3, gold: 100.5, farm: 10, turrets: undefined });
    expect(sides[1]!.totals).toMatchObject({ kills: 9, gold: 500, farm: 10 });
  });

  test("gives bars the best figure of anybody as their length", () => {
    const one = roster(true, [{ kills: 2, gold: 90 }, { gold: 110 }]);
    expect(scoreboardOf(match(one, roster(false, [{ kills: 7 }]))).most).toEqual({
      gold: 110,
      farm: 0,
      kills: 7,
    });
  });

  test("says that nobody won where no roster did", () => {
    const { sides } = scoreboardOf(match(roster(false, [{}]), roster(false, [{}])));
    expect(sides.map(({ outcome }) => outcome)).toEqual(["undecided", "undecided"]);
  });

  test("takes a stat of another type as not said, and shows it among the further ones", () => {
    const odd = { kills: "many", gold: null, level: [1], items: "boots", farm: Number.NaN };
    const [side] = scoreboardOf(match(roster(true, [odd]))).sides;
    expect(side!.lines[0]).toMatchObject({ kills: undefined, gold: undefined, items: [] });
    expect(side!.totals).toMatchObject({ kills: undefined, gold: undefined });
    expect(furtherFigures(side!.lines).map(({ key }) => key)).toEqual(["gold", "items", "kills"]);
    expect(furtherLists(side!.lines[0]!).map(({ key }) => key)).toEqual(["level"]);
  });

  test("stands for one against ten, and for nobody", () => {
    const ten = Array.from({ length: 10 }, () => ({ kills: 1 }));
    const { sides } = scoreboardOf(match(roster(true, [{}]), roster(false, ten)));
    expect(sides.map(({ lines }) => lines.length)).toEqual([1, 10]);
    expect(scoreboardOf(match(roster(true, []))).most).toEqual({ gold: 0, farm: 0, kills: 0 });
    expect(scoreboardOf(match()).sides).toEqual([]);
  });
});

test("whatever an open set holds, there is a scoreboard, and nothing on it is lost", () => {
  const key = fc.oneof(
    fc.constantFrom("kills", "gold", "items", "side", "level", "wentAfk", "skinKey", "__proto__"),
    fc.string(),
  );
  const stats = fc.dictionary(key, fc.jsonValue());
  fc.assert(
    fc.property(fc.array(stats, { maxLength: 4 }), stats, (members, own) => {
      const { sides } = scoreboardOf(match(roster(true, members, own), roster(false, [])));
      const lines = sides.flatMap((side) => side.lines);
      const rows = new Set(furtherFigures(lines).map((row) => row.key));
      for (const line of lines) {
        for (const list of furtherLists(line)) rows.add(list.key);
        for (const [name, value] of Object.entries(line.stats)) {
          if (!BOARD.has(name) || typeof value === "string") expect(rows).toContain(name);
        }
      }
    }),
  );
});

describe("what a record carries beside the board", () => {
  const lines = () =>
    scoreboardOf(
      match(
        roster(true, [
          { kills: 1, jungleKills: 4, itemUses: { "*Item_ScoutLamp*": 2 } },
          { moonPhase: "waning" },
        ]),
      ),
    ).sides[0]!.lines;

  test("is a table of single values, with a dash where one is missing", () => {
    expect(furtherFigures(lines())).toEqual([
      { key: "jungleKills", name: "Jungle kills", texts: ["4", "–"] },
      { key: "moonPhase", name: "Moon phase", texts: ["–", "waning"] },
    ]);
  });

  test("is a list for each object", () => {
    expect(furtherLists(lines()[0]!)).toEqual([
      { key: "itemUses", name: "Item uses", text: "Scout Lamp × 2" },
    ]);
    expect(furtherLists(lines()[1]!)).toEqual([]);
  });

  test("has the items that are no names", () => {
    const [side] = scoreboardOf(match(roster(true, [{ items: ["Orb", 7, { id: "x" }] }]))).sides;
    expect(side!.lines[0]!.items).toEqual(["Orb"]);
    expect(furtherLists(side!.lines[0]!)).toEqual([
      { key: "items", name: "Items", text: "Orb, 7, ID: x" },
    ]);
  });

  test("leaves out what is shown elsewhere, by its key", () => {
    expect(others({ gold: 1, b: 2, a: true }, ["gold"]).map(({ name }) => name)).toEqual([
      "A",
      "B",
    ]);
  });
});
