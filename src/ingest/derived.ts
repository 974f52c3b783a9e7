/**
 * Keeps the derived tables of a shard up to date, and builds those that are new or have changed: in order of the matches, in
 * short transactions between which others may write. One that was interrupted is continued by the next.
 */

import type { DerivedChange, DerivedData, Outlined } from "../features/feature.ts";
import { FEATURES } from "../features/list.ts";
import type { MatchKey, Transaction, Writer } from "../store/store.ts";
import type { DerivedTable } from "../store/table.ts";
import { restore } from "./prepare.ts";

const DERIVED: readonly DerivedData[] = FEATURES.flatMap(({ derived = [] }) => derived);

type Versioned = DerivedData & { table: DerivedTable };

const isVersioned = (data: DerivedData): data is Versioned => data.table.derived !== undefined;

/** Called when those that left are removed, and before those that came are added. */
export async function updateDerived(
  transaction: Transaction,
  change: DerivedChange,
  isRebuild: boolean,
): Promise<void> {
  if (change.came.length + change.left.length === 0) return;
  const built = await transaction.builtUpTo();
  for (const data of DERIVED) {
    if (isRebuild && data.rebuild) continue;
    // What comes after the last match is counted when the build reaches it.
    const isCounted = ({ outline }: Outlined) =>
      !isVersioned(data) || isUpTo(outline, built.get(data.table.name));
    const counted = { came: change.came.filter(isCounted), left: change.left.filter(isCounted) };
    await data.update(transaction, { ...change, ...counted });
  }
}

export async function keepPruned(
  transaction: Transaction,
  pruned: readonly Outlined[],
): Promise<void> {
  for (const data of DERIVED) await data.prune?.(transaction, pruned);
}

/** Computes what `updateDerived` leaves out of a rebuild, when all records are there. */
export async function finishRebuild(transaction: Transaction): Promise<void> {
  for (const data of DERIVED) await data.rebuild?.(transaction);
}

const isUpTo = ({ createdAt, id }: MatchKey, last: MatchKey | "all" | undefined): boolean =>
  last === "all" ||
  (last !== undefined &&
    (createdAt < last.createdAt || (createdAt === last.createdAt && id <= last.id)));

/** Matches per transaction. */
const STEP = 200;

export interface BuildOptions {
  /** The pause after each transaction, as a multiple of the time it took: other writers get their turn. */
  rest: number;
  /** Aborting it ends the build after the current transaction. */
  signal: AbortSignal;
}

/** Builds what is incomplete. Returns how many matches were counted. */
export async function buildDerived(writer: Writer, options: BuildOptions): Promise<number> {
  const { rest, signal } = options;
  let matches = 0;
  while (!signal.aborted) {
    const began = performance.now();
    const counted = await writer.write((transaction) => buildNext(transaction));
    if (counted === undefined) break;
    matches += counted;
    await Bun.sleep(rest * (performance.now() - began));
  }
  return matches;
}

/** Counts the next matches of the first table that is incomplete. Undefined if there is none. */
async function buildNext(transaction: Transaction): Promise<number | undefined> {
  const built = await transaction.builtUpTo();
  const next = DERIVED.filter(isVersioned).find(({ table }) => built.get(table.name) !== "all");
  if (!next) return undefined;
  const { table, update } = next;
  const last = built.get(table.name) as MatchKey | undefined;
  if (!last) await transaction.clearDerived(table);
  const after = last && { fate: { state: "served" } as const, match: last };
  const records = await transaction.records(after, STEP);
  const served = records.filter(({ fate }) => fate.state === "served").map(({ match }) => match);
  const change = { came: served.map(restore), left: [], newestBefore: last?.createdAt };
  await update(transaction, change);
  await transaction.setBuiltUpTo(table, served.length < STEP ? undefined : served.at(-1));
  return served.length;
}
