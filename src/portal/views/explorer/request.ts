/** Turns a query into a request path and a curl command. */

import { isSingle, type Query } from "./query.ts";

/** Shown instead of the visitor's key until they reveal it. */
export const KEY_PLACEHOLDER = "YOUR_API_KEY";
/** Shown for missing values. */
const ID_PLACEHOLDER = "ID";
const SHARD_PLACEHOLDER = "SHARD";

const MEDIA_TYPE = "application/vnd.api+json";

/** The path and query string. */
export function pathOf({ shard, on, id, parameters }: Query): string {
  const collection = on === "match" ? "matches" : on === "player" ? "players" : on;
  const record = isSingle(on) ? `/${encoded(id || ID_PLACEHOLDER)}` : "";
  const query = parameters.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&");
  return `/shards/${encoded(shard || SHARD_PLACEHOLDER)}/${collection}${record}${query === "" ? "" : `?${query}`}`;
}

/** `-g` stops curl from interpreting `[` and `]`. */
export function curlOf(url: string, key: string): string {
  return [
    "curl -g --compressed \\",
    `  -H ${quoted(`Authorization: Bearer ${key}`)} \\`,
    `  -H ${quoted(`Accept: ${MEDIA_TYPE}`)} \\`,
    `  ${quoted(url)}`,
  ].join("\n");
}

/** Inside single quotes, a shell interprets nothing but the closing quote. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const UNENCODED: ReadonlyMap<string, string> = new Map([
  ["%5B", "["],
  ["%5D", "]"],
  ["%2C", ","],
  ["%3A", ":"],
]);

/**
 * Percent-encodes, except for brackets, commas and colons, which the server accepts unencoded and which keep
 * the URL readable. Also encodes characters with a meaning in shells, which encodeURIComponent leaves as they are.
 */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/%(?:5B|5D|2C|3A)/g, (code) => UNENCODED.get(code) as string)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
