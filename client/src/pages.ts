/** Lists of matches: page by page, or as one iteration over all matches. */

import { withoutRecords } from "./failures.ts";
import type { MatchList } from "./generated.ts";
import { linkedList } from "./graph.ts";
import type { Limits } from "./limits.ts";
import type { CallOptions } from "./options.ts";
import type { Resource } from "./resource.ts";
import type { Reply, Transport } from "./transport.ts";

/** A page of matches, with links to its neighbours. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly document: MatchList;
  readonly links: MatchList["links"];
  /** The time window of the query. Links keep it. */
  readonly window: MatchList["meta"]["window"];
  readonly limits: Limits | undefined;
  readonly reply: Reply<MatchList>;
  /** The next page; undefined on the last one. */
  readonly next: ((options?: CallOptions) => Promise<Page<Item>>) | undefined;
  /** The previous page; undefined on the first one. */
  readonly prev: ((options?: CallOptions) => Promise<Page<Item>>) | undefined;
}

/**
 * The matches of a query. Creating it sends no request; each loop starts again. A loop follows the
 * links of the pages, so it returns no match twice and misses none that existed when it started.
 * Pages are fetched when they are needed.
 */
export class Matches<Item> implements AsyncIterable<Item> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #options: CallOptions;

  constructor(transport: Transport, path: string, options: CallOptions) {
    this.#transport = transport;
    this.#path = path;
    this.#options = options;
  }

  page(): Promise<Page<Item>> {
    return readPage(this.#transport, this.#path, this.#options);
  }

  /** Iterates over pages. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let page = await this.page();
    yield page;
    while (page.next) {
      page = await page.next();
      yield page;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }
}

async function readPage<Item>(
  transport: Transport,
  path: string,
  options: CallOptions,
): Promise<Page<Item>> {
  const reply = await transport.get<MatchList>(path, options);
  const { document, limits } = reply;
  const items = linkedList<Resource>(document) as Item[];
  const { links, meta } = document;
  if (!links || !meta) throw withoutRecords();
  const leadingTo = (link: string | undefined) =>
    link === undefined
      ? undefined
      : (other: CallOptions = {}) => readPage<Item>(transport, link, { ...options, ...other });
  return {
    items,
    document,
    links,
    window: meta.window,
    limits,
    reply,
    next: leadingTo(links.next),
    prev: leadingTo(links.prev),
  };
}
