/** Reads the changes of a delivery from the log of a shard, and writes its body. */

import { formatTimestamp } from "../../domain/time.ts";
import type { Change, LogPosition, Reader } from "../../store/store.ts";
import { isWanted } from "../changes/filter.ts";
import { changeResource } from "../changes/resource.ts";
import { isSame } from "./stored.ts";

const MAX_CHANGES = 100;
/** How many changes of the log are read for a delivery at most. A hook for some players skips the others. */
const MAX_EXAMINED = 1000;

export interface Selection {
  changes: Change[];
  end: LogPosition;
}

/**
 * The changes after a position: the first of them, or those of a batch that was read before, up to its end, of which changes
 * of matches that were removed since then are left out. Undefined if the log does not have the position or the end.
 */
export async function readChanges(
  reader: Pick<Reader, "changes">,
  after: LogPosition,
  players: readonly string[],
  end: LogPosition | undefined,
): Promise<Selection | undefined> {
  const filter = { players: players.length > 0 ? [new Set(players)] : [], teams: [] };
  const last = end?.number ?? after.number + MAX_EXAMINED;
  const found: Selection = { changes: [], end: after };
  while (found.end.number < last && (end || found.changes.length === 0)) {
    const batch = await reader.changes(found.end, Math.min(MAX_CHANGES, last - found.end.number));
    if (!batch) return undefined;
    found.changes.push(...batch.changes.filter((change) => isWanted(change, filter)));
    found.end = batch.end;
    if (batch.isLast) break;
  }
  // Otherwise another state of the shard was put back.
  return end === undefined || isSame(found.end, end) ? found : undefined;
}

export function changesBody(
  shard: string,
  changes: readonly Change[],
  startedAt: number,
  isGap: boolean,
): string {
  return JSON.stringify({
    type: "matches.changed",
    timestamp: formatTimestamp(startedAt),
    data: { shard, ...(isGap ? { gap: true } : {}), changes: changes.map(changeResource) },
  });
}

export const testBody = (hook: string, now: number): string =>
  JSON.stringify({ type: "test", timestamp: formatTimestamp(now), data: { hook } });
