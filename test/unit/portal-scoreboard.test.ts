/** The portal's scoreboard as data: totals, outcomes, and incomplete records. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { matchOf, type Readable } from "../../src/portal/match.ts";
import { sideName } from "../../src/portal/names.ts";
import { extraLists, extraStats, otherValues } from "../../src/portal/views/match/extras.ts";
import { readable } from "../support/readable.ts";

/** Stats that the scoreboard shows if they have the expected type. */
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

const roster = (won: boolean, members: Stats[], stats: Stats = {}): Readable =>
  readable(
    `roster-${won}-${members.length}`,
    { won: String(won), stats },
    {
      participants: members.map((one, at) =>
        readable(
          `participant-${at}`,
          { actor: "*Hero009*", stats: one },
          at === 0 ? { player: [readable("player-1", { name: "Ada" })] } : {},
        ),
      ),
    },
  );

const match = (...rosters: Readable[]) => lasting(1702, rosters);

const lasting = (duration: number, rosters: readonly Readable[]) =>
  matchOf(readable("match-1", { duration, gameMode: "ranked" }, { rosters }));

describe("a scoreboard", () => {
  test("shows the left side on the left", () => {
    const right = roster(true, [], { side: "right/red" });
    const left = roster(false, [], { side: "left/blue" });
    const { sides } = match(right, left);
    expect(sides.map(({ name, colour }) => [name, colour])).toEqual([
      [sideName("left/blue"), "blue"],
      [sideName("right/red"), "red"],
    ]);
  });

  test("has a blue and a red side, as the record names them, and otherwise by position", () => {
    const colours = (...named: (string | undefined)[]) => {
      const rosters = named.map((side) => roster(false, [], side === undefined ? {} : { side }));
      return match(...rosters).sides.map(({ colour }) => colour);
    };
    expect(colours("left/red", "right/blue")).toEqual(["red", "blue"]);
    expect(colours("left/red", undefined)).toEqual(["red", "blue"]);
    expect(colours(undefined, "right/BLUE")).toEqual(["red", "blue"]);
    expect(colours("north", "south")).toEqual(["blue", "red"]);
    expect(colours("left/red", "right/red")).toEqual(["blue", "red"]);
  });

  test("has a ratio and values per minute where the record has what they need", () => {
    const stats = { kills: 3, deaths: 2, assists: 2, gold: 2836.5 };
    const unharmed = { kills: 3, deaths: 0, assists: 2 };
    const rosters = [roster(true, [stats, unharmed, { kills: 3 }])];
    const [first, second, third] = match(...rosters).sides[0]!.members;
    expect([first!.ratio, second!.ratio, third!.ratio]).toEqual([2.5, 5, undefined]);
    expect(Math.round(first!.goldPerMinute!)).toBe(100);
    expect(first!.farmPerMinute).toBeUndefined();
    const [timeless] = lasting(0, rosters).sides[0]!.members;
    expect(timeless!.goldPerMinute).toBeUndefined();
  });

  test("takes totals from the roster, or adds up its participants where the roster has none", () => {
    const members = [{ kills: 2, gold: 100.5, farm: 10 }, { kills: 1 }, {}];
    const { sides } = match(
      roster(true, members),
      roster(false, members, { heroKills: 9, gold: 500 }),
    );
    expect(sides[0]!.totals).toMatchObject({ kills: 3, gold: 100.5, farm: 10, turrets: undefined });
    expect(sides[1]!.totals).toMatchObject({ kills: 9, gold: 500, farm: 10 });
  });

  test("treats a stat of an unexpected type as missing, and shows it among the extra stats", () => {
    const odd = { kills: "many", gold: null, level: [1], items: "boots", farm: Number.NaN };
    const [side] = match(roster(true, [odd])).sides;
    expect(side!.members[0]).toMatchObject({ kills: undefined, gold: undefined, items: [] });
    expect(side!.totals).toMatchObject({ kills: undefined, gold: undefined });
    expect(extraStats(side!.members).map(({ key }) => key)).toEqual(["gold", "items", "kills"]);
    expect(extraLists(side!.members[0]!).map(({ key }) => key)).toEqual(["level"]);
  });
});

test("any stats make a scoreboard, and none of them is lost", () => {
  const key = fc.oneof(
    fc.constantFrom("kills", "gold", "items", "side", "level", "wentAfk", "skinKey", "__proto__"),
    fc.string(),
  );
  const stats = fc.dictionary(key, fc.jsonValue());
  fc.assert(
    fc.property(fc.array(stats, { maxLength: 4 }), stats, (members, own) => {
      const { sides } = match(roster(true, members, own), roster(false, []));
      const lines = sides.flatMap((side) => side.members);
      const rows = new Set(extraStats(lines).map((row) => row.key));
      for (const line of lines) {
        for (const list of extraLists(line)) rows.add(list.key);
        for (const [name, value] of Object.entries(line.stats)) {
          if (!BOARD.has(name) || typeof value === "string") expect(rows).toContain(name);
        }
      }
    }),
  );
});

describe("stats that are not on the scoreboard", () => {
  test("include items that are not names", () => {
    const [side] = match(roster(true, [{ items: ["Orb", 7, { id: "x" }] }])).sides;
    expect(side!.members[0]!.items).toEqual(["Orb"]);
    expect(extraLists(side!.members[0]!)).toEqual([
      { key: "items", name: "Items", text: "Orb, 7, ID: x" },
    ]);
  });

  test("leave out the known keys", () => {
    expect(otherValues({ gold: 1, b: 2, a: true }, ["gold"]).map(({ name }) => name)).toEqual([
      "A",
      "B",
    ]);
  });
});
