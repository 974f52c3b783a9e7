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

/** The event without control characters that a terminal would interpret. */
export function printable(event: ShownEvent): ShownEvent {
  return Object.fromEntries(
    Object.entries(event).map(([member, value]) => [member, withoutControls(value)]),
  ) as ShownEvent;
}

function withoutControls(value: unknown): unknown {
  if (typeof value === "string") return value.replace(CONTROL, "?");
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutControls);
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, withoutControls(inner)]),
  );
}

/** A path that needs no unescaping to see whether it contains an API key. */
const PLAIN_PATH = /^[\w./~-]*$/;

/** The length of the shortest admin token. A shorter path cannot contain one. */
const SHORTEST_TOKEN = 24;
const TOKEN_SEGMENT = new RegExp(`[^/]{${SHORTEST_TOKEN}}`);

/**
 * The path as the log shows it. If no route matches (`isRoute` is false), a long path is hidden completely,
 * because it may contain a misplaced token.
 */
export function shownPath(path: string, isRoute: boolean): string {
  if (!isRoute && path.length > SHORTEST_TOKEN) return HIDDEN;
  return PLAIN_PATH.test(path) && !path.includes("mb_")
    ? path
    : withoutSecrets(path.split("?", 1)[0]!);
}

/** The log shows its name but not its value. */
const PLAYER_NAMES = "filter[playerNames]";
/** Parameters without personal data. A new parameter is hidden until it is added here. */
const SHOWN: ReadonlySet<string> = new Set([
  "page[limit]",
  "page[offset]",
  "page[after]",
  "page[before]",
  "page[wait]",
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

const MAX_SPELLINGS = 256;
/** Clients escape each name in one of a few ways, so that most names need not be decoded. */
const spellings = new Map<string, string>();

function parameterName(spelled: string): string {
  const known = spellings.get(spelled);
  if (known !== undefined) return known;
  const name = unescaped(spelled);
  if (SHOWN.has(name) && spellings.size < MAX_SPELLINGS) spellings.set(spelled, name);
  return name;
}

/** Decodes the text if the escapes hide a secret. */
function withoutSecrets(text: string): string {
  const plain = unescaped(text);
  const scrubbed = scrub(plain);
  return scrubbed === plain ? scrub(text) : scrubbed;
}

const ESCAPED_ASCII = /%([0-7][0-9a-f])/gi;
/** Some programs escape text that is escaped already. */
const MAX_LAYERS = 4;

/** Decodes escaped ASCII characters. Invalid escapes stay. */
function unescaped(text: string): string {
  let plain = text;
  for (let layer = 0; layer < MAX_LAYERS && plain.includes("%"); layer++) {
    plain = plain.replace(ESCAPED_ASCII, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  return plain;
}

const API_KEY = /mb_[0-9A-Za-z]{10,}/g;
const HOOK_SECRET = /whsec_[0-9A-Za-z+/=]{10,}/g;
const USER_AND_PASSWORD = /(\w:\/\/)[^\s/]*@/g;
const BEARER = /\b(bearer|basic) +\S+/gi;

export function scrub(text: string): string {
  return text
    .replace(API_KEY, "mb_***")
    .replace(HOOK_SECRET, "whsec_***")
    .replace(USER_AND_PASSWORD, "$1***@")
    .replace(BEARER, "$1 ***");
}

/** What the log shows of a thrown value. */
export function errorText(error: unknown): ErrorText {
  if (!(error instanceof Error)) return { name: "unknown", message: scrub(String(error)) };
  const text: ErrorText = { name: error.name, message: scrub(error.message) };
  if (error.stack !== undefined) text.stack = scrub(error.stack);
  return text;
}
