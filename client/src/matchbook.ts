/** The client: one service, one key. */

import { withoutRecords } from "./failures.ts";
import type { Description, Health, NameSearch, Readiness, Status, Usage } from "./generated.ts";
import type { CallOptions, MatchbookOptions } from "./options.ts";
import { NEAR_TABLE, writeQuery } from "./query.ts";
import { type PlayerName, playerName, Shard } from "./shard.ts";
import { type Reply, Transport } from "./transport.ts";

/** What a text finds in all shards that the key may read. */
export interface FoundNames {
  /** Players with similar names, closest first. */
  readonly players: readonly PlayerName[];
  /** The match that has the text as its id; `createdAt` is ISO 8601. */
  readonly match:
    | { readonly id: string; readonly shardId: string; readonly createdAt: string }
    | undefined;
  /** Whether no name is similar, so that these are only the nearest ones. */
  readonly isNearest: boolean;
  /** The shards that could not answer. */
  readonly unavailable: readonly string[];
}

export class Matchbook {
  readonly #transport: Transport;

  constructor(options: MatchbookOptions) {
    this.#transport = new Transport(options);
  }

  /** A shard (region). Sends no request; `status()` lists the shards. */
  shard(id: string): Shard {
    return new Shard(this.#transport, id);
  }

  /** The shards, with their newest matches. Needs no key. */
  status(options?: CallOptions): Promise<Status> {
    return this.#document("/status", options);
  }

  /** Players and matches of all shards that the key may read, by a name or an id. One request. */
  async playerNames(near: string, options?: CallOptions): Promise<FoundNames> {
    const path = `/player-names${writeQuery({ near }, NEAR_TABLE)}`;
    const document = await this.#document<NameSearch>(path, options);
    if (!Array.isArray(document?.data)) throw withoutRecords();
    const players: PlayerName[] = [];
    let match: FoundNames["match"];
    for (const item of document.data as NameSearch["data"]) {
      if (item.type === "match") match = { id: item.id, ...item.attributes };
      else players.push(playerName(item));
    }
    const { nearest, unavailable = [] } = document.meta ?? {};
    return { players, match, isNearest: nearest === true, unavailable };
  }

  /** The limits and usage of the key. */
  usage(options?: CallOptions): Promise<Usage> {
    return this.#document("/usage", options);
  }

  /** Whether the server responds. Needs no key. */
  health(options?: CallOptions): Promise<Health> {
    return this.#document("/healthz", options);
  }

  /** Whether every shard is available, and which are not. Needs no key. */
  async readiness(options?: CallOptions): Promise<Readiness> {
    // 503 is a valid response here.
    const { document } = await this.#transport.get<Readiness>(
      "/readyz",
      options,
      (status, said) =>
        status === 503 && (said as Partial<Readiness> | null)?.status === "not ready",
    );
    return document;
  }

  /** The OpenAPI document. Needs no key. */
  description(options?: CallOptions): Promise<Description> {
    return this.#document("/openapi.json", options);
  }

  /**
   * Fetches any path (with query) or link of the service, and returns the response unchanged.
   * Throws a MatchbookError for statuses other than 200 and 304.
   */
  get<Document = unknown>(pathOrLink: string, options?: CallOptions): Promise<Reply<Document>> {
    return this.#transport.get<Document>(pathOrLink, options);
  }

  async #document<Document>(path: string, options?: CallOptions): Promise<Document> {
    return (await this.#transport.get<Document>(path, options)).document;
  }
}
