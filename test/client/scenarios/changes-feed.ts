/** A server of a change feed whose every step a scenario decides. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request to the feed, which waits for what the scenario does with it. */
export class FeedRequest {
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  /** Resolves when the client has closed the connection, or the server has. */
  readonly closed: Promise<unknown>;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.url = new URL(request.url!, "http://feed");
    this.headers = request.headers;
    this.closed = once(response, "close");
    this.#response = response;
  }

  /** The cursor after which it starts. */
  get after(): string | null {
    return this.url.searchParams.get("page[after]");
  }

  /** Opens the stream as the service does: with a comment at once. */
  open(): this {
    this.#response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
    return this.send(": open\n\n");
  }

  send(...texts: (string | Uint8Array)[]): this {
    for (const text of texts) this.#response.write(text);
    return this;
  }

  /** Resolves when the connection takes more. */
  async sendWhenTaken(text: string | Uint8Array): Promise<void> {
    if (!this.#response.write(text)) await once(this.#response, "drain");
  }

  /** Ends the response properly. */
  end(): void {
    this.#response.end();
  }

  /** Cuts the connection. */
  cut(): void {
    this.#response.destroy();
  }

  respond(status: number, headers: Record<string, string> = {}, body: unknown = ""): void {
    this.#response.writeHead(status, headers);
    this.#response.end(typeof body === "string" ? body : JSON.stringify(body));
  }

  /** Responds as the service does to a request without a cursor. */
  respondWithEnd(cursor: string): void {
    const next = `https://public.example/shards/na/changes?page%5Bafter%5D=${cursor}`;
    const document = { data: [], links: { self: next, next } };
    this.respond(200, { "Content-Type": "application/vnd.api+json" }, document);
  }

  /** Responds with an error document of one problem. */
  fail(status: number, code: string, detail = "Do this.", headers: Record<string, string> = {}) {
    const problem = { id: "request-1", status: String(status), code, title: "Failed", detail };
    this.respond(status, headers, { errors: [problem] });
  }
}

export class FeedServer {
  readonly url: string;
  /** The number of requests so far. */
  requests = 0;
  readonly #server: ReturnType<typeof createServer>;
  readonly #waiting: FeedRequest[] = [];
  #arrived: () => void = () => {};

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => {
      response.on("error", () => {});
      this.requests += 1;
      this.#waiting.push(new FeedRequest(request, response));
      this.#arrived();
    });
  }

  static async start(): Promise<FeedServer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FeedServer(server);
  }

  /** The next request. */
  async next(): Promise<FeedRequest> {
    while (this.#waiting.length === 0) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
    return this.#waiting.shift()!;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** A change as an event. */
export function changeEvent(cursor: string, match = `match-${cursor}`): string {
  const change = {
    type: "change",
    id: cursor,
    attributes: {
      kind: "added",
      changedAt: "2026-03-01T12:00:01.000Z",
      createdAt: "2026-03-01T12:00:00.000Z",
      gameMode: "ranked",
      patchVersion: "2.5 日本",
    },
    relationships: {
      match: { data: { type: "match", id: match } },
      players: { data: ["ada", "grace"].map((id) => ({ type: "player", id })) },
    },
  };
  return `id: ${cursor}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`;
}

export const endEvent = (code: string): string =>
  `event: end\ndata: ${JSON.stringify({ code, detail: `Ended: ${code}.` })}\n\n`;
