/** One connection to the service that is read as it arrives, and given up when it is silent. */

import { MatchbookError } from "./errors.ts";
import { networkFailure, unreadable, withoutRecords } from "./failures.ts";
import { EventParser, type StreamItem } from "./sse.ts";
import { MEDIA_TYPE, type Transport } from "./transport.ts";

/** Three heartbeats. */
const MAX_SILENCE_MS = 45_000;

const EVENT_STREAM = "text/event-stream";

/** Throws the reason of the signal when that aborts, and otherwise only MatchbookErrors. */
export class Connection {
  readonly #transport: Transport;
  readonly #signal: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #stop = () => this.#controller.abort();

  constructor(transport: Transport, signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    this.#transport = transport;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#stop);
  }

  close(): void {
    this.#signal?.removeEventListener("abort", this.#stop);
    this.#controller.abort();
  }

  async document(path: string): Promise<unknown> {
    const text = await this.#unlessSilent(async () => {
      const response = await this.#open(path, MEDIA_TYPE);
      return response.text();
    });
    try {
      return JSON.parse(text);
    } catch {
      throw withoutRecords();
    }
  }

  /** Reads only what is needed: the rest stays with the server. Throws when the stream ends. */
  async *items(path: string): AsyncGenerator<StreamItem, never, undefined> {
    const response = await this.#unlessSilent(() => this.#open(path, EVENT_STREAM));
    const type = response.headers.get("Content-Type") ?? "";
    if (!response.body || type.split(";")[0]!.trim().toLowerCase() !== EVENT_STREAM) {
      throw unreadable(response, "an event stream");
    }
    const reader = response.body.getReader();
    const parser = new EventParser();
    for (;;) {
      const { done, value } = await this.#unlessSilent(() => reader.read());
      if (done) throw networkFailure(this.#transport.origin, new Error("The stream ended."));
      yield* parser.parse(value);
    }
  }

  #open(path: string, accept: string): Promise<Response> {
    return this.#transport.open(path, accept, this.#controller.signal);
  }

  async #unlessSilent<Result>(work: () => Promise<Result>): Promise<Result> {
    const timer = new AbortController();
    const silence = this.#transport.wait(MAX_SILENCE_MS, timer.signal).then(() => {
      throw new Error(`Nothing arrived for ${MAX_SILENCE_MS / 1000} s.`);
    });
    try {
      return await Promise.race([work(), silence]);
    } catch (cause) {
      this.#signal?.throwIfAborted();
      if (cause instanceof MatchbookError) throw cause;
      throw networkFailure(this.#transport.origin, cause);
    } finally {
      timer.abort();
    }
  }
}
