/** Redacts events for the log: no secrets, no player names unless configured, errors as text. */

import type { ErrorText, Event, RequestEvent, ShownEvent } from "./events.ts";

// Line feeds stay: stack traces have them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not reach a terminal.
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

/** Without secrets, and without player names in query strings. */
export function redactedEvent(event: Event): ShownEvent {
  if (event.event === "request") return presentableRequest(event);
  if ("error" in event) return { ...event, error: errorText(event.error) };
  if (event.event === "admin-request") {
    // No id on this listener is as long as a token.
    const isRoute = event.route !== undefined && !TOKEN_SEGMENT.test(event.path);
    const path = shownPath(event.path, isRoute);
    return { ...event, path, milliseconds: rounded(event.milliseconds) };
  }
  if (event.event === "shard-opened") return { ...event, location: scrub(event.location) };
  if (event.event === "replica-excluded") return { ...event, why: scrub(event.why) };
  return event;
}

function presentableRequest(request: RequestEvent): ShownEvent {
  const { event, requestId, method, path, query, route, status, code, keyId, tier } = request;
  return {
    event,
    requestId,
    method,
    path: shownPath(path, route !== undefined),
    query: query === "" ? undefined : shownQuery(query),
    status,
    code,
    milliseconds: rounded(request.milliseconds),
    keyId,
    tier,
  };
}

/** To the microsecond. */
const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;

/** A line for a terminal, without the control characters that one would interpret. */
export const printable = (line: string): string => line.replace(CONTROL, "?");

/** Other paths are those of no record, and may hide an API key behind escapes. */
const PLAIN_PATH = /^[\w./~-]*$/;

/** The length of the shortest admin token. A shorter path cannot contain one. */
const SHORTEST_TOKEN = 24;
const TOKEN_SEGMENT = new RegExp(`[^/]{${SHORTEST_TOKEN}}`);

/** If no route matches (`isRoute` is false), a long path may contain a misplaced token. */
function shownPath(path: string, isRoute: boolean): string {
  const isSafe = isRoute || path.length <= SHORTEST_TOKEN;
  return isSafe && PLAIN_PATH.test(path) && !path.includes("mb_") ? path : HIDDEN;
}

/** The log shows its name but not its value. */
const PLAYER_NAMES = "filter[playerNames]";
/** Parameters without personal data. A new parameter is hidden until it is added here. */
const SHOWN: ReadonlySet<string> = new Set([
  "page[limit]",
  "page[offset]",
  "page[after]",
  "page[before]",
  "lastEventId",
  "sort",
  "filter[createdAt-start]",
  "filter[createdAt-end]",
  "filter[playerIds]",
  "filter[teamNames]",
  "filter[gameMode]",
  "filter[patchVersion]",
  "filter[period]",
  "include",
]);
const FIELDS = /^fields\[[\w-]+\]$/;
/** A value in which only commas, plus signs and colons are escaped, so that it cannot hide a secret. */
const PLAIN_VALUE = /^(?:[\w.,:~-]|%2[BCbc]|%3[Aa])*$/;
const HIDDEN = "…";

/** The query string as the log shows it. */
function shownQuery(query: string): string {
  const shown = query.split("&").map(shownPart).join("&");
  // The only secret a shown value can contain is an API key.
  return shown.includes("mb_") ? scrub(shown) : shown;
}

/**
 * Unknown parameters are hidden completely: the part of a player name after an unescaped ampersand looks
 * like a parameter.
 */
function shownPart(part: string): string {
  const equals = part.indexOf("=");
  const name = parameterName(equals < 0 ? part : part.slice(0, equals));
  if (name === PLAYER_NAMES) return `${name}=${HIDDEN}`;
  if (!SHOWN.has(name) && !FIELDS.test(name)) return part === "" ? "" : HIDDEN;
  if (equals < 0) return name;
  const value = part.slice(equals + 1);
  return `${name}=${PLAIN_VALUE.test(value) ? value : HIDDEN}`;
}

const ESCAPED_ASCII = /%([0-7][0-9a-f])/gi;

/** The name of a parameter without escapes. Invalid ones stay, and it is unknown then. */
const parameterName = (spelled: string): string =>
  spelled.replace(ESCAPED_ASCII, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

const API_KEY = /mb_[0-9A-Za-z]{10,}/g;
const HOOK_SECRET = /whsec_[0-9A-Za-z+/=]{10,}/g;
const USER_AND_PASSWORD = /(\w:\/\/)[^\s/]*@/g;
const BEARER = /\b(bearer|basic) +\S+/gi;

function scrub(text: string): string {
  return text
    .replace(API_KEY, "mb_***")
    .replace(HOOK_SECRET, "whsec_***")
    .replace(USER_AND_PASSWORD, "$1***@")
    .replace(BEARER, "$1 ***");
}

/** What the log shows of a thrown value. */
function errorText(error: unknown): ErrorText {
  if (!(error instanceof Error)) return { name: "unknown", message: scrub(String(error)) };
  const text: ErrorText = { name: error.name, message: scrub(error.message) };
  if (error.stack !== undefined) text.stack = scrub(error.stack);
  return text;
}
