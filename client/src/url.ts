/**
 * Resolves URLs. Requests go only to the service that the client was created for, because they
 * carry the key.
 */

import { misuse } from "./errors.ts";

/** The base URL of the service, in two parts. */
interface Base {
  origin: string;
  /** The path prefix: empty, or with a leading slash and no trailing one. */
  prefix: string;
}

export class ServiceUrl {
  readonly #own: Base;
  /** The base URL that the service uses in links. Behind a proxy it can differ. */
  #public: Base | undefined;

  constructor(url: string | URL) {
    this.#own = readBase(url);
  }

  get origin(): string {
    return this.#own.origin;
  }

  /** The full URL for a path with its query, or for a link. */
  resolve(pathOrLink: string): string {
    return `${this.#own.origin}${this.#own.prefix}${this.#pathOf(pathOrLink)}`;
  }

  /** Learns the public base URL from the self link of a response. */
  learn(url: string, selfLink: unknown): void {
    const link = typeof selfLink === "string" ? asUrl(selfLink) : undefined;
    const path = new URL(url).pathname.slice(this.#own.prefix.length);
    if (!link?.pathname.endsWith(path)) return;
    this.#public = { origin: link.origin, prefix: link.pathname.slice(0, -path.length) };
  }

  #pathOf(pathOrLink: string): string {
    if (pathOrLink.startsWith("/")) return pathOrLink;
    const link = asUrl(pathOrLink);
    if (!link) {
      throw misuse("The argument is neither a path nor a URL. Start paths with /, e.g. /status.");
    }
    for (const base of [this.#own, this.#public]) {
      if (base && link.origin === base.origin && link.pathname.startsWith(`${base.prefix}/`)) {
        return link.pathname.slice(base.prefix.length) + link.search;
      }
    }
    throw misuse(
      `The URL is on ${link.origin}, but this client is for ${this.#own.origin}${this.#own.prefix}. Your key is sent only there. Pass just the path and query, or create a client for that URL.`,
    );
  }
}

function readBase(url: string | URL): Base {
  const read = asUrl(String(url));
  if (!read || !/^https?:$/.test(read.protocol)) {
    throw misuse("`url` must be the full URL of a Matchbook server, e.g. http://localhost:8080.");
  }
  if (read.username || read.password || read.search || read.hash) {
    throw misuse("`url` must not contain a user, a query or a fragment. Pass the key as `key`.");
  }
  return { origin: read.origin, prefix: read.pathname.replace(/\/+$/, "") };
}

function asUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Percent-encodes a text. */
export function escaped(what: string, text: string): string {
  if (/\p{Surrogate}/u.test(text)) {
    throw misuse(`The ${what} contains half of a surrogate pair, which cannot be sent.`);
  }
  return encodeURIComponent(text);
}

/** A path segment with an id, percent-encoded. */
export function segment(what: string, id: string): string {
  // These would silently change the path.
  if (typeof id !== "string" || /^\.{0,2}$/.test(id)) {
    throw misuse(
      `The ${what} ${JSON.stringify(id)} is not valid. Pass it exactly as the service returned it.`,
    );
  }
  return escaped(what, id);
}
