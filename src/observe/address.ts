/** In charge of how a request's address is shown: without secrets, and without player names unless told. */

import { scrub } from "./scrub.ts";

const HARMLESS = /^[\w./~-]*$/;

/** Whether no secret can hide in a path, nor anything that has to be written otherwise. */
export function isHarmless(path: string): boolean {
  return HARMLESS.test(path) && !path.includes("mb_");
}

/** The length of the shortest admin token: a shorter path cannot contain one. */
const SHORTEST_TOKEN = 24;

/**
 * The path as the log shows it. `isRoute` says whether a route has this path: where there is none, a long
 * path is hidden whole, because any part of it may be a misplaced token.
 */
export function shownPath(path: string, isRoute: boolean): string {
  if (!isRoute && path.length > SHORTEST_TOKEN) return HIDDEN;
  return isHarmless(path) ? path : withoutSecrets(path.split("?", 1)[0]!);
}

/** Shown by name, hidden by value. */
const PLAYER_NAMES = "filter[playerNames]";
/** Parameters that say nothing of a person. A new one is hidden until it is put here. */
const SHOWN: ReadonlySet<string> = new Set([
  "page[limit]",
  "page[offset]",
  "page[after]",
  "page[before]",
  "sort",
  "filter[createdAt-start]",
  "filter[createdAt-end]",
  "filter[playerIds]",
  "filter[teamNames]",
  "filter[gameMode]",
  "filter[patchVersion]",
  "include",
]);
const FIELDS = /^fields\[[\w-]+\]$/;
/** A value in which nothing can hide: escaped are commas, plus signs and colons at most. */
const PLAIN_VALUE = /^(?:[\w.,:~-]|%2[BCbc]|%3[Aa])*$/;
const HIDDEN = "…";

/** Names by how nearly everybody spells them, so that there is nothing to undo. */
const USUALLY_SPELLED: ReadonlyMap<string, string> = new Map(
  [...SHOWN, PLAYER_NAMES].flatMap((name) => {
    const escaped = encodeURIComponent(name);
    const spellings = [name, escaped, escaped.replaceAll("%5B", "%5b").replaceAll("%5D", "%5d")];
    return spellings.map((spelling): [string, string] => [spelling, name]);
  }),
);

/** The query string as it may be read by whoever reads the log. */
export function shownQuery(query: string, showNames: boolean): string {
  if (showNames) return withoutSecrets(query);
  const shown = query.split("&").map(shownPart).join("&");
  // Of all secrets, only a key could be in what is shown of a value.
  return shown.includes("mb_") ? scrub(shown) : shown;
}

/**
 * What is not understood is hidden whole: an unescaped ampersand in a player's name makes the rest of
 * the name look like a parameter.
 */
function shownPart(part: string): string {
  const equals = part.indexOf("=");
  const spelled = equals < 0 ? part : part.slice(0, equals);
  const name = USUALLY_SPELLED.get(spelled) ?? plainest(spelled);
  if (name === PLAYER_NAMES) return `${name}=${HIDDEN}`;
  if (!SHOWN.has(name) && !FIELDS.test(name)) return part === "" ? "" : HIDDEN;
  if (equals < 0) return name;
  const value = part.slice(equals + 1);
  return `${name}=${PLAIN_VALUE.test(value) ? value : HIDDEN}`;
}

/** If there is a secret behind escapes, they are undone, so that it is seen and taken out. */
function withoutSecrets(text: string): string {
  const plain = plainest(text);
  const scrubbed = scrub(plain);
  return scrubbed === plain ? scrub(text) : scrubbed;
}

const ESCAPED_ASCII = /%([0-7][0-9a-f])/gi;
/** Somebody's program may escape what is escaped already. */
const MOST_LAYERS = 4;

/** The text without escapes of ASCII characters. A broken escape spoils nothing for the others. */
function plainest(text: string): string {
  let plain = text;
  for (let layer = 0; layer < MOST_LAYERS && plain.includes("%"); layer++) {
    plain = plain.replace(ESCAPED_ASCII, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  return plain;
}
