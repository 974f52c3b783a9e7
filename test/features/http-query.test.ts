/** Tests how query strings are parsed. */

import { afterAll, describe, expect, test } from "bun:test";
import type { ErrorCode } from "../../src/domain/errors.ts";
import { idsOf } from "../support/compound.ts";
import { expectProblem, problemIn, problemsIn } from "../support/problems.ts";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import { exchange } from "../support/wire.ts";
import { JSON_API, startWorld } from "../support/world.ts";

const PLAYERS: Record<string, string> = {
  a: "Ada",
  b: "Grace Hopper",
  c: "a+b",
  d: "x,y",
  e: "x",
  f: "y",
  g: "back\\slash",
  h: "艾达",
};
const world = await startWorld(
  Object.entries(PLAYERS).map(([id, name], index) =>
    aMatch({
      id: `match-${id}`,
      createdAt: minutesAgo(100 - index),
      rosters: duel({ id, name }, { id: `other-${id}` }),
    }),
  ),
);
afterAll(() => world.stop());

const LISTS = ["matches", "players"] as const;
const ENDPOINTS = ["matches", "matches/match-a", "players", "players/a"] as const;

/** The query exactly as written, without encoding. */
async function ask(path: string, query: string) {
  const reply = await exchange(world.url, [
    `GET /shards/na/${path}?${query} HTTP/1.1`,
    "Host: here",
    `Authorization: Bearer ${world.key}`,
    `Accept: ${JSON_API}`,
  ]);
  return { status: reply.status, body: JSON.parse(reply.body) };
}

const get = (path: string) => world.get(`/shards/na/${path}`);
const wanted = (list: (typeof LISTS)[number], ids: string[]) =>
  list === "players" ? ids : ids.map((id) => `match-${id}`);

describe.each(LISTS)("on %s", (list) => {
  test.each([
    ["raw brackets", "filter[playerIds]=a", ["a"]],
    ["encoded brackets", "filter%5BplayerIds%5D=a", ["a"]],
    ["encoded brackets in lower case", "filter%5bplayerIds%5d=a", ["a"]],
    ["one bracket raw, one encoded", "filter[playerIds%5D=a", ["a"]],
    ["any letter of a name encoded", "%66ilter[%70layerIds]=a", ["a"]],
    ["a raw comma", "filter[playerIds]=a,b", ["a", "b"]],
    ["an encoded comma", "filter[playerIds]=a%2Cb", ["a", "b"]],
    ["both kinds of comma", "filter[playerIds]=a%2cb,c", ["a", "b", "c"]],
    ["a value given twice in one list counts once", "filter[playerIds]=a,b,a,a", ["a", "b"]],
    ["a plus for a space", "filter[playerNames]=Grace+Hopper", ["b"]],
    ["an encoded space", "filter[playerNames]=Grace%20Hopper", ["b"]],
    ["an encoded plus for a plus", "filter[playerNames]=a%2Bb", ["c"]],
    ["an escaped comma belongs to the name", "filter[playerNames]=x\\,y", ["d"]],
    ["an escaped comma, all encoded", "filter[playerNames]=x%5C%2Cy", ["d"]],
    ["a comma that is not escaped separates", "filter[playerNames]=x,y", ["e", "f"]],
    ["an escaped backslash", "filter[playerNames]=back%5C%5Cslash", ["g"]],
    ["a name in UTF-8", "filter[playerNames]=%E8%89%BE%E8%BE%BE", ["h"]],
    ["extra ampersands", "&filter[playerIds]=a&&", ["a"]],
  ])("%s", async (_, query, ids) => {
    const reply = await ask(list, query);
    expect(reply.status).toBe(200);
    expect(idsOf(reply.body)).toEqual(wanted(list, ids));
  });

  test("a value is decoded only once", async () => {
    expect((await ask(list, "filter[playerNames]=a%252Bb")).body.data).toEqual([]);
    expect((await ask(list, "filter[playerIds]=a%252Cb")).body.data).toEqual([]);
  });
});

const TIMES = [
  "yesterday now 1700000000 2026-03-01 2026-03-01T18:30Z 2026-03-01T18:30:00",
  "2026-03-01%2018:30:00Z 2026-03-01T18:30:00%20Z %202026-03-01T18:30:00Z 20260301T183000Z",
  "2026-02-30T00:00:00Z 2025-02-29T00:00:00Z 2026-13-01T00:00:00Z 2026-00-10T00:00:00Z",
  "2026-03-00T00:00:00Z 2026-03-01T24:00:00Z 2026-03-01T18:60:00Z 2026-03-01T18:30:60Z",
  "2026-03-01T18:30:00.Z 2026-03-01T18:30:00%2B24:00 2026-03-01T18:30:00%2B01:60",
  "2026-03-01T18:30:00CET 26-03-01T18:30:00Z",
].join(" ");
const NAMES = ", a, ,a a,,b %2C a%5Cb a%5C %5C%5C%5C";
const MODES = "rankd Ranked practice ranked,nonsense ranked%20 5v5_pvp_ranked";
const LIMITS = "0 6 50 -1 abc 1.5 5.0 1e0 0x1 %2B1 1%0A ٣ 99999999999999999999";
const SORTS = "duration id createdat +createdAt %2BcreatedAt createdAt,id --createdAt";
const PATHS =
  "roster players rosters.player participants rosters.participants.team Rosters rosters. match nonsense rosters,nonsense";

type Refused = [path: string, name: string, code: ErrorCode, values: string];

/** Values separated by spaces. */
const REFUSED: Refused[] = [
  ["matches", "page[limit]", "invalid-parameter", LIMITS],
  ["players", "page[limit]", "invalid-parameter", "0 7 50 abc"],
  ["matches", "page[offset]", "invalid-parameter", "-1 abc 1.5 1e3 %2B1"],
  ["matches", "page[offset]", "offset-too-deep", "10001 99999999999999999999"],
  // There is only one page.
  ["players", "page[offset]", "invalid-parameter", "1 6 10001 -1 abc"],
  ["matches", "sort", "invalid-parameter", SORTS],
  ["matches", "filter[createdAt-start]", "invalid-parameter", TIMES],
  ["matches", "filter[createdAt-end]", "invalid-parameter", TIMES],
  ["matches", "filter[gameMode]", "invalid-parameter", MODES],
  ["matches", "filter[playerNames]", "invalid-parameter", NAMES],
  ["players", "filter[playerNames]", "invalid-parameter", NAMES],
  ["matches", "include", "unknown-include-path", PATHS],
  ["matches/match-a", "include", "unknown-include-path", PATHS],
  ["players", "include", "unknown-include-path", "rosters matches assets"],
  ["players/a", "include", "unknown-include-path", "rosters matches assets"],
  ...ENDPOINTS.flatMap((path) =>
    ["mach", "Match", "", "TYPE"].map(
      (type): Refused => [path, `fields[${type}]`, "unknown-type", "a"],
    ),
  ),
];

describe.each(REFUSED)("on %s, %s is refused as %s:", (path, name, code, values) => {
  test.each(values.split(" "))("%s", async (value) => {
    expectProblem(await get(`${path}?${name}=${value}`), code, { parameter: name });
  });
});

test.each([
  ["matches", "filter[playerNames]"],
  ["matches", "filter[playerIds]"],
  ["matches", "filter[teamNames]"],
  ["matches", "filter[patchVersion]"],
  ["players", "filter[playerNames]"],
  ["players", "filter[playerIds]"],
])("on %s, %s accepts at most 50 values, not counting duplicates", async (list, name) => {
  const values = Array.from({ length: 50 }, (_, index) => `v${index}`);
  const status = async (given: string[]) => (await get(`${list}?${name}=${given}`)).status;
  expect([await status(values), await status([...values, ...values])]).toEqual([200, 200]);
  expectProblem(await get(`${list}?${name}=${[...values, "one-more"]}`), "too-many-values", {
    parameter: name,
  });
});

describe("an unknown parameter is refused, with the nearest known name:", () => {
  test.each([
    ["matches", "filter[playerName]", "filter[playerNames]"],
    ["players", "filter[playerName]", "filter[playerNames]"],
    ["matches", "filter[playerId]", "filter[playerIds]"],
    ["matches", "filter[teamName]", "filter[teamNames]"],
    ["matches", "filter[gamemode]", "filter[gameMode]"],
    ["matches", "filter[createdAt-Start]", "filter[createdAt-start]"],
    ["matches", "page[size]", undefined],
    ["matches", "limit", "page[limit]"],
    ["matches", "Sort", "sort"],
    ["matches/match-a", "includes", "include"],
    ["players/a", "field[player]", "fields[player]"],
  ])("%s?%s", async (path, name, guess) => {
    const reply = await get(`${path}?${name}=1`);
    expect(reply.status).toBe(400);
    const problem = problemIn(reply);
    expect(problem).toMatchObject({ code: "unknown-parameter", source: { parameter: name } });
    if (guess !== undefined) expect(problem.detail).toContain(guess);
  });
});

test("a name similar to no other is refused with the list of known names", async () => {
  const reply = await get("players?qqqqqqqqqqqq=1");
  const { detail } = problemIn(reply);
  for (const name of ["filter[playerNames]", "filter[playerIds]", "include", "fields[player]"]) {
    expect(detail).toContain(name);
  }
});

describe("parameters of the matches collection are unknown elsewhere:", () => {
  const paging = ["page[limit]", "page[offset]"];
  test.each([
    ["players", []],
    ["players/a", paging],
    ["matches/match-a", paging],
  ])("%s", async (path, more) => {
    const others = ["page[after]", "sort", "filter[createdAt-start]", "filter[teamNames]"];
    for (const name of [...more, ...others]) {
      expectProblem(await get(`${path}?${name}=1`), "unknown-parameter", { parameter: name });
    }
  });
});

describe("paths without parameters:", () => {
  test.each(["/status", "/openapi.json", "/usage"])(
    "%s refuses every parameter, all at once",
    async (path) => {
      const reply = await world.get(`${path}?nonsense=1&page[limit]=5&nonsense=2`);
      expect(reply.status).toBe(400);
      expect(problemsIn(reply)).toMatchObject([
        { code: "unknown-parameter", source: { parameter: "nonsense" } },
        { code: "unknown-parameter", source: { parameter: "page[limit]" } },
      ]);
    },
  );

  test.each(["/healthz", "/readyz"])("%s ignores what a probe may add", async (path) => {
    expect((await world.get(`${path}?nonsense=1&%zz`)).status).toBe(200);
  });
});

describe.each(ENDPOINTS)("on %s", (path) => {
  test("a parameter given twice is refused", async () => {
    expectProblem(await get(`${path}?include=&include=`), "repeated-parameter", {
      parameter: "include",
    });
  });

  test("a parameter given twice, once encoded, is refused", async () => {
    expectProblem(
      await get(`${path}?fields[player]=name&fields%5Bplayer%5D=name`),
      "repeated-parameter",
      { parameter: "fields[player]" },
    );
  });

  test("a query that cannot be decoded is refused", async () => {
    for (const value of ["%", "%zz", "%E8%89", "%FF", "%C0%80"]) {
      const reply = await ask(path, `include=${value}`);
      expect(reply.status).toBe(400);
      expect(reply.body.errors).toMatchObject([
        { code: "malformed-query", source: { parameter: "include" } },
      ]);
    }
  });
});

test.each([
  "page[limit]",
  "page[offset]",
  "page[after]",
  "page[before]",
  "sort",
  "filter[createdAt-start]",
  "filter[createdAt-end]",
  "filter[playerNames]",
  "filter[playerIds]",
  "filter[teamNames]",
  "filter[gameMode]",
  "filter[patchVersion]",
])("an empty value is refused, with and without the equals sign: %s", async (name) => {
  for (const query of [`${name}=`, name]) {
    const reply = await ask("matches", query);
    expect(reply.status).toBe(400);
    expect(reply.body.errors).toMatchObject([
      { code: "empty-parameter", source: { parameter: name } },
    ]);
  }
});

test("a parameter without a name, or more than 100 parameters, is malformed", async () => {
  for (const query of ["=1", Array.from({ length: 101 }, (_, index) => `p${index}`).join("&")]) {
    const reply = await get(`matches?${query}`);
    expect(reply.status).toBe(400);
    expect(problemsIn(reply).map(({ code }) => code)).toContain("malformed-query");
  }
});

test("several problems of one request are all reported at once, each with its source", async () => {
  const reply = await get(
    "matches?page[limit]=6&page[offset]=-1&filter[playerName]=A&sort=x&filter[teamNames]=&filter[gameMode]=x&include=x&fields[x]=a&filter[createdAt-start]=soon&sort=y",
  );
  expect(reply.status).toBe(400);
  const problems = problemsIn(reply);
  expect(problems).toHaveLength(10);
  expect(new Set(problems.map(({ code, source }) => `${code} ${source?.parameter}`))).toEqual(
    new Set([
      "invalid-parameter page[limit]",
      "invalid-parameter page[offset]",
      "unknown-parameter filter[playerName]",
      "invalid-parameter sort",
      "repeated-parameter sort",
      "empty-parameter filter[teamNames]",
      "invalid-parameter filter[gameMode]",
      "unknown-include-path include",
      "unknown-type fields[x]",
      "invalid-parameter filter[createdAt-start]",
    ]),
  );
});
