/** What the change feed keeps while the server runs: open streams, and their limits. */

import type { LiveKey } from "../../access/key-lookup.ts";
import type { ShardRequest } from "../../endpoint/shard-request.ts";
import { Counter, gauge, total } from "../../observe/prometheus.ts";
import type { Running, Services } from "../feature.ts";
import { EventStream, STREAM_PACE, type StreamRequest } from "./event-stream.ts";
import { STREAM_ENDS } from "./events.ts";
import { ChangeFeed, POLL_MS } from "./feed.ts";
import { FeedLimits } from "./limits.ts";

export const NAME = "changes";

export interface RunningFeed extends Running, Pick<Services, "idleSeconds" | "keepOpen"> {
  openStream(request: StreamRequest): ReadableStream<Uint8Array>;
  limits: FeedLimits;
  /** The key of a request as it is now; undefined if it is not valid any more, or may not read this shard. */
  currentKey(request: Request, shard: string): LiveKey | undefined;
}

export const feedOf = ({ running }: ShardRequest): RunningFeed => running.get(NAME) as RunningFeed;

export function startFeed(services: Services): RunningFeed {
  const { shards, keys, profile, clock, observe, idleSeconds, keepOpen } = services;
  const { pollMs, ...pace } = { pollMs: POLL_MS, ...STREAM_PACE, ...services.pace };
  const feed = new ChangeFeed(shards, observe, pollMs);
  const limits = new FeedLimits(clock);
  const { monotonic } = clock;
  const context = { feed, limits, pace, monotonic, observe };
  const open = new Set<EventStream>();
  const ended = new Counter(
    "matchbook_streams_ended_total",
    "Streams of changes that have ended, by reason",
    ["reason"],
  );
  for (const reason of Object.keys(STREAM_ENDS)) ended.add([reason], 0);
  let isStopping = false;
  return {
    ...{ limits, idleSeconds, keepOpen },
    openStream(request) {
      const stream = new EventStream(request, context, (why) => {
        ended.add([why]);
        open.delete(stream);
      });
      open.add(stream);
      if (isStopping) stream.end("stopping");
      return stream.body;
    },
    currentKey({ headers }, shard) {
      const header = profile.authorization(headers.get("authorization"));
      const key = keys.find(header, clock.now());
      return key && keys.mayRead(key, shard) ? key : undefined;
    },
    /** Ends all streams, now and from now on. */
    stop() {
      isStopping = true;
      for (const stream of open) stream.end("stopping");
    },
    families: () => [
      { ...gauge("matchbook_open_streams", "Open streams of changes", open.size), merge: "sum" },
      total(
        "matchbook_changes_sent_total",
        "Changes of matches sent, in pages and in streams",
        limits.total,
      ),
      ended.family(),
    ],
  };
}
