/**
 * In charge of addresses: everything is sent to the one service that the client was made for, because
 * the key goes along.
 */

import { misuse } from "./errors.ts";

/** An address of the service, cut in two. */
interface Base {
  origin: string;
  /** The path that everything is under: empty, or with a slash before and none behind. */
  prefix: string;
}

export class Addresses {
  readonly #own: Base;
  /** How the service calls itself in links, which behind a proxy may be something else. */
  #public: Base | undefined;

  constructor(url: string | URL) {
    this.#own = readBase(url);
  }

  get origin(): string {
    return this.#own.origin;
  }

  /** The whole address to send a request to, of a path with its query or of a link. */
  resolve(pathOrLink: string): string {
    return `${this.#own.origin}${this.#own.prefix}${this.#pathOf(pathOrLink)}`;
  }

  /** Notes under which address the service links to a page that came from this one of ours. */
  learn(address: string, selfLink: unknown): void {
    const link = typeof selfLink === "string" ? asUrl(selfLink) : undefined;
    const path = new URL(address).pathname.slice(this.#own.prefix.length);
    if (!link?.pathname.endsWith(path)) return;
    this.#public = { origin: link.origin, prefix: link.pathname.slice(0, -path.length) };
  }

  #pathOf(pathOrLink: string): string {
    if (pathOrLink.startsWith("/")) return pathOrLink;
    const link = asUrl(pathOrLink);
    if (!link) {
      throw misuse(
        "The address is neither a path nor a whole address. Let it begin with /, such as /status.",
      );
    }
    for (const base of [this.#own, this.#public]) {
      if (base && link.origin === base.origin && link.pathname.startsWith(`${base.prefix}/`)) {
        return link.pathname.slice(base.prefix.length) + link.search;
      }
    }
    throw misuse(
      `The address is on ${link.origin}, and this client is for ${this.#own.origin}${this.#own.prefix}. Your key is sent nowhere else: give the path and the query alone, or make a client for that address.`,
    );
  }
}

function readBase(url: string | URL): Base {
  const read = asUrl(String(url));
  if (!read || !/^https?:$/.test(read.protocol)) {
    throw misuse("`url` must be the whole address of a Matchbook, such as http://localhost:8080.");
  }
  if (read.username || read.password || read.search || read.hash) {
    throw misuse(
      "`url` must hold neither a user, a query nor a fragment. The key goes into `key`.",
    );
  }
  return { origin: read.origin, prefix: read.pathname.replace(/\/+$/, "") };
}

function asUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** A text as it may stand in an address. */
export function escaped(what: string, text: string): string {
  if (/\p{Surrogate}/u.test(text)) {
    throw misuse(`The ${what} holds half of a character, which cannot be sent.`);
  }
  return encodeURIComponent(text);
}

/** A part of a path that holds an id, escaped. */
export function segment(what: string, id: string): string {
  // These would lead to another address without anybody noticing.
  if (typeof id !== "string" || /^\.{0,2}$/.test(id)) {
    throw misuse(`The ${what} ${JSON.stringify(id)} cannot be one. Give the id as it was served.`);
  }
  return escaped(what, id);
}
