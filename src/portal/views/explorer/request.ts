/** Turns a query into a request path. */

import { type Query, sentParameters } from "./query.ts";
import { targetRow } from "./targets.ts";

/** The path and query string to request, at the query's page position. */
export const requestPath = (query: Query): string =>
  pathOf({ ...query, parameters: sentParameters(query) });

/** The path and query string of the query as entered, without a page position. Missing values have placeholders. */
export function pathOf({ shard, on, id, parameters }: Query): string {
  const path = targetRow(on)
    .path.replace("{shard}", () => encoded(shard || "SHARD"))
    .replace(/\{(?:id|board)\}/, () => encoded(id || "ID"));
  const query = parameters.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&");
  return query === "" ? path : `${path}?${query}`;
}

/**
 * Percent-encodes, except for brackets, commas and colons, which the server accepts unencoded and which keep
 * the URL readable. Also encodes characters with a meaning in shells, which encodeURIComponent leaves as they are.
 */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/%(?:5B|5D|2C|3A)/g, decodeURIComponent)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
