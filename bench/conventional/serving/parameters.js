// @ts-check
/** Query strings: the schemas that check them, and the typed queries. */

import { GAME_MODES } from "../modes.js";
import { decodeCursor } from "./cursor.js";
import { Fault } from "./faults.js";

const PAGE_SIZE = 5;
const DEEPEST_OFFSET = 10_000;
const MOST_VALUES = 50;
const WINDOW_MS = 28 * 24 * 60 * 60 * 1000;

const list = { type: "string", minLength: 1 };
const time = { type: "string", format: "date-time" };
/** All endpoints support sparse fields. */
const shape = {
  additionalProperties: false,
  patternProperties: { "^fields\\[[\\w-]+\\]$": list },
};

export const SINGLE = { type: "object", ...shape, properties: {} };

export const MATCHES = {
  type: "object",
  ...shape,
  properties: {
    "page[limit]": { type: "integer", minimum: 1, maximum: PAGE_SIZE, default: PAGE_SIZE },
    "page[offset]": { type: "integer", minimum: 0, maximum: DEEPEST_OFFSET, default: 0 },
    "page[after]": list,
    sort: { enum: ["createdAt", "-createdAt"], default: "createdAt" },
    "filter[createdAt-start]": time,
    "filter[createdAt-end]": time,
    "filter[playerIds]": list,
    "filter[playerNames]": list,
    "filter[teamNames]": list,
    "filter[gameMode]": list,
    "filter[patchVersion]": list,
  },
};

export const PLAYERS = {
  type: "object",
  ...shape,
  properties: { "filter[playerIds]": list, "filter[playerNames]": list },
};

/**
 * @typedef {object} MatchesQuery
 * @property {{ start: number, end: number }} window milliseconds since the epoch, both inclusive
 * @property {"asc" | "desc"} direction
 * @property {number} limit
 * @property {number} offset
 * @property {import("./cursor.js").Cursor | undefined} after
 * @property {string[] | undefined} playerIds
 * @property {string[] | undefined} playerNames
 * @property {string[] | undefined} teamNames
 * @property {string[] | undefined} gameModes
 * @property {string[] | undefined} patchVersions
 */

/**
 * @param {Record<string, any>} given checked against `MATCHES`
 * @returns {MatchesQuery}
 */
export function readMatchesQuery(given) {
  return {
    window: readWindow(given),
    direction: given.sort === "createdAt" ? "asc" : "desc",
    limit: given["page[limit]"],
    offset: given["page[offset]"],
    after: readAfter(given["page[after]"]),
    playerIds: readList(given, "filter[playerIds]"),
    playerNames: readList(given, "filter[playerNames]"),
    teamNames: readList(given, "filter[teamNames]"),
    gameModes: readModes(given),
    patchVersions: readList(given, "filter[patchVersion]"),
  };
}

/** @param {Record<string, any>} given checked against `PLAYERS` */
export function readPlayersQuery(given) {
  return {
    ids: readList(given, "filter[playerIds]"),
    names: readList(given, "filter[playerNames]"),
  };
}

/**
 * The fields to return, by type; undefined: all.
 *
 * @param {Record<string, any>} given
 * @returns {Map<string, Set<string>> | undefined}
 */
export function readFields(given) {
  /** @type {Map<string, Set<string>> | undefined} */
  let fields;
  for (const name of Object.keys(given)) {
    if (!name.startsWith("fields[")) continue;
    fields ??= new Map();
    fields.set(name.slice("fields[".length, -1), new Set(given[name].split(",")));
  }
  return fields;
}

/** @param {Record<string, any>} given */
function readWindow(given) {
  const now = Date.now();
  const start = given["filter[createdAt-start]"];
  const end = given["filter[createdAt-end]"];
  const window = {
    start: start === undefined ? now - WINDOW_MS : Date.parse(start),
    end: end === undefined ? now : Math.min(Date.parse(end), now),
  };
  if (window.start < window.end) return window;
  throw new Fault(400, "filter[createdAt-start] must be before filter[createdAt-end] and now.");
}

/** @param {string | undefined} text */
function readAfter(text) {
  const cursor = text === undefined ? undefined : decodeCursor(text);
  if (text !== undefined && !cursor) {
    throw new Fault(400, "page[after] is invalid; copy it unchanged from links.");
  }
  return cursor;
}

/** @param {Record<string, any>} given */
function readModes(given) {
  const modes = readList(given, "filter[gameMode]");
  const stranger = modes?.find((mode) => !GAME_MODES.includes(mode));
  if (stranger === undefined) return modes;
  throw new Fault(400, `filter[gameMode] accepts ${GAME_MODES.join(", ")}; not "${stranger}".`);
}

/**
 * A comma inside a value is written `\,`.
 *
 * @param {Record<string, any>} given
 * @param {string} name
 * @returns {string[] | undefined}
 */
function readList(given, name) {
  /** @type {string | undefined} */
  const text = given[name];
  if (text === undefined) return undefined;
  const items = text.includes("\\")
    ? [...text.matchAll(/(?:^|,)((?:\\.|[^,\\])*)/gs)].map(([, item = ""]) =>
        item.replace(/\\(.)/gs, "$1"),
      )
    : text.split(",");
  const values = [...new Set(items)];
  if (values.length <= MOST_VALUES) return values;
  throw new Fault(
    400,
    `${name} accepts at most ${MOST_VALUES} values; split them into several requests.`,
  );
}
