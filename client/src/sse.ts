/** Parses Server-Sent Events, as the HTML standard describes them. */

import { unreadableEvent } from "./failures.ts";

/** An event, or a comment, which servers send to show that the stream is open. */
export interface StreamItem {
  /** The type of the event; undefined for a comment. */
  readonly event: string | undefined;
  readonly data: string;
  /** The last id before the end of this item; empty before the first one. */
  readonly id: string;
}

/** In characters. A stream without line ends must not fill the memory. */
const MAX_EVENT_LENGTH = 2 ** 20;

const BYTE_ORDER_MARK = "\ufeff";

/** One stream, chunk by chunk. What follows the last empty line is not an event. */
export class EventParser {
  // Runtimes differ in a byte order mark that is cut in two, so it is removed here.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #isFirst = true;
  #endedWithCr = false;
  /** The beginning of a line whose end has not arrived. */
  #line = "";
  #event = "";
  #data = "";
  /** The id of the event that is being read. It counts once the event is complete. */
  #nextId = "";
  #id = "";

  /** The items that this chunk completes. All of them must be taken before the next chunk. */
  *parse(chunk: Uint8Array): Generator<StreamItem, void, undefined> {
    for (const line of this.#lines(this.#decoder.decode(chunk, { stream: true }))) {
      if (line.startsWith(":")) yield { event: undefined, data: line.slice(1), id: this.#id };
      else if (line !== "") this.#readField(line);
      else yield* this.#complete();
    }
    if (this.#line.length + this.#data.length > MAX_EVENT_LENGTH) throw unreadableEvent();
  }

  *#lines(decoded: string): Generator<string, void, undefined> {
    if (decoded === "") return;
    const isMarked = this.#isFirst && decoded.startsWith(BYTE_ORDER_MARK);
    this.#isFirst = false;
    // A CR ends a line at once: waiting for a LF would delay the event.
    const isSecondHalf = this.#endedWithCr && decoded.startsWith("\n");
    this.#endedWithCr = decoded.endsWith("\r");
    const text = isMarked || isSecondHalf ? decoded.slice(1) : decoded;
    let start = 0;
    for (const { 0: end, index } of text.matchAll(/\r\n?|\n/g)) {
      const line = this.#line + text.slice(start, index);
      this.#line = "";
      start = index + end.length;
      yield line;
    }
    this.#line += text.slice(start);
  }

  #readField(line: string): void {
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/su.exec(line)!;
    if (name === "event") this.#event = value;
    else if (name === "data") this.#data += `${value}\n`;
    else if (name === "id" && !value.includes("\0")) this.#nextId = value;
  }

  *#complete(): Generator<StreamItem, void, undefined> {
    const [event, data] = [this.#event || "message", this.#data];
    this.#id = this.#nextId;
    this.#event = "";
    this.#data = "";
    if (data !== "") yield { event, data: data.slice(0, -1), id: this.#id };
  }
}
