/** Generates hostile request targets: paths and query strings, encoded in every wrong way. */

import { BOARDS } from "../../../src/features/leaderboards/ranking.ts";
import { encodeCursor } from "../../../src/query/cursor.ts";
import type { Chance } from "../../support/chance.ts";
import { PARAMETERS } from "../../support/parameters.ts";

/** Real ids and names of the data, so that some requests are nearly right. */
export interface Known {
  shards: readonly string[];
  matches: readonly string[];
  players: readonly string[];
  names: readonly string[];
}

const URL_CHARACTERS =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?%[]|^`{}\\\"<>#";

const ODD_ESCAPES = [
  "%",
  "%%",
  "%2",
  "%zz",
  "%u0041",
  "%00",
  "%0a%0d",
  "%ff",
  "%c0%af",
  "%e0%80%af",
  "%ed%a0%80",
  "%ed%a0%80%ed%b0%80",
  "%f4%90%80%80",
  "%C3%28",
  "%c3%bc",
  "%C3%bC",
  "%25",
  "%2525",
  "%252e%252e%252f",
  "%2e%2e",
  "%2F",
  "%5c",
  "%EF%BB%BF",
  "%F0%9F%98%80",
  "%26",
  "%3D",
  "%5B",
  "%5d",
  "+",
  "%2B",
  "%20",
  ";",
  "#",
];

/** Non-ASCII bytes; the text is sent as latin1, byte for byte. */
const rawBytes = (chance: Chance, length: number) =>
  Array.from({ length }, () => String.fromCharCode(chance.between(0x80, 0xff))).join("");

export function oddText(chance: Chance): string {
  switch (chance.below(8)) {
    case 0:
      return chance.text(chance.between(0, 40), URL_CHARACTERS);
    case 1:
      return rawBytes(chance, chance.between(1, 20));
    case 2:
      return chance.pick(ODD_ESCAPES).repeat(chance.between(1, 30));
    case 3:
      return chance.pick(["__proto__", "constructor", "toString", "null", "undefined", "NaN"]);
    case 4:
      return chance.pick(["..", ".", "../..", "..\\..", "....//", "%2e%2e/%2e%2e", "a/../b", "//"]);
    default:
      return Array.from({ length: chance.between(1, 6) }, () =>
        chance.oneIn(2) ? chance.pick(ODD_ESCAPES) : chance.text(3, "abcXYZ019"),
      ).join("");
  }
}

const NUMBERS = [
  "0",
  "1",
  "5",
  "6",
  "-1",
  "+1",
  "1.5",
  "1e3",
  "0x10",
  "٣",
  "10000",
  "10001",
  "9007199254740993",
  "99999999999999999999999999",
  "1".repeat(400),
  "Infinity",
  "NaN",
  " 1",
  "1 ",
  "001",
];

const TIMES = [
  "2026-02-10T00:00:00Z",
  "2026-02-28T23:59:59.999999999Z",
  "2026-02-10T00:00:00+23:59",
  "2026-02-10T00:00:00 01:00",
  "2026-02-30T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "0000-01-01T00:00:00+23:59",
  "9999-12-31T23:59:59Z",
  "9999-12-31T23:59:59-23:59",
  "+275760-09-13T00:00:00Z",
  "2026-02-10",
  "2026-02-10T00:00:00",
  "now",
  "1767225600",
  "2026-02-10T24:00:00Z",
  "2026-02-10T00:00:60Z",
];

/** Well-formed, but for a position that no link contained. */
function forgedCursor(chance: Chance): string {
  return encodeCursor({
    createdAt: chance.pick([0, -1, 2 ** 53 - 1, -(2 ** 53) + 1, Date.UTC(2026, 1, 10)]),
    id: chance.pick(["a", "-", "_".repeat(64), "m1"]),
    side: chance.pick(["before", "after"]),
  });
}

function value(name: string, chance: Chance, known: Known): string {
  if (chance.oneIn(4)) return oddText(chance);
  if (name.includes("createdAt-")) return encoded(chance.pick(TIMES), chance);
  if (name === "page[limit]" || name === "page[offset]") {
    return encoded(chance.pick(NUMBERS), chance);
  }
  if (name === "page[after]" || name === "page[before]") {
    const cursor = forgedCursor(chance);
    return chance.oneIn(2) ? cursor : cursor.slice(chance.below(5), -1 - chance.below(5));
  }
  if (name === "sort") {
    return chance.pick(["createdAt", "-createdAt", "+createdAt", "--createdAt", "id", "CREATEDAT"]);
  }
  const words = wordsOf(name, known);
  const count = chance.oneIn(12) ? chance.pick([49, 50, 51, 120]) : chance.pick([1, 1, 2, 5]);
  const items = Array.from({ length: count }, () => encoded(chance.pick(words), chance));
  return items.join(chance.pick([",", "%2C", "%2c"]));
}

function wordsOf(name: string, known: Known): readonly string[] {
  switch (name) {
    case "include":
      return ["rosters", "rosters.participants", "rosters.team", "x", "", "rosters."];
    case "filter[gameMode]":
      return ["ranked", "casual", "private", "RANKED", "solo", ""];
    case "filter[playerIds]":
      return known.players;
    case "filter[playerNames]":
    case "filter[near]":
      return known.names;
    default:
      return ["createdAt", "stats", "2.5", "name", "", "a\\", "a\\,b", "\\\\"];
  }
}

/** Percent-encoded not at all, once or twice. */
export function encoded(text: string, chance: Chance): string {
  switch (chance.below(5)) {
    case 0:
      return Buffer.from(text).toString("latin1").replaceAll(" ", "+");
    case 1:
      return encodeURIComponent(encodeURIComponent(text));
    case 2:
      return [...Buffer.from(text)]
        .map((byte) => `%${byte.toString(16).padStart(2, "0")}`)
        .join("");
    default:
      return encodeURIComponent(text);
  }
}

const NAMES = PARAMETERS.map(({ name }) => name.replace("TYPE", "match"));
const STRANGE_NAMES = [
  "filter[playerName]",
  "filter[gameMode",
  "filter]gameMode[",
  "filter",
  "page",
  "page[limit][limit]",
  "fields[]",
  "fields[__proto__]",
  "fields[match",
  "fields[roster]",
  "fields[player]",
  "fields[x]",
  "FILTER[GAMEMODE]",
  "limit",
  "__proto__",
  "",
];

function query(chance: Chance, known: Known): string {
  const count = chance.oneIn(25)
    ? chance.pick([99, 100, 101, 300])
    : chance.pick([0, 1, 1, 1, 2, 2, 3, 5, 10]);
  const parts = Array.from({ length: count }, () => {
    if (chance.oneIn(8)) return oddText(chance);
    const name = chance.pick(chance.oneIn(4) ? STRANGE_NAMES : NAMES);
    const written = chance.pick([
      name,
      encodeURIComponent(name),
      encodeURIComponent(name).toLowerCase(),
    ]);
    return chance.oneIn(15) ? written : `${written}=${value(name, chance, known)}`;
  });
  return parts.join(chance.oneIn(15) ? chance.pick(["&&", ";", "&amp;", "?"]) : "&");
}

const PATHS = ["/status", "/healthz", "/readyz", "/openapi.json", "/", "/shards", "/favicon.ico"];

function path(chance: Chance, known: Known): string {
  if (chance.oneIn(10)) return `/${oddText(chance)}/${oddText(chance)}`;
  if (chance.oneIn(10)) return chance.pick(PATHS);
  const shard = chance.oneIn(16) ? oddText(chance) : chance.pick(known.shards);
  const [kind, ids] = chance.pick([
    ["matches", known.matches],
    ["players", known.players],
    ["player-names", known.players],
    ["leaderboards", BOARDS],
  ] as const);
  const collection = `/shards/${shard}/${chance.oneIn(20) ? oddText(chance) : kind}`;
  const end = chance.oneIn(20) ? chance.pick(["/", "//", "/.", "/..", "?", "#", "/%2F"]) : "";
  if (chance.oneIn(2)) return collection + end;
  const company = kind === "players" && chance.oneIn(4) ? "/played-with" : "";
  return `${collection}/${chance.oneIn(6) ? oddText(chance) : chance.pick(ids)}${company}${end}`;
}

/** A target without spaces or control characters, so that the request line is well-formed. */
export function target(chance: Chance, known: Known): string {
  const address = path(chance, known);
  const uri = chance.oneIn(4) ? address : `${address}?${query(chance, known)}`;
  if (!chance.oneIn(40)) return uri;
  // Too long: beyond our own limit, and beyond the runtime's.
  const size = chance.pick([8_000, 8_200, 12_000, 16_000, 17_000, 60_000, 300_000]);
  return `${uri}${uri.includes("?") ? "&" : "?"}${"x".repeat(size)}`;
}
