/** In charge of the client itself: one service, one key. */

import type { Description, Health, Readiness, Status, Usage } from "./generated.ts";
import type { CallOptions, MatchbookOptions } from "./options.ts";
import { Shard } from "./shard.ts";
import { type Reply, Transport } from "./transport.ts";

export class Matchbook {
  readonly #transport: Transport;

  constructor(options: MatchbookOptions) {
    this.#transport = new Transport(options);
  }

  /** A region. Nothing is asked yet; `status()` lists those there are. */
  shard(id: string): Shard {
    return new Shard(this.#transport, id);
  }

  /** Which shards there are, and how fresh each is. No key is needed. */
  status(options?: CallOptions): Promise<Status> {
    return this.#document("/status", options);
  }

  /** The limits of the key, and how much it was used. Costs nothing. */
  usage(options?: CallOptions): Promise<Usage> {
    return this.#document("/usage", options);
  }

  /** Whether the process answers. No key is needed. */
  health(options?: CallOptions): Promise<Health> {
    return this.#document("/healthz", options);
  }

  /** Whether every shard can be read, and which cannot. No key is needed. */
  async readiness(options?: CallOptions): Promise<Readiness> {
    // Not to be ready is an answer here, not an error.
    const { document } = await this.#transport.get<Readiness>(
      "/readyz",
      options,
      (status, said) =>
        status === 503 && (said as Partial<Readiness> | null)?.status === "not ready",
    );
    return document;
  }

  /** The OpenAPI document of the service. No key is needed. */
  description(options?: CallOptions): Promise<Description> {
    return this.#document("/openapi.json", options);
  }

  /**
   * Any address of the service, as a path with its query or as a link out of a document: the reply as
   * it came. Throws a MatchbookError for every other status than 200 and 304.
   */
  get<Document = unknown>(pathOrLink: string, options?: CallOptions): Promise<Reply<Document>> {
    return this.#transport.get<Document>(pathOrLink, options);
  }

  async #document<Document>(path: string, options?: CallOptions): Promise<Document> {
    return (await this.#transport.get<Document>(path, options)).document;
  }
}
