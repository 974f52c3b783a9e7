/** The table of hero statistics: declares it, updates it with the served matches and reads it. */

import { COUNTED_MODES } from "../../domain/modes.ts";
import { requireBuilt } from "../../store/core/built.ts";
import { merge, type Steps, select } from "../../store/steps.ts";
import { DamagedData, type Transaction } from "../../store/store.ts";
import { bigint, declareTable, integer, type RowIn, text, type Value } from "../../store/table.ts";
import type { DerivedChange, Outlined } from "../feature.ts";
import {
  ALL_MATCHES,
  addSums,
  addUp,
  HERO_STAT_NAMES,
  type HeroTotals,
  isNothing,
  keyOf,
  MAX_HERO_LENGTH,
  ofStats,
} from "./statistics.ts";

/**
 * Sums over the stored matches, and (is_pruned) over those that were pruned; the hero '' counts matches. Sums of stats can
 * be larger than integers of a database.
 */
export const HERO_STATS = declareTable("hero_stats", {
  columns: {
    game_mode: text,
    patch_version: text,
    hero: text,
    is_pruned: integer,
    picks: bigint,
    wins: bigint,
    ...ofStats(() => text),
  },
  key: ["game_mode", "patch_version", "hero", "is_pruned"],
  hasRowids: true,
  isChecked: true,
  derived: { version: 1, keeps: "is_pruned", problems: problemsIn },
  label: ({ hero, game_mode, patch_version }) =>
    `${hero === ALL_MATCHES ? "all matches" : hero} in ${game_mode} ${patch_version}`,
});
type HeroRow = RowIn<typeof HERO_STATS>;

/** Bounded, because sums are served as numbers. */
const SUM = /^(0|-?[1-9]\d{0,299})$/;

function problemsIn(row: Record<string, Value>): string[] {
  const sums = HERO_STAT_NAMES.filter((name) => !SUM.test(String(row[name])));
  return [
    ...sums.map((name) => `kept.${name} must be an integer, as a text`),
    ...(COUNTED_MODES.includes(row.game_mode as string)
      ? []
      : [`kept.game_mode must be one of ${COUNTED_MODES.join(", ")}`]),
    ...((row.hero as string).length > MAX_HERO_LENGTH ? ["kept.hero is too long"] : []),
    ...((row.wins as number) > (row.picks as number)
      ? ["kept.wins must not be more than kept.picks"]
      : []),
  ];
}

export interface HeroSelection {
  gameModes: readonly string[];
  /** Undefined: any. */
  patchVersions: readonly string[] | undefined;
  limit: number;
}

/** Adds to the statistics; each key is there once. Rows without anything are deleted. */
export const changeTotals = (changes: HeroTotals[]): Steps<void> =>
  merge(HERO_STATS, changes.map(rowOf), (row, stored) => {
    const sums = stored ? addSums(totalsOf(stored), totalsOf(row)) : totalsOf(row);
    return isNothing(sums) ? undefined : rowOf(sums);
  });

export async function countHeroes(
  transaction: Transaction,
  { came, left }: DerivedChange,
): Promise<void> {
  const added = came.map(({ outline }) => [outline, 1] as const);
  const removed = left.map(({ outline }) => [outline, -1] as const);
  await transaction.run(() => changeTotals(addUp([...added, ...removed])));
}

/** Pruned matches go on counting. */
export async function keepPruned(
  transaction: Transaction,
  pruned: readonly Outlined[],
): Promise<void> {
  const kept = pruned.map(({ outline }) => [outline, 1] as const);
  await transaction.run(() => changeTotals(addUp(kept, 1)));
}

/** Every pair of values is a range of the key, so that no row is read in vain. `isTruncated`: there are more. */
export function* readHeroes(
  selection: HeroSelection,
): Steps<{ rows: HeroTotals[]; isTruncated: boolean }> {
  yield* requireBuilt(HERO_STATS);
  const { gameModes, patchVersions, limit } = selection;
  const isPatch = patchVersions === undefined ? "" : "AND patch_version = ANY($3::text[])";
  const found = yield* select(
    HERO_STATS,
    `WHERE game_mode = ANY($1::text[]) ${isPatch} ORDER BY hero_stats.game_mode, hero_stats.patch_version, hero_stats.hero,
       hero_stats.is_pruned LIMIT $2`,
    [gameModes, limit + 1, ...(patchVersions === undefined ? [] : [patchVersions])],
  );
  verifySelected(found, selection);
  return { rows: found.slice(0, limit).map(totalsOf), isTruncated: found.length > limit };
}

/** Throws DamagedData unless rows that were found are selected, each once. */
function verifySelected(
  rows: readonly HeroRow[],
  { gameModes, patchVersions }: HeroSelection,
): void {
  const seen = new Set<string>();
  for (const row of rows) {
    const key = keyOf(row);
    const isSelected =
      gameModes.includes(row.game_mode) && (patchVersions?.includes(row.patch_version) ?? true);
    if (!isSelected || seen.has(key)) {
      throw new DamagedData(HERO_STATS.name, HERO_STATS.label(row));
    }
    seen.add(key);
  }
}

/** How a row is called in messages. */
export const labelOf = (totals: HeroTotals): string => HERO_STATS.label(rowOf(totals));

/** Rows that were read also have a checksum. */
export const totalsOf = (row: HeroRow): HeroTotals => {
  const { game_mode, patch_version, hero, is_pruned, picks, wins } = row;
  const stats = ofStats((name) => BigInt(row[name]));
  return { game_mode, patch_version, hero, is_pruned, picks, wins, ...stats };
};

const rowOf = (totals: HeroTotals): HeroRow => ({
  ...totals,
  ...ofStats((name) => totals[name].toString()),
});
