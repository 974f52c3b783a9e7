/** What the change feed reports. */

import { error, type Failed, info, type OfShard } from "../../observe/events.ts";

/** Why a stream ends, and the text that its client gets. */
export const STREAM_ENDS = {
  // Nobody is there to be told.
  "client-closed": "",
  "slow-reader":
    "The client has not read what was sent to it. Connect again with the last id, and read faster or use filters.",
  "cursor-expired":
    "The cursor is not in the change log any more. Request /changes without a cursor, read /matches again, delete what it does not list, and go on from links.next.",
  stopping: "The server is stopping. Connect again with the last id.",
  "key-ended": "The key is expired or revoked, or has no access to this shard any more.",
  "shard-unavailable": "This shard is temporarily unavailable. Connect again with the last id.",
};

export type StreamEnd = keyof typeof STREAM_ENDS;

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
