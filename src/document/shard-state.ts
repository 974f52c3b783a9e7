/**
 * What the export of a shard has besides its records: the redacted players, what pruned records left behind of each
 * player and in derived tables, and the prune cutoff. Each is a line of its own, a JSON:API document with `meta` alone.
 */

import { formatTimestamp } from "../domain/time.ts";
import type { PlayerBase, Redaction, StoredRow } from "../store/store.ts";
import type { DerivedTable } from "../store/table.ts";
import { canonicalList, canonicalResource } from "./canonical.ts";
import { restoreNamed } from "./record.ts";

export type ShardState =
  | { kind: "redacted"; redaction: Redaction }
  | { kind: "base"; base: PlayerBase }
  | { kind: "kept"; table: DerivedTable; row: StoredRow }
  /** `left`: how many records of the export are older than the cutoff, because they are not removed yet. */
  | { kind: "pruned"; before: number; left: number };

/** One line of JSON. Equal states give equal lines. */
export const stateDocument = (shard: string, state: ShardState): string =>
  `{"meta":{"matchbook":{"shard":${JSON.stringify(shard)},"${state.kind}":${stateText(state)}}}}`;

function stateText(state: ShardState): string {
  if (state.kind === "base") return baseText(state.base);
  if (state.kind === "kept") return keptText(state.table, state.row);
  if (state.kind === "pruned") {
    return JSON.stringify({ before: formatTimestamp(state.before), left: state.left });
  }
  const { playerId, redactedAt } = state.redaction;
  return JSON.stringify({ player: playerId, redactedAt: formatTimestamp(redactedAt) });
}

/** Without the column that is the same in all of them. */
function keptText({ name, columns, derived }: DerivedTable, row: StoredRow): string {
  const names = Object.keys(columns).filter((column) => column !== derived.keeps);
  return JSON.stringify({
    table: name,
    ...Object.fromEntries(names.map((one) => [one, row[one]])),
  });
}

function baseText({ id, rankedEvidence, standing }: PlayerBase): string {
  const base = `"player":${JSON.stringify(id)},"rankedEvidence":${rankedEvidence}`;
  if (!standing) return `{${base}}`;
  const { totals, run, latest, snapshot } = standing;
  const { carried, companions } = restoreNamed(snapshot).players[0]!;
  const numbers = JSON.stringify({
    played: totals.played,
    wins: totals.wins,
    playedRanked: totals.playedRanked,
    rankedWins: totals.rankedWins,
    // It can be larger than JSON numbers are exact.
    gold: String(totals.gold),
    streak: run,
    latestMatch: latest.matchId,
    latestAt: formatTimestamp(latest.createdAt),
  });
  return `{${base},"standing":${numbers.slice(0, -1)},"resource":${canonicalResource(carried)},"companions":[${canonicalList(companions)}]}}`;
}
