import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Problem } from "../../src/domain/errors.ts";
import { GAME_MODES } from "../../src/domain/modes.ts";
import { encodeCursor } from "../../src/query/cursor.ts";
import {
  type ParseContext,
  parseMatchesQuery,
  parsePlayersQuery,
  parseSingleQuery,
} from "../../src/query/parse-query.ts";

const context: ParseContext = {
  now: Date.UTC(2026, 2, 29),
  maxOffset: 10_000,
  includePaths: new Set(["rosters", "rosters.participants", "rosters.team"]),
  types: new Set(["match", "roster", "player"]),
};

const FIFTY_ONE = Array.from({ length: 51 }, (_, index) => `T${index}`).join();

const PARSERS = {
  matches: parseMatchesQuery,
  players: parsePlayersQuery,
  single: parseSingleQuery,
};

function problems(raw: string, endpoint: keyof typeof PARSERS = "matches"): Problem[] {
  const parsed = PARSERS[endpoint](raw, context);
  return parsed.ok ? [] : parsed.problems;
}

const cursor = encodeCursor({ createdAt: 0, id: "match-1", side: "after" });

describe("a wrong value is refused with advice that names the parameter:", () => {
  const cases: [raw: string, code: Problem["code"], advice: string][] = [
    ["page[limit]=0", "invalid-parameter", 'must be a whole number from 1 to 5; you sent "0".'],
    [
      "page[limit]=6",
      "invalid-parameter",
      'page[limit] must be a whole number from 1 to 5; you sent "6".',
    ],
    ["page[limit]=abc", "invalid-parameter", "from 1 to 5"],
    ["page[limit]=1.5", "invalid-parameter", "from 1 to 5"],
    ["page[limit]=-1", "invalid-parameter", "from 1 to 5"],
    ["page[limit]=+1", "invalid-parameter", 'you sent " 1"'],
    ["page[limit]=1e0", "invalid-parameter", "from 1 to 5"],
    ["page[limit]=0x1", "invalid-parameter", "from 1 to 5"],
    ["page[limit]=%D9%A1", "invalid-parameter", "from 1 to 5"],
    ["page[limit]=1%0A", "invalid-parameter", "from 1 to 5"],
    ["page[offset]=-1", "invalid-parameter", "must be a whole number, 0 or more"],
    ["page[offset]=1.5", "invalid-parameter", "must be a whole number, 0 or more"],
    ["page[offset]=10001", "offset-too-deep", "Follow links.next, or narrow the window"],
    [`page[offset]=${"9".repeat(400)}`, "offset-too-deep", "no deeper than 10000"],
    ["page[after]=nonsense", "invalid-cursor", "exactly as it stands in links.next"],
    [`page[before]=${cursor.slice(1)}`, "invalid-cursor", "exactly as it stands in links.next"],
    ["sort=duration", "invalid-parameter", "createdAt (oldest first) or -createdAt (newest first)"],
    ["sort=createdAt,-createdAt", "invalid-parameter", "must be createdAt"],
    ["filter[playerNames]=Ada,,Grace", "invalid-parameter", "has an empty item"],
    ["filter[playerNames]=A%5Cda", "invalid-parameter", "write a backslash as \\\\"],
    ["filter[playerIds]=a%5C", "invalid-parameter", "write a backslash as \\\\"],
    [`filter[teamNames]=${FIFTY_ONE}`, "too-many-values", "50 values at most; you sent 51"],
    ["filter[gameMode]=rankd", "invalid-parameter", 'you sent "rankd" (did you mean "ranked"?)'],
    ["filter[gameMode]=ranked,zzz", "invalid-parameter", GAME_MODES.join(", ")],
    ["include=roster", "unknown-include-path", '"roster" (did you mean "rosters"?)'],
    ["include=rosters,zzz", "unknown-include-path", "rosters, rosters.participants, rosters.team"],
    ["include=rosters,", "invalid-parameter", "has an empty item"],
    ["fields[match]=a,,b", "invalid-parameter", "has an empty item"],
    ["fields[mach]=a", "unknown-type", 'no resource type "mach" (did you mean "match"?)'],
    ["fields[]=a", "unknown-type", "The types are: match, roster, player."],
    ["fields[TYPE]=a", "unknown-type", "The types are: match, roster, player."],
  ];
  test.each(cases)("%s", (raw, code, advice) => {
    const [name] = raw.split("=");
    const found = problems(raw);
    expect(found).toMatchObject([{ code, source: { parameter: name } }]);
    expect(found[0]!.detail).toContain(advice);
    expect(found[0]!.detail).toEndWith(".");
  });

  test("a long value is quoted in short, and never cut inside a character", () => {
    for (const lead of ["", "x"]) {
      const value = lead + "🎮".repeat(100);
      const [problem] = problems(`page[limit]=${encodeURIComponent(value)}`);
      const quoted = problem!.detail.split('"')[1]!;
      expect(quoted.length).toBeLessThanOrEqual(60);
      expect(quoted).toEndWith("🎮…");
      expect(quoted.isWellFormed()).toBe(true);
    }
  });

  test("of many wrong modes only the first few are quoted", () => {
    const [problem] = problems("filter[gameMode]=z1,z2,z3,z4,z5,z6,z7");
    expect(problem!.detail).toEndWith('you sent "z1", "z2", "z3", "z4", "z5" and 2 more.');
  });
});

describe("a name that does not belong is refused", () => {
  const cases: [endpoint: keyof typeof PARSERS, name: string, advice: string][] = [
    ["matches", "filter[playerName]", "did you mean filter[playerNames]?"],
    ["players", "filter[playerName]", "did you mean filter[playerNames]?"],
    ["matches", "Filter[PlayerNames]", "did you mean filter[playerNames]?"],
    ["matches", "filter[playerNames", "did you mean filter[playerNames]?"],
    ["matches", "limit", "did you mean page[limit]?"],
    ["matches", "filter[limit]", "did you mean page[limit]?"],
    ["matches", "fields[match", "did you mean fields[match]?"],
    ["matches", "nonsense", "The parameters of the collection of matches are: page[limit], page"],
    [
      "single",
      "nonsense",
      "a single record are: include, fields[match], fields[roster], fields[player].",
    ],
    ["matches", "__proto__", "no parameter"],
    ["matches", "constructor", "no parameter"],
    [
      "players",
      "page[after]",
      "is a parameter of the collection of matches, not of the collection of players",
    ],
    ["single", "sort", "is a parameter of the collection of matches, not of a single record"],
    [
      "single",
      "filter[playerIds]",
      "the collection of matches and the collection of players, not of a single",
    ],
  ];
  test.each(cases)("on %s: %s", (endpoint, name, advice) => {
    const found = problems(`${name}=1`, endpoint);
    expect(found).toMatchObject([{ code: "unknown-parameter", source: { parameter: name } }]);
    expect(found[0]!.detail).toContain(advice);
  });

  test("once, however often it was given", () => {
    expect(problems("x=1&x=2&x=3")).toMatchObject([{ code: "unknown-parameter" }]);
  });
});

describe("a parameter is refused", () => {
  test.each(["page[limit]", "filter[playerNames]", "sort", "page[after]"])(
    "when it is empty, with or without the equals sign: %s",
    (name) => {
      const expected = [{ code: "empty-parameter", source: { parameter: name } }];
      expect(problems(name)).toMatchObject(expected);
      expect(problems(`${name}=`)).toMatchObject(expected);
    },
  );

  test.each([
    ["sort=createdAt&sort=createdAt", "sort"],
    ["include=&include=", "include"],
    ["page[limit]=1&page%5Blimit%5D=2&page[limit]=3", "page[limit]"],
    ["fields[match]=a&fields[match]=b", "fields[match]"],
  ])("when it is repeated: %s", (raw, parameter) => {
    expect(problems(raw)).toMatchObject([{ code: "repeated-parameter", source: { parameter } }]);
  });

  test.each([
    [`page[offset]=0&page[after]=${cursor}`, ["page[offset]"]],
    [`page[before]=${cursor}&page[offset]=5`, ["page[offset]"]],
    [`page[after]=${cursor}&page[before]=${cursor}`, ["page[before]"]],
    [
      `page[after]=${cursor}&page[before]=${cursor}&page[offset]=1`,
      ["page[before]", "page[offset]"],
    ],
  ])("when it says a second time where the page begins: %s", (raw, parameters) => {
    expect(problems(raw)).toMatchObject(
      parameters.map((parameter) => ({ code: "conflicting-parameters", source: { parameter } })),
    );
  });
});

describe("all problems", () => {
  test("are reported at once", () => {
    const raw =
      "page[limit]=6&filter[playerName]=A&sort=x&filter[teamNames]=&filter[gameMode]=x&page[offset]=-1&include=x&fields[x]=a&filter[playerNames]=%FF&page[after]=x&filter[createdAt-start]=2027-01-01T00:00:00Z&sort=y";
    expect(problems(raw).map(({ code }) => code)).toEqual([
      "malformed-query",
      "unknown-parameter",
      "unknown-type",
      "repeated-parameter",
      "invalid-parameter",
      "invalid-parameter",
      "empty-parameter",
      "invalid-parameter",
      "invalid-parameter",
      "unknown-include-path",
      "invalid-cursor",
      "invalid-window",
      "conflicting-parameters",
    ]);
  });

  test("of any text are reported rather than thrown", () => {
    const part = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("page[limit]=", "filter[playerNames]=", "include=", "&", "%", ",", "\\", "="),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const raw = parts.join("");
        for (const parse of Object.values(PARSERS)) {
          const parsed = parse(raw, context);
          expect(parsed.ok || parsed.problems.length > 0).toBe(true);
        }
      }),
    );
  });
});

test("a value repeated any number of times counts once", () => {
  expect(problems(`filter[teamNames]=${"A,".repeat(60)}A`)).toEqual([]);
});
