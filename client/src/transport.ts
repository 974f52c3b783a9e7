/** Sends requests: headers, cache, waiting for limits, errors. */

import { type CachedResponse, ResponseCache } from "./cache.ts";
import { MatchbookError } from "./errors.ts";
import { failureOf, isRedirect, networkFailure, redirected, unreadable } from "./failures.ts";
import { type Limits, readLimits } from "./limits.ts";
import {
  atLeastZero,
  authorization,
  type CallOptions,
  DEFAULT_CACHE,
  DEFAULT_PATIENCE,
  type Fetch,
  type MatchbookOptions,
} from "./options.ts";
import { ServiceUrl } from "./url.ts";
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
type IsExpected = (status: number, document: unknown) => boolean;

export const MEDIA_TYPE = "application/vnd.api+json";

export class Transport {
  readonly #serviceUrl: ServiceUrl;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: Fetch;
  readonly #cache: ResponseCache;
  readonly #patience: number;
  readonly #onLimits: (limits: Limits) => void;
  readonly wait: Wait;

  constructor(options: MatchbookOptions) {
    this.#serviceUrl = new ServiceUrl(options.url);
    this.#headers = { Accept: MEDIA_TYPE, ...authorization(options.key) };
    const { fetch = globalThis.fetch } = options;
    // A browser's fetch does not work as a method of another object.
    this.#fetch = (url, init) => fetch(url, init);
    this.#cache = new ResponseCache(atLeastZero("cache", options.cache ?? DEFAULT_CACHE));
    this.#patience = atLeastZero("patience", options.patience ?? DEFAULT_PATIENCE);
    this.#onLimits = options.onLimits ?? (() => {});
    this.wait = options.wait ?? wait;
  }

  get origin(): string {
    return this.#serviceUrl.origin;
  }

  /**
   * Fetches a path or a link of the service. While the rate limit is reached, it waits and retries.
   * `isExpected` selects responses that are not errors, besides 200.
   */
  async get<Document>(
    pathOrLink: string,
    { signal, patience = this.#patience }: CallOptions = {},
    isExpected: IsExpected = () => false,
  ): Promise<Reply<Document>> {
    const url = this.#serviceUrl.resolve(pathOrLink);
    let patienceLeft = atLeastZero("patience", patience);
    for (;;) {
      try {
        return await this.#getOnce<Document>(url, signal, isExpected);
      } catch (error) {
        const pause = error instanceof MatchbookError ? pauseAfter(error) : undefined;
        if (pause === undefined || pause > patienceLeft) throw error;
        patienceLeft -= pause;
        await this.wait(pause, signal);
      }
    }
  }

  /**
   * Fetches a path, and returns the response with its body unread. No cache, no waiting. Throws for
   * statuses other than 200.
   */
  async open(path: string, accept: string, signal: AbortSignal): Promise<Response> {
    const response = await this.#fetch(this.#serviceUrl.resolve(path), {
      headers: { ...this.#headers, Accept: accept },
      signal,
      redirect: "manual",
    });
    const limits = readLimits(response.headers);
    if (limits) this.#onLimits(limits);
    if (isRedirect(response)) throw redirected(response);
    if (response.status !== 200) throw failureOf(response, await response.text());
    return response;
  }

  async #getOnce<Document>(
    url: string,
    signal: AbortSignal | undefined,
    isExpected: IsExpected,
  ): Promise<Reply<Document>> {
    signal?.throwIfAborted();
    const began = performance.now();
    const cached = this.#cache.find(url);
    const { response, text } = await this.#send(url, cached, signal);
    const limits = readLimits(response.headers);
    if (limits) this.#onLimits(limits);
    const etag = response.headers.get("ETag") ?? undefined;
    const { document, text: body } = this.#read(url, response, text, cached, isExpected);
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

  async #send(url: string, cached: CachedResponse | undefined, signal: AbortSignal | undefined) {
    const condition = cached && { "If-None-Match": cached.etag };
    try {
      const response = await this.#fetch(url, {
        headers: { ...this.#headers, ...condition },
        signal: signal ?? null,
        redirect: "manual",
      });
      return { response, text: await response.text() };
    } catch (cause) {
      signal?.throwIfAborted();
      throw networkFailure(this.#serviceUrl.origin, cause);
    }
  }

  /** The document of a response, new or cached. Throws if there is none. */
  #read(
    url: string,
    response: Response,
    text: string,
    cached: CachedResponse | undefined,
    isExpected: IsExpected,
  ): { document: unknown; text: string } {
    if (response.status === 304 && cached) return cached;
    if (isRedirect(response)) throw redirected(response);
    const document = parsed(text);
    if (response.status !== 200 && !isExpected(response.status, document)) {
      throw failureOf(response, text);
    }
    if (document === undefined) throw unreadable(response);
    const etag = response.headers.get("ETag");
    if (etag !== null) this.#cache.add(url, { etag, document, text });
    this.#serviceUrl.learn(url, selfLinkOf(document));
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
