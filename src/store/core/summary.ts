/** What a shard reports about itself. */

import { noneWithheld, type WithheldReason } from "../../domain/visibility.ts";
import { query, type Steps } from "../steps.ts";
import type { Counts, Summary } from "../store.ts";
import { newestWhole } from "./newest.ts";
import { readShard } from "./shard.ts";

/** The cost does not depend on the amount of data. */
export function* readSummary(): Steps<Summary> {
  const { teams: _, ...summary } = yield* totals();
  return summary;
}

function* totals(): Steps<Summary & { teams: number }> {
  const { matches, players, teams, pruned_before } = yield* readShard();
  const newest = yield* newestWhole();
  const isPruned = newest !== undefined && pruned_before !== null && newest < pruned_before;
  return { matches, players, teams, newestMatch: isPruned ? undefined : newest };
}

/** Counts withheld records with an index scan; only operators need them. */
export function* readCounts(): Steps<Omit<Counts, "bytes">> {
  const { matches: served, ...summary } = yield* totals();
  const withheld = noneWithheld();
  const rows = yield* query<{ reason: WithheldReason; matches: number }>(
    "SELECT reason, count(*)::float8 AS matches FROM {records} WHERE reason IS NOT NULL GROUP BY reason",
  );
  for (const { reason, matches } of rows) withheld[reason] = matches;
  return { served, withheld, ...summary };
}

export function* countOlder(before: number): Steps<{ served: number; withheld: number }> {
  const [row] = yield* query<{ served: number; withheld: number }>(
    `SELECT (SELECT count(*) FROM {matches} AS matches WHERE created_at < $1::bigint)::float8 AS served,
       (SELECT count(*) FROM {records} AS records WHERE reason IS NOT NULL AND created_at < $1::bigint)::float8 AS withheld`,
    [before],
  );
  return row!;
}
