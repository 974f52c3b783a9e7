/** Follows the changes of a shard: one stream after another, resumed after the last change. */

import { type ErrorKind, MatchbookError } from "./errors.ts";
import { streamEnded, unreadableEvent, withoutRecords } from "./failures.ts";
import { linkedOne } from "./graph.ts";
import type { ChangesQuery } from "./query.ts";
import type { RawResource } from "./resource.ts";
import type { Change } from "./resources.ts";
import { Connection } from "./stream.ts";
import type { Transport } from "./transport.ts";

/** Pauses before reconnections: they double from the first to the last. */
const FIRST_PAUSE_MS = 1000;
const LAST_PAUSE_MS = 30_000;

type Options = Pick<ChangesQuery, "after" | "signal" | "onOpen" | "onReconnect">;

/** Throws what retrying cannot fix, and the reason of the signal. */
export async function* followChanges(
  transport: Transport,
  pathAfter: (cursor: string | undefined) => string,
  { after, signal, onOpen = () => {}, onReconnect = () => {} }: Options,
): AsyncGenerator<Change, void, undefined> {
  let cursor = after;
  /** Since a stream last worked. */
  let failures = 0;
  for (;;) {
    let failure: unknown;
    const connection = new Connection(transport, signal);
    try {
      // A stream without a cursor could not be resumed before its first change.
      cursor ??= await endOfLog(connection, pathAfter(undefined));
      let isOpen = false;
      for await (const { event, data, id } of connection.items(pathAfter(cursor))) {
        signal?.throwIfAborted();
        if (event === "end") throw streamEnded(data);
        // The first item only shows that the stream is open: the service sends a comment at once.
        if (isOpen) failures = 0;
        else onOpen();
        isOpen = true;
        if (id !== "") cursor = id;
        if (event === "change") yield readChange(data);
      }
    } catch (error) {
      failure = error;
    } finally {
      connection.close();
    }
    if (!isTemporary(failure)) throw failure;
    const pause = pauseAfter(failure, failures);
    failures += 1;
    onReconnect(failure, pause);
    await transport.wait(pause, signal);
  }
}

/** The cursor after the newest change. */
async function endOfLog(connection: Connection, path: string): Promise<string> {
  const document = (await connection.document(path)) as { links?: { next?: unknown } } | null;
  const next = String(document?.links?.next);
  const cursor = URL.canParse(next) && new URL(next).searchParams.get("page[after]");
  if (!cursor) throw withoutRecords();
  return cursor;
}

function readChange(data: string): Change {
  const raw = parsed(data);
  if (raw?.type !== "change" || typeof raw.id !== "string") throw unreadableEvent();
  return linkedOne<Change>({ data: raw });
}

function parsed(data: string): RawResource | null {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

const TEMPORARY: ReadonlySet<string> = new Set<ErrorKind>(["limited", "unavailable", "network"]);

const isTemporary = (error: unknown): error is MatchbookError =>
  error instanceof MatchbookError && TEMPORARY.has(error.kind);

function pauseAfter({ retryAfter }: MatchbookError, failures: number): number {
  if (retryAfter === 0 && failures === 0) return 0;
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** failures, LAST_PAUSE_MS);
  // Random, so that clients that lost the same server do not return at the same time.
  const pause = longest * (0.5 + Math.random() / 2);
  return Math.max(pause, (retryAfter ?? 0) * 1000);
}
