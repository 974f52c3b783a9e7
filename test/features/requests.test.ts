/**
 * Requests by the rules of docs/api.md, as examples without their results: what is right is decided by the rules as the
 * fuzzing has them, written a second time. They give status, problems and data; another spelling of the request and the
 * compatibility profile must give the same.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MATCH_IDS, PLAYER_IDS } from "../properties/histories.ts";
import type { RawReply } from "../support/connection.ts";
import { ENDPOINT_URLS } from "../support/endpoints.ts";
import { HOST, KEY } from "../trial/fuzz/request-grammar.ts";
import { requestTarget } from "../trial/fuzz/requests.ts";
import { textOf } from "../trial/fuzz/wire.ts";
import { type FuzzWorld, startFuzzWorld } from "../trial/fuzz/world.ts";

let world: FuzzWorld;
let target: ReturnType<typeof requestTarget>;
const replies: RawReply[] = [];
beforeAll(async () => {
  world = await startFuzzWorld();
  target = requestTarget(world, (reply) => {
    replies.push(reply);
    return reply;
  });
});
afterAll(async () => {
  target.close();
  await world.stop();
});

const WITH_KEY = `Authorization: Bearer ${KEY}`;
const JSON_API = "application/vnd.api+json";
const WITH_ACCEPT = `Accept: ${JSON_API}`;

/** The response, which the rules have found right. */
async function judged(path: string, fields = [WITH_KEY, WITH_ACCEPT], method = "GET") {
  replies.length = 0;
  const text = [`${method} ${path} HTTP/1.1`, `Host: ${HOST}`, ...fields, "", ""].join("\r\n");
  const [verdict] = await target.check({ text, isHostile: false });
  expect(verdict).toStartWith("with ");
  const [reply] = replies;
  return { status: reply!.status, body: JSON.parse(textOf(reply!) || "{}") };
}

const NA = "/shards/na";
const SINCE = "filter[createdAt-start]=2024-01-01T00:00:00Z";
const FUTURE = "2999-01-01T00:00:00Z";
const many = (count: number) => Array.from({ length: count }, (_, at) => `v${at}`).join();

/** The paths of a table: each start with each of its ends, which are separated by spaces. Without a slash they are of na. */
const pathsIn = (table: Record<string, string>) =>
  Object.entries(table).flatMap(([start, ends]) =>
    ends
      .split(" ")
      .map((end) => (start.startsWith("/") ? start + end : `${NA}/${start}${end}`))
      .map((path) => path.replace("SINCE", SINCE)),
  );

const SPELLINGS = [
  "filter[playerIds]=p1 filter%5BplayerIds%5D=p1 filter%5bplayerIds%5d=p1 filter[playerIds%5D=p1",
  "%66ilter[%70layerIds]=p1 filter[playerIds]=p1,q filter[playerIds]=p1%2Cq,P1",
  "filter[playerIds]=q,p1,q,q &filter[playerIds]=p1&& filter[playerNames]=Ana,ana",
  "filter[playerNames]=Ana+ filter[playerNames]=Ana%20,ana filter[playerNames]=a\\,b",
  "filter[playerNames]=a%5C%2Cb,Ana filter[playerNames]=back%5C%5Cslash",
].join(" ");

const FOUND = {
  // Of the last 28 days.
  matches: "? ?sort=createdAt /?sort=-createdAt /",
  "matches?SINCE&": `sort=-createdAt include= include filter[createdAt-end]=${FUTURE} ${SPELLINGS}`,
  // Not the 28 days before its end.
  "matches?filter[createdAt-end]=": "2024-07-01T00:00:00Z",
  "matches?SINCE&filter[createdAt-end]=2024-03-10T":
    "12:00:00Z 14:00:00+02:00 12:00:00.000000000Z 14:00:00%2B02:00 14:00:00%20%302:00 17:30:00.000+05:30 06:30:00-05:30 12%3A00%3A00Z",
  "matches?SINCE&page[limit]=": "1 2 05 5",
  "matches?SINCE&page[offset]=": "0 1 5&page[limit]=3 4&sort=-createdAt",
  "matches?SINCE&filter[teamNames]=": "tag TAG,T%C3%A1g\\,%202",
  "matches?SINCE&filter[gameMode]=": "ranked private,casual",
  "matches?SINCE&filter[patchVersion]=": "2.5 2.6,2.5,9",
  // Different filters narrow together.
  "matches?SINCE&filter[playerIds]=p1,q&":
    "filter[playerNames]=Ana,ana filter[gameMode]=ranked,private",
  "matches?SINCE&include=": "rosters rosters.participants.player,rosters.team",
  "matches?SINCE&fields[match]": " = =duration,none&fields[player]=&include=rosters",
  "players?": `page[limit]=2&page[offset]=0 ${SPELLINGS}`,
  // In the order of the values, ids before names.
  "players?filter[playerIds]=q,p1,P1,9":
    " &page[limit]=2 &filter[playerNames]=Ana,ana,a\\,b,Ana%20 &filter[playerNames]=Ana,ana&page[limit]=1",
  "players?filter[playerIds]=p1&": "fields[player]=name include=&fields[match]=duration",
  "/shards/eu/matches?SINCE&": "filter[teamNames]=TAG filter[playerNames]=50%25%2B%26%3D%3F",
  "/shards/": "%6Ea/matches n%61/players?page[limit]=1",
};

const FINDS_NOTHING = {
  "matches?filter[createdAt-start]=2001-01-01T00:00:00Z&":
    "filter[createdAt-end]=2001-02-01T00:00:00Z filter[createdAt-end]=2001-01-01T00:00:00.001Z",
  "matches?SINCE&page[offset]=": "100 10000",
  "matches?SINCE&filter[playerNames]=": "ANA An Ana%20%20 Ana* Ana%00 %EF%BB%BFAna %25 Nobody",
  // Values are decoded once.
  "players?filter[playerNames]=": "a%255C%2Cb back%255C%255Cslash %E5%90%8D%20%E5%89%8D Nobody",
  "players?filter[playerIds]=": "nobody p2 not%20an%20id %F0%9F%8E%AE Ana",
  "matches?SINCE&filter[teamNames]=": "Tag TAG%20 nobody",
  "matches?SINCE&filter[patchVersion]=": "2 2.50",
  // Repeated values count once.
  "matches?SINCE&filter[playerIds]=": `${many(50)} ${many(50)},${many(50)}`,
};

describe("a list", () => {
  test.each(pathsIn(FOUND))("finds: %s", async (path) => {
    const { status, body } = await judged(path);
    expect([status, body.data.length > 0]).toEqual([200, true]);
  });

  test.each(pathsIn(FINDS_NOTHING))("is empty: %s", async (path) => {
    const { status, body } = await judged(path);
    expect([status, body.data]).toEqual([200, []]);
  });

  test("goes on before and after every cursor, in both orders", async () => {
    for (const cursor of world.cursors) {
      for (const sort of ["createdAt", "-createdAt"]) {
        const page = `${NA}/matches?${SINCE}&page[limit]=3&sort=${sort}`;
        await judged(`${page}&page[after]=${cursor}`);
        await judged(`${page}&page[before]=${cursor}`);
      }
      await judged(`${NA}/changes?page[after]=${cursor}`);
    }
  });
});

test("each match and player has its URL, however old, and withheld ones that of none", async () => {
  const statuses = new Set<number>();
  for (const id of MATCH_IDS) statuses.add((await judged(`${NA}/matches/${id}`)).status);
  for (const id of PLAYER_IDS) statuses.add((await judged(`${NA}/players/${id}`)).status);
  expect([...statuses].sort()).toEqual([200, 404]);
});

const TIMES = [
  "yesterday now 1700000000 2026-03-01 2026-03-01T18:30Z 2026-03-01T18:30:00 26-03-01T18:30:00Z",
  "2026-03-01%2018:30:00Z 2026-03-01T18:30:00%20Z %202026-03-01T18:30:00Z 20260301T183000Z",
  "2026-02-30T00:00:00Z 2025-02-29T00:00:00Z 2026-13-01T00:00:00Z 2026-00-10T00:00:00Z",
  "2026-03-00T00:00:00Z 2026-03-01T24:00:00Z 2026-03-01T18:60:00Z 2026-03-01T18:30:60Z",
  "2026-03-01T18:30:00.Z 2026-03-01T18:30:00%2B24:00 2026-03-01T18:30:00%2B01:60",
  "2026-03-01T18:30:00CET",
].join(" ");
const ITEMS = ", a, ,a a,,b %2C a%5Cb a%5C %5C%5C%5C";
const PATHS = "players Rosters rosters. nonsense rosters,nonsense rosters,";
const UNKNOWN =
  "includes= field[player]= filter[winner]=true page[size]=1 Sort=createdAt fields[mach]=a fields[]=a";
const SEVERAL =
  "page[limit]=6&page[offset]=-1&filter[playerName]=A&sort=x&filter[teamNames]=&filter[gameMode]=x&include=x&fields[x]=a&filter[createdAt-start]=soon&sort=y";

const REFUSED = {
  "matches?page[limit]=": "0 6 50 -1 abc 1.5 5.0 1e0 0x1 %2B1 1%0A %D9%A3 99999999999999999999",
  "players?page[limit]=": "0 7 50 abc",
  "players/p1/played-with?page[limit]=": "0 51 all",
  "leaderboards/ranked-wins?page[limit]=": "0 101",
  "changes?page[": "limit]=0 limit]=201 wait]=-1 wait]=26 wait]=soon",
  "matches?page[offset]=": "-1 abc 1.5 1e3 %2B1 10001 99999999999999999999",
  // There is only one page.
  "players?page[offset]=": "1 6 10001 -1 abc",
  "matches?sort=": "duration id createdat +createdAt %2BcreatedAt createdAt,id --createdAt",
  "heroes?sort=": "name createdAt -",
  "matches?filter[createdAt-start]=": `${TIMES} ${FUTURE} ${FUTURE}&filter[createdAt-end]=${FUTURE}`,
  // The last one is before the default start.
  "matches?filter[createdAt-end]=": `${TIMES} 2024-01-01T00:00:00Z`,
  "matches?SINCE&filter[createdAt-end]=": "2024-01-01T00:00:00Z 2023-12-31T23:59:59Z",
  // An invalid time is not also reported as a window that is empty.
  "matches?filter[createdAt-end]=2020-01-01T00:00:00Z&filter[createdAt-start]=": "soon %FF",
  "matches?filter[gameMode]=": "rankd Ranked practice ranked,nonsense ranked%20 5v5_pvp_ranked",
  "matches?filter[playerNames]=": `${ITEMS} ${many(51)}`,
  "players?filter[playerIds]=": `${ITEMS} ${many(51)}`,
  "leaderboards/ranked-wins?filter[playerIds]=": `, ${many(21)} a&page[limit]=3 a&page[after]=1.p1`,
  "matches?include=": `${PATHS} % %zz %E8%89 %FF %C0%80`,
  "matches/m?include=": PATHS,
  "players?include=": "rosters matches assets",
  "players/p1?include=": "rosters matches assets",
  "matches?page[after]=": "nonsense AAAA %20 1.p1 oldest",
  "leaderboards/ranked-wins?page[after]=": "x 01.best zzzzzzzzzzz.best 1.",
  "changes?page[after]=": "1 - 01-1 1-1-1 1-A newest 1-zzzzzzzz zzzzzzzzzzzz-1 OLDEST",
  "leaderboards/": "ranked-wins?filter[period]=7d win-streak?filter[period]=28d kills Win-Rate",
  "player-names?filter[near]=": `${"a".repeat(65)} A%00da &near=Ada &filter[near]=Ada`,
  "/player-names": "? ?filter[near] ?filter[near]=",
  "matches?": `${UNKNOWN} ${SEVERAL} =1 %zz=1 ${many(101).replaceAll(",", "&")}`,
  "matches/m?": `${UNKNOWN} page[limit]=5 sort=createdAt filter[teamNames]=A`,
  "players?": `${UNKNOWN} sort=createdAt page[after]=x filter[createdAt-start]=x`,
  "players/p1?": `${UNKNOWN} page[offset]=0 filter[playerIds]=p1`,
  "/": "status?x=1 openapi.json?page[limit]=5&x usage?a=1&page[limit]=5&a=2 Shards/na/matches v1/shards/na/matches events",
  // Empty values, with and without the equals sign.
  "matches?page[": "limit]= offset] after]= before]",
  "matches?filter[": "playerNames]= playerIds] teamNames]= gameMode] patchVersion]= createdAt-end]",
  "matches/m?fields[player]=name&": "fields%5Bplayer%5D=name include=&include=",
  "matches/": `nobody p1 %00 %E8%89%BE %zz a%2Fb ${"a".repeat(200)} m/rosters m/events`,
  "players/": "nobody Ana m ana%20 nobody/played-with %00/played-with a%20b/played-with p1/matches",
  "/shards": " / /na //matches /nowhere/matches /NA/players /%20na/matches/m /..%2Fna/players/p1",
  "/shards/na/": "rosters participants/m-r0p0 Matches events matches//",
  "/no": "where -such/matches",
};

// All problems of each are reported, and no other.
test.each(pathsIn(REFUSED))("refused: %s", async (path) => {
  const { status, body } = await judged(path);
  expect([status >= 400, body.errors.length > 0]).toEqual([true, true]);
});

test("cursors that are damaged, or used with an offset or another cursor, are refused", async () => {
  const good = world.cursors.find((one) => one.length > 20)!;
  const swapped = `${good.slice(0, 9)}${good[9] === "A" ? "B" : "A"}${good.slice(10)}`;
  const damaged = [swapped, good.slice(1), good.slice(0, -1), `${good}A`, good.repeat(20)];
  for (const query of [
    ...damaged.flatMap((one) => [`page[after]=${one}`, `page[before]=${one}`]),
    `page[after]=${good}&page[offset]=1`,
    `page[before]=${good}&page[offset]=0`,
    `page[before]=${good}&page[after]=${good}`,
  ]) {
    expect((await judged(`${NA}/matches?${query}`)).status).toBe(400);
  }
});

test("probes may add anything to /healthz and /readyz", async () => {
  for (const path of ["/healthz", "/readyz"]) {
    expect((await judged(`${path}?nonsense=1&%zz`)).status).toBe(200);
  }
});

describe("the Accept header", () => {
  test.each([
    JSON_API,
    "Application/VND.API+JSON",
    `application/json, ${JSON_API}`,
    `text/html, ${JSON_API};q=0.1, */*`,
    `${JSON_API} ; q=1.0`,
    `${JSON_API}; q=0.001`,
    `${JSON_API};ext="https://a.example/x", ${JSON_API}`,
    `text/x;note="a, b;c", ${JSON_API}`,
    `${JSON_API};q=0.9;level=1`,
    `${JSON_API};`,
    `${JSON_API}; ;q=0.9`,
    `${JSON_API}; Profile="https://a.example/x https://a.example/y, z"; q=0.5`,
    `${JSON_API}; ext="https://a.example/x", ${JSON_API}; profile=x`,
    `text/html\r\nAccept: ${JSON_API}`,
  ])("accepts: %s", async (accept) => {
    expect((await judged(`${NA}/matches`, [WITH_KEY, `Accept: ${accept}`])).status).toBe(200);
  });

  test.each([
    "*/*",
    "application/*",
    "application/json",
    "application/vnd.api",
    `${JSON_API}x`,
    `${JSON_API}; charset=utf-8`,
    `${JSON_API}; EXT="https://a.example/x"; q=0.9`,
    `${JSON_API}; q=0.9; ext="https://a.example/x"`,
    `${JSON_API}; profile="https://a.example/y"; ext="https://a.example/x"`,
    `${JSON_API}; profile="https://a.example/y"; charset=utf-8, */*`,
    `${JSON_API}; profile="https://a.example/y"; q=0`,
    `${JSON_API}; profiles="https://a.example/y"`,
    `${JSON_API};q=0.0, */*`,
    `text/x;note="${JSON_API}"`,
    `text/x;note=", ${JSON_API}"`,
  ])("does not accept: %s", async (accept) => {
    expect((await judged(`${NA}/matches`, [WITH_KEY, `Accept: ${accept}`])).status).toBe(406);
  });

  test.each(ENDPOINT_URLS)("is required by %s", async (path) => {
    expect((await judged(path, [WITH_KEY])).status).toBe(406);
  });
});

test("of several problems, the first one by the order of the checks is reported: route, method, key, Accept, shard, parameters, data", async () => {
  const statuses = new Set<number>();
  for (const path of [
    "/nowhere",
    "/shards/nowhere/matches",
    `${NA}/matches`,
    `${NA}/players/nobody`,
  ]) {
    for (const query of ["", "?nonsense=1"]) {
      for (const method of ["GET", "DELETE"]) {
        for (const key of [[], [WITH_KEY]]) {
          for (const accept of [["Accept: text/html"], [WITH_ACCEPT]]) {
            statuses.add((await judged(path + query, [...key, ...accept], method)).status);
          }
        }
      }
    }
  }
  expect([...statuses].sort()).toEqual([200, 400, 401, 404, 405, 406]);
});
