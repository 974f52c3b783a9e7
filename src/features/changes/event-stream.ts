/** Streams of changes as Server-Sent Events: sends, paces and ends them. */

import { type LiveKey, limitId } from "../../access/key-lookup.ts";
import type { Observe } from "../../observe/events.ts";
import { type Change, type ChangeBatch, type LogPosition, StoreError } from "../../store/store.ts";
import { encodeLogCursor } from "./cursor.ts";
import { STREAM_ENDS, type StreamEnd } from "./events.ts";
import { type ChangeFeed, MAX_FAILURES } from "./feed.ts";
import { type ChangeFilter, isWanted } from "./filter.ts";
import type { FeedLimits } from "./limits.ts";
import { changeJson } from "./resource.ts";

/** What a client may leave unread. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Events are sent together up to this size. */
const CHUNK_CHARACTERS = 64 * 1024;

export const STREAM_PACE = {
  heartbeatMs: 15_000,
  /** How often it is checked whether the keys of streams are still valid. */
  keyCheckMs: 2000,
  /** How long a client with `MAX_UNREAD_BYTES` unread has to read some of it. */
  unreadMs: 30_000,
};

export interface StreamRequest {
  requestId: string;
  shard: string;
  key: LiveKey;
  start: LogPosition;
  filter: ChangeFilter;
  /** The key as it is now; undefined if it is not valid any more, or may not read this shard. */
  currentKey(): LiveKey | undefined;
  /** Called at the end, before the last bytes are sent. */
  onEnd(): void;
}

interface StreamContext {
  feed: ChangeFeed;
  limits: FeedLimits;
  pace: typeof STREAM_PACE;
  monotonic(): number;
  observe: Observe;
}

export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #key: LiveKey;
  /** Everything up to here was sent, or is not wanted. */
  #position: LogPosition;
  #sent = 0;
  #isOver = false;
  /** Ends a pause early. */
  #wake = () => {};
  readonly #timers: ReturnType<typeof setInterval>[];
  readonly #beganAt: number;

  constructor(
    private readonly request: StreamRequest,
    private readonly context: StreamContext,
    private readonly onClosed: (why: StreamEnd) => void,
  ) {
    this.#key = request.key;
    this.#position = request.start;
    this.#beganAt = context.monotonic();
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        // There is room again.
        pull: () => this.#wake(),
        cancel: () => this.end("client-closed"),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }),
    );
    const { heartbeatMs, keyCheckMs } = context.pace;
    this.#timers = [
      setInterval(() => this.#heartbeat(), heartbeatMs).unref(),
      setInterval(() => this.#checkKey(), keyCheckMs).unref(),
    ];
    this.#heartbeat();
    this.#run().catch((error) => this.#fail(error));
  }

  /**
   * A comment, which keeps connections open, and the position, so that a client that has not seen a change for long, or
   * none at all, can go on from there. Without data, clients remember the id but see no event.
   */
  #heartbeat(): void {
    if (this.#hasRoom) this.#write(`: heartbeat\nid: ${encodeLogCursor(this.#position)}\n\n`);
  }

  #checkKey(): void {
    const key = this.request.currentKey();
    if (key) this.#key = key;
    else this.end("key-ended");
  }

  /** May be called again, which changes nothing. */
  end(why: StreamEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const timer of this.#timers) clearInterval(timer);
    if (why !== "client-closed") {
      const data = JSON.stringify({ code: why, detail: STREAM_ENDS[why] });
      this.#controller.enqueue(Buffer.from(`event: end\ndata: ${data}\n\n`));
      this.#controller.close();
    }
    this.#wake();
    this.request.onEnd();
    this.onClosed(why);
    this.context.observe({
      event: "stream-ended",
      keyId: this.#key.id,
      shard: this.request.shard,
      seconds: Math.round((this.context.monotonic() - this.#beganAt) / 1000),
      changes: this.#sent,
      why,
    });
  }

  #fail(error: unknown): void {
    // What the store throws is logged where the change log is read, once for all streams.
    if (!(error instanceof StoreError)) {
      this.context.observe({ event: "failure", requestId: this.request.requestId, error });
    }
    this.end("shard-unavailable");
  }

  async #run(): Promise<void> {
    const { feed } = this.context;
    let failures = 0;
    while (!this.#isOver) {
      // Requests come first: reading all of the log would take a while.
      await new Promise((resolve) => setImmediate(resolve));
      let batch: ChangeBatch | "expired";
      try {
        batch = await feed.read(this.request.shard, this.#position);
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures === MAX_FAILURES) throw error;
        await this.#pause(feed.pollMs);
        continue;
      }
      if (batch === "expired") return this.end("cursor-expired");
      await this.#send(batch.changes.filter((change) => isWanted(change, this.request.filter)));
      if (this.#isOver) return;
      this.#position = batch.end;
      if (batch.isLast) await this.#pause(feed.pollMs);
    }
  }

  /** At the pace of the reader and of the limit. */
  async #send(changes: readonly Change[]): Promise<void> {
    let next = 0;
    while (next < changes.length && !this.#isOver) {
      if (!this.#hasRoom) await this.#pause(this.context.pace.unreadMs);
      if (this.#isOver) return;
      if (!this.#hasRoom) return this.end("slow-reader");
      const chunk = chunkFrom(changes, next);
      const { changesPerMinute } = this.#key.limits;
      const granted = this.context.limits.take(limitId(this.#key), chunk.length, changesPerMinute);
      if (granted > 0) {
        this.#write(chunk.slice(0, granted).map(eventOf).join(""));
        this.#sent += granted;
        this.#position = chunk[granted - 1]!.position;
      }
      next += granted;
      if (granted < chunk.length) await this.#pause(this.context.limits.msToNextMinute());
    }
  }

  get #hasRoom(): boolean {
    return (this.#controller.desiredSize ?? 0) > 0;
  }

  #write(text: string): void {
    if (!this.#isOver) this.#controller.enqueue(Buffer.from(text));
  }

  /** Until there is room again, the stream is over, or the time has passed. */
  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
  }
}

function chunkFrom(changes: readonly Change[], from: number): readonly Change[] {
  let characters = 0;
  let end = from;
  while (end < changes.length && characters < CHUNK_CHARACTERS) {
    characters += changeJson(changes[end]!).length;
    end += 1;
  }
  return changes.slice(from, end);
}

const eventOf = (change: Change): string =>
  `id: ${encodeLogCursor(change.position)}\nevent: change\ndata: ${changeJson(change)}\n\n`;
