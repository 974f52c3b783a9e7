/** What the change feed keeps while the server runs: open streams, and their limits. */

import type { LiveKey } from "../../access/key-lookup.ts";
import type { ShardRequest } from "../../endpoint/shard-request.ts";
import { gauge, total } from "../../observe/prometheus.ts";
import type { Running, Services } from "../feature.ts";
import { EventStreams, STREAM_PACE } from "./event-stream.ts";
import { ChangeFeed, POLL_MS } from "./feed.ts";
import { FeedLimits } from "./limits.ts";

export const NAME = "changes";

export interface RunningFeed extends Running, Pick<Services, "idleSeconds" | "keepOpen"> {
  streams: EventStreams;
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
  const streams = new EventStreams({ feed, limits, pace, monotonic, observe });
  return {
    ...{ limits, streams, idleSeconds, keepOpen },
    currentKey({ headers }, shard) {
      const header = profile.authorization(headers.get("authorization"));
      const key = keys.find(header, clock.now());
      return key && keys.mayRead(key, shard) ? key : undefined;
    },
    stop: () => streams.stop(),
    families: () => [
      { ...gauge("matchbook_open_streams", "Open streams of changes", streams.size), merge: "sum" },
      total(
        "matchbook_changes_sent_total",
        "Changes of matches sent, in pages and in streams",
        limits.total,
      ),
      streams.ended.family(),
    ],
  };
}
