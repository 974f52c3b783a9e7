/** In charge of what is done to a record before its transaction: it is brought to its stored form. */

import { storeRecord } from "../document/record.ts";
import type { MatchRecord } from "../domain/match.ts";
import type { StoredMatch } from "../store/store.ts";

/** A record beside the form in which it is kept. */
export interface Prepared {
  record: MatchRecord;
  stored: StoredMatch;
}

/** Compresses outside the transaction, so that writers keep the shard for less time. */
export function prepare(record: MatchRecord): Prepared {
  return { record, stored: storeRecord(record) };
}
