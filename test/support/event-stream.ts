/** A client of event streams: reads the events of a response one by one, as the HTML standard says. */

export interface ServerEvent {
  /** The id that a client would send to go on from here. */
  lastId: string;
  event: string;
  data: string;
}

export class StreamClient {
  /** All events and comments that were read so far. */
  readonly events: ServerEvent[] = [];
  comments = 0;
  lastId = "";
  /** Whether the server has ended the stream. */
  isOver = false;
  readonly #reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> };
  readonly #decoder = new TextDecoder();
  #text = "";
  #next = 0;
  #event = "";
  #data: string[] = [];

  constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {
    this.#reader = response.body!.getReader();
  }

  static async open(url: string, headers: Record<string, string>): Promise<StreamClient> {
    const abort = new AbortController();
    const all = { Accept: "text/event-stream", ...headers };
    return new StreamClient(await fetch(url, { headers: all, signal: abort.signal }), abort);
  }

  /** The next event; undefined at the end. */
  async next(): Promise<ServerEvent | undefined> {
    while (this.#next === this.events.length) if (!(await this.more())) return undefined;
    return this.events[this.#next++];
  }

  /** This many changes, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read resources of every shape.
  async changes(count: number): Promise<any[]> {
    const changes = [];
    while (changes.length < count) {
      const event = await this.next();
      if (event?.event !== "change") throw new Error(`not a change: ${JSON.stringify(event)}`);
      changes.push(JSON.parse(event.data));
    }
    return changes;
  }

  /** Reads until this many comments have come. */
  async untilComments(count: number): Promise<void> {
    while (this.comments < count && (await this.more())) {}
  }

  close(): void {
    this.abort.abort();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** False at the end. */
  async more(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    this.isOver = done;
    if (done) return false;
    this.#text += this.#decoder.decode(value, { stream: true });
    const lines = this.#text.split("\n");
    this.#text = lines.pop()!;
    for (const line of lines) this.#take(line);
    return true;
  }

  #take(line: string): void {
    if (line === "") this.#dispatch();
    else if (line.startsWith(":")) this.comments += 1;
    else if (line.startsWith("id: ")) this.lastId = line.slice(4);
    else if (line.startsWith("event: ")) this.#event = line.slice(7);
    else if (line.startsWith("data: ")) this.#data.push(line.slice(6));
    else throw new Error(`not a line of an event stream: ${line}`);
  }

  #dispatch(): void {
    if (this.#data.length > 0) {
      const data = this.#data.join("\n");
      this.events.push({ lastId: this.lastId, event: this.#event, data });
    }
    this.#event = "";
    this.#data = [];
  }
}
