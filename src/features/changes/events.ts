/** What the change feed reports. */

import { error, type Failed, info, type OfShard } from "../../observe/events.ts";

/** Why a stream ends. "client-closed": the client has closed the connection. */
export const STREAM_ENDS = [
  "client-closed",
  "slow-reader",
  "cursor-expired",
  "stopping",
  "key-ended",
  "shard-unavailable",
] as const;

export type StreamEnd = (typeof STREAM_ENDS)[number];

export const EVENTS = {
  /** A stream of changes has ended, of which so many were sent. */
  "stream-ended": info<
    OfShard & { keyId: string; seconds: number; changes: number; why: StreamEnd }
  >(),
  /** The change log of this shard could not be read, several times in a row. */
  "changes-unreadable": error<OfShard & Failed>("streams of them are ended"),
};

type FeedEvents = typeof EVENTS;

declare module "../../observe/events.ts" {
  interface FeatureEvents extends FeedEvents {}
}
