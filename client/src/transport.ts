/** Sends requests: headers, cache, waiting for limits, errors. */

import { Addresses } from "./address.ts";
import { type Kept, ReplyCache } from "./cache.ts";
import { MatchbookError } from "./errors.ts";
import { failureOf, isRedirect, networkFailure, redirected, unreadable } from "./failures.ts";
import { type Limits, readLimits } from "./limits.ts";
import {
  atLeastZero,
  authorization,
  type CallOptions,
  type Fetch,
  type MatchbookOptions,
  USUAL_CACHE,
  USUAL_PATIENCE,
} from "./options.ts";
import { pauseAfter, type Wait, wait } from "./wait.ts";

export interface Reply<Document> {
  /** 200, or 304 if the document comes from the cache. */
  readonly status: number;
  /** The same object until it changes. It is shared, so do not modify it. */
  readonly document: Document;
  /** The body as received. */
  readonly text: string;
  readonly headers: Headers;
  readonly limits: Limits | undefined;
  readonly etag: string | undefined;
  readonly fromCache: boolean;
  /** The duration of the request, without waits for rate limits. */
  readonly milliseconds: number;
}

/** Decides which responses besides 200 are not errors. */
type IsFine = (status: number, document: unknown) => boolean;

const MEDIA_TYPE = "application/vnd.api+json";

export class Transport {
  readonly #addresses: Addresses;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: Fetch;
  readonly #cache: ReplyCache;
  readonly #patience: number;
  readonly #onLimits: (limits: Limits) => void;
  readonly #wait: Wait;

  constructor(options: MatchbookOptions) {
    this.#addresses = new Addresses(options.url);
    this.#headers = { Accept: MEDIA_TYPE, ...authorization(options.key) };
    const { fetch = globalThis.fetch } = options;
    // A browser's fetch does not work as a method of another object.
    this.#fetch = (address, init) => fetch(address, init);
    this.#cache = new ReplyCache(atLeastZero("cache", options.cache ?? USUAL_CACHE));
    this.#patience = atLeastZero("patience", options.patience ?? USUAL_PATIENCE);
    this.#onLimits = options.onLimits ?? (() => {});
    this.#wait = options.wait ?? wait;
  }

  /**
   * Fetches a path or a link of the service. While the rate limit is reached, it waits and retries.
   * `isFine` selects responses that are not errors, besides 200.
   */
  async get<Document>(
    pathOrLink: string,
    { signal, patience = this.#patience }: CallOptions = {},
    isFine: IsFine = () => false,
  ): Promise<Reply<Document>> {
    const address = this.#addresses.resolve(pathOrLink);
    let patienceLeft = atLeastZero("patience", patience);
    for (;;) {
      try {
        return await this.#ask<Document>(address, signal, isFine);
      } catch (error) {
        const pause = error instanceof MatchbookError ? pauseAfter(error) : undefined;
        if (pause === undefined || pause > patienceLeft) throw error;
        patienceLeft -= pause;
        await this.#wait(pause, signal);
      }
    }
  }

  async #ask<Document>(
    address: string,
    signal: AbortSignal | undefined,
    isFine: IsFine,
  ): Promise<Reply<Document>> {
    signal?.throwIfAborted();
    const began = performance.now();
    const kept = this.#cache.find(address);
    const { response, text } = await this.#send(address, kept, signal);
    const limits = readLimits(response.headers);
    if (limits) this.#onLimits(limits);
    const etag = response.headers.get("ETag") ?? undefined;
    const { document, text: body } = this.#read(address, response, text, kept, isFine);
    return {
      status: response.status,
      document: document as Document,
      text: body,
      headers: response.headers,
      limits,
      etag,
      fromCache: response.status === 304,
      milliseconds: performance.now() - began,
    };
  }

  async #send(address: string, kept: Kept | undefined, signal: AbortSignal | undefined) {
    const condition = kept && { "If-None-Match": kept.etag };
    try {
      const response = await this.#fetch(address, {
        headers: { ...this.#headers, ...condition },
        signal: signal ?? null,
        redirect: "manual",
      });
      return { response, text: await response.text() };
    } catch (cause) {
      signal?.throwIfAborted();
      throw networkFailure(this.#addresses.origin, cause);
    }
  }

  /** The document of a response, new or cached. Throws if there is none. */
  #read(
    address: string,
    response: Response,
    text: string,
    kept: Kept | undefined,
    isFine: IsFine,
  ): { document: unknown; text: string } {
    if (response.status === 304 && kept) return kept;
    if (isRedirect(response)) throw redirected(response);
    const document = parsed(text);
    if (response.status !== 200 && !isFine(response.status, document)) {
      throw failureOf(response, text);
    }
    if (document === undefined) throw unreadable(response);
    const etag = response.headers.get("ETag");
    if (etag !== null) this.#cache.keep(address, { etag, document, text });
    this.#addresses.learn(address, selfLinkOf(document));
    return { document, text };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const selfLinkOf = (document: unknown): unknown =>
  (document as { links?: { self?: unknown } } | null)?.links?.self;
