// @ts-check
/** The links of a response. */

import { encodeCursor } from "./cursor.js";

/** Links to other pages replace these. */
const REPLACED = new Set([
  "filter[createdAt-start]",
  "filter[createdAt-end]",
  "page[offset]",
  "page[after]",
]);

/** @param {import("fastify").FastifyRequest} request */
export function selfLink({ protocol, host, url }) {
  const [path, query] = splitUrl(url);
  const pairs = [...new URLSearchParams(query)];
  return { self: withQuery(`${protocol}://${host}${path}`, pairs) };
}

/**
 * The window is fixed, so that it does not move while a caller follows the links.
 *
 * @param {import("fastify").FastifyRequest} request
 * @param {import("./parameters.js").MatchesQuery} query
 * @param {{ found: import("./pages.js").Found[], goesOn: boolean }} page
 */
export function pageLinks({ protocol, host, url }, { window }, { found, goesOn }) {
  const [path, query] = splitUrl(url);
  const address = `${protocol}://${host}${path}`;
  const pairs = [...new URLSearchParams(query)];
  const pinned = /** @type {[string, string][]} */ ([
    ...pairs.filter(([name]) => !REPLACED.has(name)),
    ["filter[createdAt-start]", new Date(window.start).toISOString()],
    ["filter[createdAt-end]", new Date(window.end).toISOString()],
  ]);
  const last = found.at(-1);
  const links = { self: withQuery(address, pairs), first: withQuery(address, pinned) };
  if (!goesOn || !last) return links;
  return { ...links, next: withQuery(address, [...pinned, ["page[after]", encodeCursor(last)]]) };
}

/** @param {string} url */
function splitUrl(url) {
  const mark = url.indexOf("?");
  return mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
}

/**
 * @param {string} address
 * @param {[string, string][]} pairs
 */
function withQuery(address, pairs) {
  if (pairs.length === 0) return address;
  return `${address}?${pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&")}`;
}
