/** The URL of a request as the log shows it: without secrets, and without player names unless wanted. */

import { scrub } from "./scrub.ts";

/** A path that cannot contain a secret. */
const HARMLESS = /^(?!.*mb_)[\w./~-]*$/;

/** The length of the shortest admin token: a shorter path cannot contain one. */
const SHORTEST_TOKEN = 24;

/**
 * The path as the log shows it. `isRoute` says whether a route has this path: where there is none, a long
 * path is hidden whole, because any part of it may be a misplaced token.
 */
export function shownPath(path: string, isRoute: boolean): string {
  if (!isRoute && path.length > SHORTEST_TOKEN) return HIDDEN;
  return HARMLESS.test(path) ? path : withoutSecrets(path.split("?", 1)[0]!);
}

/** Its name is shown, its value is not. */
const PLAYER_NAMES = "filter[playerNames]";
/** Parameters that name no person. A new one is hidden until it is added here. */
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
/** A value that cannot hide anything: only commas, plus signs and colons are escaped. */
const PLAIN_VALUE = /^(?:[\w.,:~-]|%2[BCbc]|%3[Aa])*$/;
const HIDDEN = "…";

/** The query string as readers of the log may see it. */
export function shownQuery(query: string, showNames: boolean): string {
  if (showNames) return withoutSecrets(query);
  const shown = query.split("&").map(shownPart).join("&");
  // The only secret that a shown value can contain is a key.
  return shown.includes("mb_") ? scrub(shown) : shown;
}

/**
 * An unknown parameter is hidden whole: after an unescaped ampersand, the rest of a player's name looks
 * like one.
 */
function shownPart(part: string): string {
  const equals = part.indexOf("=");
  const name = unescaped(equals < 0 ? part : part.slice(0, equals));
  if (name === PLAYER_NAMES) return `${name}=${HIDDEN}`;
  if (!SHOWN.has(name) && !FIELDS.test(name)) return part === "" ? "" : HIDDEN;
  if (equals < 0) return name;
  const value = part.slice(equals + 1);
  return `${name}=${PLAIN_VALUE.test(value) ? value : HIDDEN}`;
}

/** Escapes are undone where they hide a secret. */
function withoutSecrets(text: string): string {
  const plain = unescaped(text);
  const scrubbed = scrub(plain);
  return scrubbed === plain ? scrub(text) : scrubbed;
}

const ESCAPED_ASCII = /%([0-7][0-9a-f])/gi;
/** Some programs escape what is escaped already. */
const MAX_LAYERS = 4;

/** The text without escapes of ASCII characters. Broken escapes stay. */
function unescaped(text: string): string {
  let plain = text;
  for (let layer = 0; layer < MAX_LAYERS && plain.includes("%"); layer++) {
    plain = plain.replace(ESCAPED_ASCII, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  return plain;
}
