/** What the change feed reports: events, and their texts in the log. */

import { type EventTexts, error, info } from "../../observe/log-messages.ts";

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

declare module "../../observe/events.ts" {
  interface FeatureEvents {
    /** A stream of changes has ended, after it sent so many. */
    "stream-ended": {
      keyId: string;
      shard: string;
      seconds: number;
      changes: number;
      why: StreamEnd;
    };
    /** Those who waited for changes of this shard were told so, after several attempts to read its change log. */
    "changes-unreadable": { shard: string; error: unknown };
  }
}

export const EVENTS: Partial<EventTexts> = {
  "stream-ended": info(
    (e, paint) =>
      `stream of shard ${e.shard} ended: ${e.why} ${paint("dim", `${e.changes} changes in ${e.seconds} s, ${e.keyId}`)}`,
  ),
  "changes-unreadable": error(
    (e, paint) =>
      `${paint("red", `cannot read the changes of shard ${e.shard}; streams of them are ended`)}: ${e.error.message}`,
  ),
};
