/** A grammar of requests: valid ones first, then each part nearly valid, then odd. */

import { GAME_MODES } from "../../../src/domain/modes.ts";
import { INCLUDE_PATHS, RESOURCE_TYPES } from "../../../src/domain/vocabulary.ts";
import { ROUTES } from "../../../src/http/routes.ts";
import { encodeCursor } from "../../../src/query/cursor.ts";
import { MATCH_IDS, NAMES, PATCHES, PLAYER_IDS, TAGS } from "../../properties/histories.ts";
import type { Chance } from "../../support/chance.ts";
import { type Kind, PARAMETERS, type Row } from "../../support/parameters.ts";
import { authorization, fields, METHODS } from "./heads.ts";
import { hostileRequestBy } from "./hostile-requests.ts";
import { escapedAll, oddText, tooLong } from "./odd-targets.ts";
import { BOARDS, SORTS } from "./query-rules.ts";
import type { RequestCase } from "./request-text.ts";
import { SHARDS } from "./world.ts";

/** Stand-ins, so that the text of a case is the same in every run. */
export const KEY = "{KEY}";
export const HOST = "{HOST}";

export const SLOW_KEY = "{KEY-slow}";

const KEYS = { right: KEY, slow: SLOW_KEY };

/** One well-formed request: its lines without the empty ones at the end. */
export function plainRequest(chance: Chance, cursors: readonly string[]) {
  const { path, endpoint } = somePath(chance);
  const usual = path + someQuery(chance, endpoint, cursors);
  const target = chance.below(60) < 59 ? usual : tooLong(usual, chance);
  const method = chance.below(12) < 10 ? "GET" : chance.pick(["HEAD", "OPTIONS", ...METHODS]);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${HOST}`,
    ...someAuthorization(chance),
    ...someAccept(chance),
  ];
  return { method, target, lines };
}

export function request(chance: Chance, cursors: readonly string[]): RequestCase {
  if (chance.below(12) === 11) {
    return { text: hostileRequestBy(chance, cursors).bytes.toString("latin1"), isHostile: true };
  }
  const lines = [...plainRequest(chance, cursors).lines, ...someFields(chance)];
  return { text: `${lines.join("\r\n")}\r\n\r\n`, isHostile: false };
}

/** The routes with a reference for their data come more often. */
const ROUTE_LIST = ROUTES.map((route) => {
  const endpoint = route.access === "key" ? route.takes.name : undefined;
  const isCompared = endpoint === "matches" || endpoint === "players" || endpoint === "single";
  return {
    parts: route.path.split("/"),
    endpoint,
    weight: isCompared ? 12 : endpoint ? 3 : 1,
  };
});

function somePath(chance: Chance): { path: string; endpoint: string | undefined } {
  const { parts, endpoint } = chance.weigh(ROUTE_LIST);
  const segments = parts.map((part) => {
    if (chance.below(40) === 39) return chance.pick([oddText(chance), "", part.toUpperCase()]);
    if (part === ":shard") return chance.below(12) < 11 ? chance.pick(SHARDS) : nearShard(chance);
    if (part === ":board") return chance.below(10) < 9 ? chance.pick(BOARDS) : "win-streaks";
    if (part === ":id") return someId(chance, parts.includes("matches"));
    return part;
  });
  const ending = chance.below(20) < 18 ? "" : chance.pick(["/", "//", "/x"]);
  return { path: segments.join("/") + ending, endpoint };
}

const nearShard = (chance: Chance) => chance.pick(["NA", "sa", "n%61", "na%00", "na-", "%6e%61"]);

function someId(chance: Chance, ofMatch: boolean): string {
  const id = chance.pick(ofMatch ? MATCH_IDS : PLAYER_IDS);
  if (chance.below(5) < 4) return id;
  return chance.pick([escapedAll(id), `${id}%00`, `${id}x`, "%", "%zz", oddText(chance)]);
}

function someQuery(
  chance: Chance,
  endpoint: string | undefined,
  cursors: readonly string[],
): string {
  let left = PARAMETERS.filter(({ endpoints }) => endpoint && endpoints.includes(endpoint));
  const count = chance.below(60) === 59 ? chance.pick([99, 100, 101]) : chance.below(5);
  const parts: string[] = [];
  for (let at = 0; at < count; at++) {
    if (parts.length > 0 && chance.below(30) === 29) {
      parts.push(chance.pick(parts));
      continue;
    }
    const isOwn = left.length > 0 && chance.below(30) < 29;
    const parameter = chance.pick(isOwn ? left : PARAMETERS);
    left = left.filter((one) => one !== parameter || one.kind === "fields");
    // Only one of them says where a page begins.
    if (isStart(parameter)) left = left.filter((one) => !isStart(one));
    parts.push(somePart(chance, parameter, cursors));
  }
  if (parts.length === 0) return chance.below(20) === 19 ? "?" : "";
  const separator = chance.below(40) < 38 ? "&" : chance.pick(["&&", ";", "&amp;"]);
  return `?${parts.join(separator)}${chance.below(30) === 29 ? "&" : ""}`;
}

const isStart = ({ kind }: Row) => kind === "cursor" || kind === "offset";

function somePart(chance: Chance, parameter: Row, cursors: readonly string[]): string {
  if (chance.below(60) === 59) return oddText(chance);
  const name = nameOf(parameter, chance);
  if (chance.below(80) === 79) return writtenName(name, chance);
  const value = someValue(parameter, chance, cursors);
  return `${writtenName(name, chance)}=${writtenValue(value, chance)}`;
}

function nameOf({ name, kind }: Row, chance: Chance): string {
  const type = chance.pick([
    ...RESOURCE_TYPES,
    ...(chance.below(10) === 9 ? ["asset", "x", ""] : []),
  ]);
  const whole = kind === "fields" ? `fields[${type}]` : name;
  if (chance.below(30) < 29) return whole;
  return chance.pick([
    chance.mistyped(whole, "[]a "),
    whole.replace("filter", "page"),
    "__proto__",
  ]);
}

/** All spellings of a name mean the same. */
function writtenName(name: string, chance: Chance): string {
  switch (chance.below(6)) {
    case 3:
      return encodeURIComponent(name);
    case 4:
      return encodeURIComponent(name).replaceAll(/%../g, (digits) => digits.toLowerCase());
    case 5:
      return chance.oneIn(2) ? escapedAll(name) : name.replace("]", "%5D").replaceAll(" ", "+");
    default:
      return name.replaceAll(" ", "+");
  }
}

/** Spellings of a value that mean the same, and now and then one that does not. */
function writtenValue(value: string, chance: Chance): string {
  const escaped = encodeURIComponent(value);
  switch (chance.below(12)) {
    case 6:
      return escapedAll(value);
    case 7:
      return escaped.replaceAll("%20", "+");
    case 8:
      return escaped.replaceAll(/%../g, (digits) => digits.toLowerCase());
    case 9:
      return Buffer.from(value)
        .toString("latin1")
        .replaceAll(/[\s#&%+\0]/g, encodeURIComponent);
    case 10:
      return value.replaceAll(/[^\w.,:*-]/gu, encodeURIComponent);
    case 11:
      return chance.oneIn(4) ? encodeURIComponent(escaped) : escaped;
    default:
      return escaped;
  }
}

const listOf =
  (words: readonly string[], odd: readonly string[]) =>
  (chance: Chance): string => {
    const count =
      chance.below(60) === 59 ? chance.pick([19, 20, 21, 50, 51]) : chance.between(1, 3);
    const items = Array.from({ length: count }, (_, at) => {
      if (count > 3) return `w${at}`;
      return chance.below(16) < 15 ? escapedItem(chance.pick(words)) : chance.pick(odd);
    });
    return items.join(",");
  };

const escapedItem = (item: string) => item.replaceAll(/[\\,]/g, "\\$&");

const TIMES = [
  "2024-01-01T00:00:00Z",
  "2024-03-10T12:00:00Z",
  "2024-03-10T14:00:00+02:00",
  "2024-03-10T12:00:00.001Z",
  "2024-07-01T00:00:00Z",
  "2024-07-01T05:30:00+05:30",
  "2024-07-01T05:30:00 05:30",
  "2024-02-29T23:59:59.9Z",
  "2024-06-17T12:00:00Z",
  "2024-07-15T12:00:00Z",
  "2024-07-15T12:00:01Z",
  "2030-01-01T00:00:00.123456789-23:59",
  "0000-01-01T00:00:00Z",
];

const SMALL = ["1", "2", "3", "4", "5", "01"];
const WHOLE = [
  ...["0", "6", "7", "20", "50", "51", "100", "101", "200", "201", "10000", "10001"],
  ...["-1", "+1", "1.0", "1e1", "٣", "1 ", "0x1", "", "9".repeat(30)],
];

const WORDS: Record<string, readonly string[]> = {
  "filter[playerIds]": PLAYER_IDS,
  "filter[teamNames]": TAGS,
  "filter[patchVersion]": PATCHES,
};
const ODD_WORDS = ["nobody", "ANA", "😀", "'", "a\0", "\\\\", "", "\\", "\\x"];

type Values = (chance: Chance, cursors: readonly string[], name: string) => string;

const VALUES: { [K in Kind]: Values } = {
  limit: (chance) => chance.pick(chance.below(12) < 8 ? SMALL : WHOLE),
  offset: (chance) => chance.pick(chance.below(12) < 8 ? SMALL : WHOLE),
  cursor: someCursor,
  sort: (chance) =>
    chance.pick([
      "createdAt",
      "-createdAt",
      ...(chance.below(8) === 7 ? SORTS : []),
      ...(chance.below(12) === 11 ? ["+createdAt", "CreatedAt", "id", "createdAt,id", "-"] : []),
    ]),
  timestamp(chance, _, name) {
    const time = chance.pick(name.includes("start") ? TIMES.slice(0, 9) : TIMES.slice(1));
    return chance.below(6) === 5 ? chance.mistyped(time, "0123456789-:.+TZtz ") : time;
  },
  list: (chance, _, name) => listOf(WORDS[name] ?? NAMES, ODD_WORDS)(chance),
  modes: listOf(GAME_MODES, ["", "Ranked", "ranked ", "solo", "\\"]),
  text: (chance) =>
    chance.pick([...NAMES, "an", "x".repeat(64), "x".repeat(65), "😀".repeat(64), "a\0b", ""]),
  choice: (chance) => chance.pick(["all", "28d", "28D", "7d", ""]),
  include: (chance) =>
    chance.below(10) === 9
      ? chance.pick(["", "x", "rosters.x", "Rosters", "rosters,", "rosters.participants.player.x"])
      : listOf(INCLUDE_PATHS, ["rosters", "assets", "spectators", "x"])(chance),
  fields: (chance) =>
    chance.below(12) === 11
      ? chance.pick(["", ",", "name,", "x", "__proto__", "id", "type"])
      : listOf(["name", "stats", "createdAt", "rosters", "won", "player"], ["x"])(chance),
};

function someValue({ kind, name }: Row, chance: Chance, cursors: readonly string[]): string {
  return chance.below(60) < 59 ? VALUES[kind](chance, cursors, name) : oddText(chance);
}

/** A real cursor, a damaged one, or one that no server made. */
function someCursor(chance: Chance, cursors: readonly string[]): string {
  const cursor = chance.pick(cursors);
  switch (chance.below(10)) {
    case 5:
      return chance.mistyped(cursor, "AZaz09-_= ");
    case 6:
      return cursor.slice(0, chance.below(cursor.length));
    case 7:
      return cursor.toLowerCase();
    case 8:
      return chance.pick([
        "oldest",
        "OLDEST",
        "0-0",
        "1-1",
        "zzzzzzzzzzz-1",
        "0.p1",
        "5.q",
        "00.p1",
      ]);
    case 9:
      return encodeCursor({
        createdAt: chance.pick([0, -1, 2 ** 53 - 1, Date.UTC(2024, 2, 10, 12)]),
        id: chance.pick(["-", "m", "_".repeat(64)]),
        side: chance.pick(["before", "after"]),
      });
    default:
      return cursor;
  }
}

function someAuthorization(chance: Chance): string[] {
  if (chance.below(15) < 14) return [`${cased("Authorization", chance)}: Bearer ${KEY}`];
  if (chance.oneIn(3)) return [`Authorization: bearer   ${KEY}`];
  return authorization(chance, KEYS);
}

/** Names of headers have no case. */
const cased = (name: string, chance: Chance) =>
  chance.pick([name, name, name.toLowerCase(), name.toUpperCase()]);

const JSON_API = "application/vnd.api+json";

function someAccept(chance: Chance): string[] {
  if (chance.below(8) < 7) return [`${cased("Accept", chance)}: ${JSON_API}`];
  const ranges = Array.from({ length: chance.between(1, 3) }, () => {
    const type = chance.pick([
      JSON_API,
      JSON_API,
      "*/*",
      "application/json",
      "text/html",
      "application/*",
      JSON_API.toUpperCase(),
    ]);
    const parameters = Array.from({ length: chance.below(3) }, () => {
      const profile = 'profile="http://example.com/a,b"';
      const usual = chance.pick(["q=0.5", "q=0", profile, profile.replace("profile", "ext"), ""]);
      return chance.oneIn(2) ? usual : chance.mistyped(usual, 'qQ=01.2 ;"\\x');
    });
    return [type, ...parameters].join(chance.pick([";", "; ", " ; "]));
  });
  if (chance.oneIn(4)) return ranges.map((range) => `Accept: ${range}`);
  return [`Accept: ${ranges.join(chance.pick([",", ", ", " , "]))}`];
}

function someFields(chance: Chance): string[] {
  if (chance.below(3) < 2) return [];
  return fields(chance).map((field) => {
    const colon = field.indexOf(":");
    return cased(field.slice(0, colon), chance) + field.slice(colon);
  });
}
