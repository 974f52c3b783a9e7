/** The newest served match. */

import { type Steps, select } from "../steps.ts";
import { DamagedData } from "../store.ts";
import { MATCHES } from "../tables.ts";
import { listedDocuments } from "./matches.ts";

const NEWEST_FIRST = "ORDER BY matches.created_at DESC, matches.id DESC";

/** The creation time of the newest served match. */
export function* newestServed(): Steps<number | undefined> {
  const listed = yield* select(MATCHES, `${NEWEST_FIRST} LIMIT 1`);
  return (yield* listedDocuments(listed))[0]?.createdAt;
}

/**
 * The creation time of the newest match that is whole. Damage to matches does not make the shard unavailable, so it is
 * undefined if the latest ones are all damaged.
 */
export function* newestWhole(): Steps<number | undefined> {
  for (const entry of yield* select(MATCHES, `${NEWEST_FIRST} LIMIT 5`)) {
    try {
      return (yield* listedDocuments([entry]))[0]!.createdAt;
    } catch (error) {
      if (!(error instanceof DamagedData)) throw error;
    }
  }
  return undefined;
}
