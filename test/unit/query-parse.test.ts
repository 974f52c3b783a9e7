import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GAME_MODES } from "../../src/domain/modes.ts";
import { encodeCursor } from "../../src/query/cursor.ts";
import {
  type ParseContext,
  parseMatchesQuery,
  parsePlayersQuery,
  parseSingleQuery,
} from "../../src/query/parse-query.ts";
import type { Gap, MatchesQuery } from "../../src/query/query.ts";
import { writeQuery } from "../../src/query/query-string.ts";
import { joinList } from "../support/lists.ts";

const context: ParseContext = {
  now: Date.UTC(2026, 2, 29),
  maxOffset: 10_000,
  includePaths: new Set(["rosters", "rosters.participants", "rosters.team"]),
  types: new Set(["match", "roster", "player"]),
};

function matches(raw: string): MatchesQuery {
  const parsed = parseMatchesQuery(raw, context);
  if (!parsed.ok) throw new Error(parsed.problems.map(({ detail }) => detail).join("\n"));
  return parsed.query;
}

describe("a query without parameters", () => {
  test("asks for the first 5 matches of the default window, oldest first, with everything", () => {
    expect(matches("")).toEqual({
      window: { start: Date.UTC(2026, 2, 1), end: context.now },
      sort: "createdAt",
      place: { from: "offset", offset: 0 },
      limit: 5,
      filters: {
        playerNames: undefined,
        playerIds: undefined,
        teamNames: undefined,
        gameModes: undefined,
        patchVersions: undefined,
      },
      include: undefined,
      fields: undefined,
      given: [],
    });
  });

  test("asks players and single records for no filter and everything", () => {
    const shape = { include: undefined, fields: undefined, given: [] };
    expect(parsePlayersQuery("", context)).toEqual({
      ok: true,
      query: { playerNames: undefined, playerIds: undefined, limit: 6, ...shape },
    });
    expect(parseSingleQuery("", context)).toEqual({ ok: true, query: shape });
  });
});

describe("paging", () => {
  test.each(["1", "2", "3", "4", "5"])("page[limit]=%s is served", (limit) => {
    expect(matches(`page[limit]=${limit}`).limit).toBe(Number(limit));
  });

  test.each([
    ["0", 0],
    ["7", 7],
    ["10000", 10_000],
    [`${"0".repeat(400)}7`, 7],
  ])("page[offset]=%s is served", (text, offset) => {
    expect(matches(`page[offset]=${text}`).place).toEqual({ from: "offset", offset });
  });

  test("a cursor says after or before which gap the page lies", () => {
    const gap: Gap = { createdAt: 1_772_389_800_000, id: "match-1", side: "after" };
    const cursor = encodeCursor(gap);
    expect(matches(`page[after]=${cursor}`).place).toEqual({ from: "after", gap });
    expect(matches(`page%5Bbefore%5D=${cursor}`).place).toEqual({ from: "before", gap });
  });

  test("both sort directions are served", () => {
    expect(matches("sort=createdAt").sort).toBe("createdAt");
    expect(matches("sort=-createdAt").sort).toBe("-createdAt");
  });
});

describe("list filters", () => {
  test("each filter goes where it belongs", () => {
    const raw =
      "filter[playerNames]=Ada&filter[playerIds]=p1&filter[teamNames]=ABC&filter[gameMode]=ranked&filter[patchVersion]=2.2";
    expect(matches(raw).filters).toEqual({
      playerNames: ["Ada"],
      playerIds: ["p1"],
      teamNames: ["ABC"],
      gameModes: ["ranked"],
      patchVersions: ["2.2"],
    });
  });

  const lists: [why: string, raw: string, names: string[]][] = [
    ["a raw comma separates", "Ada,Grace", ["Ada", "Grace"]],
    ["an encoded comma separates as well", "Ada%2CGrace", ["Ada", "Grace"]],
    ["an escaped comma belongs to the name", "A%5C,da,Grace", ["A,da", "Grace"]],
    ["a doubled backslash is one", "A%5C%5Cda", ["A\\da"]],
    ["a plus is a blank", "+Ada+L+", [" Ada L "]],
    ["an encoded plus is a plus", "Ada%2B", ["Ada+"]],
    ["case is kept", "ada,ADA", ["ada", "ADA"]],
    ["any Unicode goes", "%F0%9F%8E%AE,%00", ["🎮", "\0"]],
    ["repeated values count once", "Ada,Grace,Ada", ["Ada", "Grace"]],
  ];
  test.each(lists)("in a list of names, %s", (_, raw, names) => {
    expect(matches(`filter[playerNames]=${raw}`).filters.playerNames).toEqual(names);
    expect(parsePlayersQuery(`filter[playerNames]=${raw}`, context)).toMatchObject({
      query: { playerNames: names },
    });
  });

  test("ids that look like no ids are served: they just match nothing", () => {
    expect(matches("filter[playerIds]=a+b!").filters.playerIds).toEqual(["a b!"]);
  });

  test("50 values are served, and all eight modes", () => {
    const names = Array.from({ length: 50 }, (_, index) => `p${index}`);
    expect(matches(`filter[playerNames]=${names}`).filters.playerNames).toEqual(names);
    expect(matches(`filter[gameMode]=${GAME_MODES}`).filters.gameModes).toEqual([...GAME_MODES]);
  });
});

describe("include and fields", () => {
  test("an empty include turns everything off, with or without the equals sign", () => {
    expect(matches("include=").include).toEqual([]);
    expect(matches("include").include).toEqual([]);
  });

  test("include paths are kept once each", () => {
    const include = ["rosters.team", "rosters"];
    expect(matches("include=rosters.team,rosters,rosters.team").include).toEqual(include);
  });

  test("fields are kept by type, names that no resource has among them", () => {
    expect(
      matches("fields[match]=gameMode,nonsense,gameMode&fields%5Bplayer%5D=name").fields,
    ).toEqual(
      new Map([
        ["match", new Set(["gameMode", "nonsense"])],
        ["player", new Set(["name"])],
      ]),
    );
  });

  test("every endpoint takes both", () => {
    const query = { include: ["rosters"], fields: new Map([["match", new Set(["a"])]]) };
    for (const parse of [parseMatchesQuery, parsePlayersQuery, parseSingleQuery]) {
      expect(parse("include=rosters&fields[match]=a", context)).toMatchObject({ ok: true, query });
    }
  });
});

describe("the parameters as given", () => {
  test("are decoded pairs in the caller's order", () => {
    expect(matches("sort=-createdAt&filter%5BplayerNames%5D=A+B%2CC&include").given).toEqual([
      ["sort", "-createdAt"],
      ["filter[playerNames]", "A B,C"],
      ["include", ""],
    ]);
  });

  test("written as a query string are read back as the same parameters and the same query", () => {
    const names = fc.array(fc.string({ unit: "binary", minLength: 1 }), {
      minLength: 1,
      maxLength: 50,
    });
    const given = fc
      .record(
        {
          "filter[playerNames]": names.map(joinList),
          "filter[teamNames]": names.map(joinList),
          "filter[gameMode]": fc.subarray([...GAME_MODES], { minLength: 1 }).map(joinList),
          "page[limit]": fc.integer({ min: 1, max: 5 }).map(String),
          "page[offset]": fc.nat(10_000).map(String),
          include: fc.subarray([...context.includePaths]).map(String),
          "filter[createdAt-start]": fc.constant("2026-03-20T02:00:00+02:00"),
        },
        { requiredKeys: [] },
      )
      .chain((parameters) => {
        const pairs = Object.entries(parameters) as [string, string][];
        return fc.shuffledSubarray(pairs, { minLength: pairs.length });
      });
    fc.assert(
      fc.property(given, (pairs) => {
        const query = matches(writeQuery(pairs));
        expect(query.given).toEqual(pairs);
        expect(matches(writeQuery(query.given))).toEqual(query);
      }),
    );
  });
});
