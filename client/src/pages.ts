/** Lists with pages, of matches and of leaderboards: page by page, or as one iteration over all items. */

import { withoutRecords } from "./failures.ts";
import type { Leaderboard, MatchList } from "./generated.ts";
import { linkedList } from "./graph.ts";
import type { Limits } from "./limits.ts";
import type { CallOptions } from "./options.ts";
import type { Resource } from "./resource.ts";
import type { Reply, Transport } from "./transport.ts";

type PagedDocument = MatchList | Leaderboard;

/** A page, with links to its neighbours. */
export interface Page<Item, Document extends PagedDocument = MatchList> {
  readonly items: readonly Item[];
  readonly document: Document;
  readonly links: Document["links"];
  readonly meta: Document["meta"];
  /** The time window of the query, if it has one. Links keep its start. */
  readonly window: Document["meta"]["window"];
  readonly limits: Limits | undefined;
  readonly reply: Reply<Document>;
  /** The next page; undefined on the last one. */
  readonly next: ((options?: CallOptions) => Promise<Page<Item, Document>>) | undefined;
  /** The previous page; undefined on the first one, and on leaderboards, which have no links back. */
  readonly prev: ((options?: CallOptions) => Promise<Page<Item, Document>>) | undefined;
}

/**
 * The items of a query. Creating it sends no request; each loop starts again. A loop follows the
 * links of the pages, so it returns no match twice and misses none that existed when it started; a
 * leaderboard may change between two pages. Pages are fetched when they are needed.
 */
export class Pages<Item, Document extends PagedDocument> implements AsyncIterable<Item> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #options: CallOptions;

  constructor(transport: Transport, path: string, options: CallOptions) {
    this.#transport = transport;
    this.#path = path;
    this.#options = options;
  }

  page(): Promise<Page<Item, Document>> {
    return readPage(this.#transport, this.#path, this.#options);
  }

  /** Iterates over pages. */
  async *pages(): AsyncGenerator<Page<Item, Document>, void, undefined> {
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

async function readPage<Item, Document extends PagedDocument>(
  transport: Transport,
  path: string,
  options: CallOptions,
): Promise<Page<Item, Document>> {
  const reply = await transport.get<Document>(path, options);
  const { document, limits } = reply;
  const items = linkedList<Resource>(document) as Item[];
  const { links, meta }: Document = document;
  if (!links || !meta) throw withoutRecords();
  const leadingTo = (link: string | undefined) =>
    link === undefined
      ? undefined
      : (other: CallOptions = {}) =>
          readPage<Item, Document>(transport, link, { ...options, ...other });
  return {
    items,
    document,
    links,
    meta,
    window: meta.window as Document["meta"]["window"],
    limits,
    reply,
    next: leadingTo(links.next),
    prev: leadingTo("prev" in links ? links.prev : undefined),
  };
}
