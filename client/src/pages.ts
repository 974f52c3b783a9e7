/** In charge of lists of matches: page by page, or one match after another as far as they go. */

import type { MatchList } from "./generated.ts";
import { linkedList } from "./graph.ts";
import type { Limits } from "./limits.ts";
import type { CallOptions } from "./options.ts";
import type { Resource } from "./resource.ts";
import type { Reply, Transport } from "./transport.ts";

/** Matches that stand together in a reply, and the way to their neighbours. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly document: MatchList;
  readonly links: MatchList["links"];
  /** The times between which matches were looked for, as the links keep them. */
  readonly window: MatchList["meta"]["window"];
  readonly limits: Limits | undefined;
  readonly reply: Reply<MatchList>;
  /** The page that follows; undefined on the last one. */
  readonly next: ((options?: CallOptions) => Promise<Page<Item>>) | undefined;
  /** The page before; undefined on the first one. */
  readonly prev: ((options?: CallOptions) => Promise<Page<Item>>) | undefined;
}

/**
 * The matches that fit a query. Nothing is asked before somebody wants to know; each loop asks anew.
 * A loop follows the links of the pages, so it sees no match twice and misses none that was there
 * when it began. Each further page is asked for when it is needed.
 */
export class Matches<Item> implements AsyncIterable<Item> {
  readonly #transport: Transport;
  readonly #address: string;
  readonly #options: CallOptions;

  constructor(transport: Transport, address: string, options: CallOptions) {
    this.#transport = transport;
    this.#address = address;
    this.#options = options;
  }

  /** The first page. */
  page(): Promise<Page<Item>> {
    return readPage(this.#transport, this.#address, this.#options);
  }

  /** One page after another. */
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
  address: string,
  options: CallOptions,
): Promise<Page<Item>> {
  const reply = await transport.get<MatchList>(address, options);
  const { document, limits } = reply;
  const { links, meta } = document;
  const leadingTo = (link: string | undefined) =>
    link === undefined
      ? undefined
      : (other: CallOptions = {}) => readPage<Item>(transport, link, { ...options, ...other });
  return {
    items: linkedList<Resource>(document) as Item[],
    document,
    links,
    window: meta.window,
    limits,
    reply,
    next: leadingTo(links.next),
    prev: leadingTo(links.prev),
  };
}
