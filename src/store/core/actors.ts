/** The statistics of actors. */

import { type ActorKey, type ActorTotals, addSums, isNothing } from "../../domain/actors.ts";
import { get, merge, type Steps, select } from "../steps.ts";
import { type ActorRowKey, type ActorRows, type ActorSelection, DamagedData } from "../store.ts";
import { ACTOR_STATS, type ActorRow } from "../tables.ts";
import { requireBuilt } from "./derived.ts";

const IN_ORDER = "ORDER BY actor_stats.game_mode, actor_stats.patch_version, actor_stats.actor";

export const actors = {
  actorTotalsOf,

  *actorTotals(
    isPruned: boolean,
    after: ActorKey | undefined,
    limit: number,
  ): Steps<ActorTotals[]> {
    const { gameMode, patchVersion, actor } = after ?? START;
    const rows = yield* select(
      ACTOR_STATS,
      `WHERE (game_mode, patch_version, actor) > ($1, $2, $3) AND is_pruned = $4::integer
       ${IN_ORDER} LIMIT $5`,
      [gameMode, patchVersion, actor, isPruned ? 1 : 0, limit],
    );
    return rows.map(totalsOf);
  },

  changeActorTotals: (changes: ActorTotals[]) =>
    merge(ACTOR_STATS, changes.map(actorRow), (row, stored) => {
      const sums = stored ? addSums(totalsOf(stored), totalsOf(row)) : totalsOf(row);
      return isNothing(sums) ? undefined : actorRow(sums);
    }),
};

function* actorTotalsOf(keys: readonly ActorRowKey[]): Steps<ActorTotals[]> {
  return (yield* get(ACTOR_STATS, keys.map(keyOf))).map(totalsOf);
}

/** Every pair of values is a range of the key, so that no row is read in vain. */
export function* readActorStats(selection: ActorSelection): Steps<ActorRows> {
  yield* requireBuilt(ACTOR_STATS);
  const { gameModes, patchVersions, limit } = selection;
  const isPatch = patchVersions === undefined ? "" : "AND patch_version = ANY($3::text[])";
  const found = yield* select(
    ACTOR_STATS,
    `WHERE game_mode = ANY($1::text[]) ${isPatch} ${IN_ORDER}, actor_stats.is_pruned LIMIT $2`,
    [gameModes, limit + 1, ...(patchVersions === undefined ? [] : [patchVersions])],
  );
  verifySelected(found, selection);
  return { rows: found.slice(0, limit).map(totalsOf), isTruncated: found.length > limit };
}

/** Throws DamagedData unless rows that were found are selected, each once. */
function verifySelected(
  rows: readonly ActorRow[],
  { gameModes, patchVersions }: ActorSelection,
): void {
  const seen = new Set<string>();
  for (const row of rows) {
    const key = keyText(row);
    const isSelected =
      gameModes.includes(row.game_mode) && (patchVersions?.includes(row.patch_version) ?? true);
    if (!isSelected || seen.has(key)) {
      throw new DamagedData(ACTOR_STATS.name, ACTOR_STATS.label(row));
    }
    seen.add(key);
  }
}

/** Modes are not empty. */
const START: ActorKey = { gameMode: "", patchVersion: "", actor: "" };

const keyOf = ({ gameMode, patchVersion, actor, isPruned }: ActorRowKey) => ({
  game_mode: gameMode,
  patch_version: patchVersion,
  actor,
  is_pruned: isPruned ? 1 : 0,
});

/** Text that identifies a row. Names have no U+0000. */
const keyText = (row: ReturnType<typeof keyOf>): string =>
  `${row.game_mode}\0${row.patch_version}\0${row.actor}\0${row.is_pruned}`;

/** Identifies a row, for maps. */
export const actorRowKey = (key: ActorRowKey): string => keyText(keyOf(key));

/** How a row is called in messages. */
export const actorLabel = (totals: ActorTotals): string => ACTOR_STATS.label(actorRow(totals));

export const totalsOf = (row: ActorRow): ActorTotals => ({
  gameMode: row.game_mode,
  patchVersion: row.patch_version,
  actor: row.actor,
  isPruned: row.is_pruned === 1,
  picks: row.picks,
  wins: row.wins,
  kills: BigInt(row.kills),
  deaths: BigInt(row.deaths),
  assists: BigInt(row.assists),
  gold: BigInt(row.gold),
  farm: BigInt(row.farm),
});

export const actorRow = (totals: ActorTotals): ActorRow => ({
  ...keyOf(totals),
  picks: totals.picks,
  wins: totals.wins,
  kills: totals.kills.toString(),
  deaths: totals.deaths.toString(),
  assists: totals.assists.toString(),
  gold: totals.gold.toString(),
  farm: totals.farm.toString(),
});
