/** Decodes records that may be damaged although their checksums are right. The check of the records reports them. */

import { restoreCarried, restoreRecord } from "../document/record.ts";
import { type Outline, outlineOf } from "../ingest/prepare.ts";
import type { Fragment, ShardRecord } from "../store/store.ts";

/** Those that can be decoded. */
export function outlinesOf(records: readonly ShardRecord[]): Outline[] {
  return records.flatMap(({ match }) => {
    try {
      return [outlineOf(restoreRecord(match))];
    } catch {
      return [];
    }
  });
}

export function carriedOf(snapshot: Fragment): ReturnType<typeof restoreCarried> {
  try {
    return restoreCarried(snapshot);
  } catch {
    return { players: [], teams: [] };
  }
}
