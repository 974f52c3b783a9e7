/** In charge of the request that a query stands for: its path, its full address, and a curl line. */

import { isSingle, type Query } from "./query.ts";

/** Stands for the visitor's key until they ask to see it. */
export const KEY_PLACEHOLDER = "YOUR_API_KEY";
/** Stand for what is not given yet. */
const ID_PLACEHOLDER = "ID";
const SHARD_PLACEHOLDER = "SHARD";

const MEDIA_TYPE = "application/vnd.api+json";

/** Path and query string, from the root of the service. */
export function pathOf({ shard, on, id, parameters }: Query): string {
  const collection = on === "match" ? "matches" : on === "player" ? "players" : on;
  const record = isSingle(on) ? `/${encoded(id || ID_PLACEHOLDER)}` : "";
  const query = parameters.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&");
  return `/shards/${encoded(shard || SHARD_PLACEHOLDER)}/${collection}${record}${query === "" ? "" : `?${query}`}`;
}

/** `-g` keeps curl from reading `[` and `]` itself. */
export function curlOf(url: string, key: string): string {
  return [
    "curl -g --compressed \\",
    `  -H ${quoted(`Authorization: Bearer ${key}`)} \\`,
    `  -H ${quoted(`Accept: ${MEDIA_TYPE}`)} \\`,
    `  ${quoted(url)}`,
  ].join("\n");
}

/** Within single quotes a shell reads nothing but the quote that ends them. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const KEPT: ReadonlyMap<string, string> = new Map([
  ["%5B", "["],
  ["%5D", "]"],
  ["%2C", ","],
  ["%3A", ":"],
]);

/**
 * Percent-encoded, but for the brackets, commas and colons that the service takes as they are: so
 * people can read it. What a shell might read in any other way is encoded beyond the standard.
 */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/%(?:5B|5D|2C|3A)/g, (code) => KEPT.get(code) as string)
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
