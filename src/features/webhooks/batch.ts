/** Reads the changes of a delivery from the log of a shard, and writes its body. */

import { formatTimestamp } from "../../domain/time.ts";
import type { Change, LogPosition, Reader } from "../../store/store.ts";
import { changeResource } from "../changes/resource.ts";

const MAX_CHANGES = 100;
/** How many changes of the log are read for a delivery at most. A hook for some players skips the others. */
const MAX_EXAMINED = 1000;

export interface Selection {
  changes: Change[];
  end: LogPosition;
}

/** The changes after a position. Undefined if the position is not in the log. */
export async function nextChanges(
  reader: Pick<Reader, "changes">,
  after: LogPosition,
  players: readonly string[],
): Promise<Selection | undefined> {
  const isWanted = wantedBy(players);
  let end = after;
  while (end.number - after.number < MAX_EXAMINED) {
    const batch = await reader.changes(end, MAX_CHANGES);
    if (!batch) return undefined;
    const changes = batch.changes.filter(isWanted);
    end = batch.end;
    if (changes.length > 0 || batch.isLast) return { changes, end };
  }
  return { changes: [], end };
}

/** The changes of a batch that was read before. Changes of matches that were removed since then are left out. */
export async function changesUpTo(
  reader: Pick<Reader, "changes">,
  after: LogPosition,
  end: LogPosition,
  players: readonly string[],
): Promise<Change[] | undefined> {
  const isWanted = wantedBy(players);
  const changes: Change[] = [];
  for (let at = after; at.number < end.number; ) {
    const batch = await reader.changes(at, Math.min(MAX_CHANGES, end.number - at.number));
    // Another state of the shard was put back, which may be shorter.
    if (!batch || batch.end.number === at.number) return undefined;
    changes.push(...batch.changes.filter(isWanted));
    at = batch.end;
    if (at.number === end.number && at.tag !== end.tag) return undefined;
  }
  return changes;
}

function wantedBy(players: readonly string[]): (change: Change) => boolean {
  if (players.length === 0) return () => true;
  const wanted = new Set(players);
  return (change) => change.players.some((id) => wanted.has(id));
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
