/** A caller that opens another connection when a worker that is replaced has closed its own. */

import { Line, type Reply } from "../support/callers.ts";
import { JSON_API } from "../support/world.ts";

/** Workers are replaced one after another: several tries in a row do not meet a closing one. */
const MOST_TRIES = 10;

export class Caller {
  #line: Line | undefined;
  /** How many connections were opened. Each may lead to another worker. */
  connections = 0;

  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  async ask(path: string): Promise<Reply> {
    for (let tries = 1; ; tries++) {
      if (!this.#line || this.#line.isClosed) {
        this.#line = new Line(this.url);
        this.connections += 1;
      }
      try {
        const headers = { Authorization: `Bearer ${this.key}`, Accept: JSON_API };
        const reply = await this.#line.ask(path, headers);
        if (reply.headers.get("connection") === "close") this.close();
        return reply;
      } catch (error) {
        this.close();
        if (tries === MOST_TRIES) throw error;
      }
    }
  }

  close(): void {
    this.#line?.close();
    this.#line = undefined;
  }
}
