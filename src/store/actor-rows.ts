/** The rows of `actor_stats`, for both adapters: their checksums, and how changes apply to them. */

import { type ActorTotals, ALL_MATCHES, addSums, isNothing } from "../domain/actors.ts";
import { checksum } from "./checksum.ts";
import { type ActorRowKey, DamagedData } from "./store.ts";

/** Sums can be larger than integers of a database. */
export interface ActorRow {
  game_mode: string;
  patch_version: string;
  actor: string;
  is_pruned: number;
  picks: number;
  wins: number;
  kills: string;
  deaths: string;
  assists: string;
  gold: string;
  farm: string;
  checksum: number;
}

/** In the order of the table. */
export const ACTOR_COLUMNS = [
  "game_mode",
  "patch_version",
  "actor",
  "is_pruned",
  "picks",
  "wins",
  "kills",
  "deaths",
  "assists",
  "gold",
  "farm",
  "checksum",
] as const satisfies readonly (keyof ActorRow)[];

export const ACTOR_KEY_COLUMNS = ACTOR_COLUMNS.slice(0, 4);

export const actorChecksum = (row: Omit<ActorRow, "checksum">): number =>
  checksum([
    row.game_mode,
    row.patch_version,
    row.actor,
    row.is_pruned,
    row.picks,
    row.wins,
    row.kills,
    row.deaths,
    row.assists,
    row.gold,
    row.farm,
  ]);

/** How a row is called in messages. */
export const actorLabel = (row: Pick<ActorRow, "game_mode" | "patch_version" | "actor">): string =>
  `${row.actor === ALL_MATCHES ? "all matches" : row.actor} in ${row.game_mode} ${row.patch_version}`;

/** Throws DamagedData unless the row is whole. */
export function readActor(row: ActorRow): ActorTotals {
  if (row.checksum !== actorChecksum(row)) {
    throw new DamagedData("actor_stats", actorLabel(row));
  }
  return {
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
  };
}

export function writeActor(totals: ActorTotals): ActorRow {
  const row = {
    game_mode: totals.gameMode,
    patch_version: totals.patchVersion,
    actor: totals.actor,
    is_pruned: totals.isPruned ? 1 : 0,
    picks: totals.picks,
    wins: totals.wins,
    kills: totals.kills.toString(),
    deaths: totals.deaths.toString(),
    assists: totals.assists.toString(),
    gold: totals.gold.toString(),
    farm: totals.farm.toString(),
  };
  return { ...row, checksum: actorChecksum(row) };
}

/** Text that identifies a row. Names have no U+0000. */
export const actorRowKey = ({ gameMode, patchVersion, actor, isPruned }: ActorRowKey): string =>
  `${gameMode}\0${patchVersion}\0${actor}\0${isPruned ? 1 : 0}`;

/** The rows after changes: those to write, and those that are nothing any more. */
export function changedRows(
  present: readonly ActorTotals[],
  changes: readonly ActorTotals[],
): { put: ActorRow[]; removed: ActorTotals[] } {
  const before = new Map(present.map((one) => [actorRowKey(one), one]));
  const put: ActorRow[] = [];
  const removed: ActorTotals[] = [];
  for (const change of changes) {
    const known = before.get(actorRowKey(change));
    const now = known ? addSums(known, change) : change;
    if (!isNothing(now)) put.push(writeActor(now));
    else if (known) removed.push(now);
  }
  return { put, removed };
}

/** Whether rows that were found are those of one range of the table, each once. Throws DamagedData. */
export function verifyActors(
  rows: readonly ActorTotals[],
  isSelected: (row: ActorTotals) => boolean,
): void {
  const seen = new Set<string>();
  for (const row of rows) {
    const key = actorRowKey(row);
    if (seen.has(key) || !isSelected(row)) {
      throw new DamagedData("actor_stats", actorLabel(writeActor(row)));
    }
    seen.add(key);
  }
}
