/**
 * The patches that a region's matches were played on. The API has no list of them, so that some matches from
 * the oldest to the newest are looked at; any other patch can be typed.
 */

import type { Matchbook, Shard } from "../../../client/src/index.ts";
import type { Source } from "./suggestions.ts";

const DAY = 86_400_000;
/** Before any match. */
const BEGINNING = "1970-01-01T00:00:00Z";
/** The newest match before each of these times, in days ago. */
const DAYS_AGO = [0, 10, 20] as const;

/** By region; kept until the page is reloaded. */
const seen = new Map<string, readonly string[]>();

/** The patches that begin with the text. */
export function patchesOf(matchbook: Matchbook, shard: string): Source<readonly string[]> {
  const known = (text: string) => seen.get(shard)?.filter((patch) => patch.startsWith(text));
  return {
    known,
    async fetch(text, signal) {
      seen.set(shard, await patchesSeen(matchbook.shard(shard), Date.now(), signal));
      return known(text) ?? [];
    },
  };
}

/** Newest first, each once. Matches without a patch are left out. */
export async function patchesSeen(
  shard: Shard,
  now: number,
  signal: AbortSignal,
): Promise<string[]> {
  const one = {
    createdAtStart: BEGINNING,
    limit: 1,
    include: [],
    fields: { match: ["patchVersion"] },
    signal,
  };
  const pages = await Promise.all([
    ...DAYS_AGO.map((days) =>
      shard
        .matches({ ...one, sort: "-createdAt", createdAtEnd: new Date(now - days * DAY) })
        .page(),
    ),
    shard.matches({ ...one, sort: "createdAt" }).page(),
  ]);
  const patches = pages.flatMap(({ items }) => items.map(({ patchVersion }) => patchVersion));
  return [...new Set(patches.filter((patch) => patch !== undefined))].filter(
    (patch) => patch.trim() !== "",
  );
}
