/**
 * Keeps the derived tables of a shard up to date, and builds those that are new or have changed: in order of the matches, in
 * short transactions between which others may write. One that was interrupted is continued by the next.
 */

import type { MatchKey, Transaction, Writer } from "../store/store.ts";
import { DERIVED_TABLES } from "../store/tables.ts";
import { countActors } from "./count-actors.ts";
import { restore, type StoredRecord } from "./prepare.ts";

/** Changes a table by served matches that came and left. */
type Update = (
  transaction: Transaction,
  came: readonly StoredRecord[],
  left: readonly StoredRecord[],
) => Promise<void>;

const UPDATES: Record<keyof typeof DERIVED_TABLES, Update> = { actorStats: countActors };

const TABLES = (Object.keys(UPDATES) as (keyof typeof UPDATES)[]).map((name) => ({
  table: DERIVED_TABLES[name],
  update: UPDATES[name],
}));

export async function updateDerived(
  transaction: Transaction,
  came: readonly StoredRecord[],
  left: readonly StoredRecord[],
): Promise<void> {
  if (came.length + left.length === 0) return;
  const built = await transaction.builtUpTo();
  for (const { table, update } of TABLES) {
    // What comes after the last match is counted when the build reaches it.
    const isCounted = ({ outline }: StoredRecord) => isUpTo(outline, built.get(table.name));
    await update(transaction, came.filter(isCounted), left.filter(isCounted));
  }
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
  const next = TABLES.find(({ table }) => built.get(table.name) !== "all");
  if (!next) return undefined;
  const { table, update } = next;
  const last = built.get(table.name) as MatchKey | undefined;
  if (!last) await transaction.clearDerived(table);
  const after = last && { fate: { state: "served" } as const, match: last };
  const records = await transaction.records(after, STEP);
  const served = records.filter(({ fate }) => fate.state === "served").map(({ match }) => match);
  await update(transaction, served.map(restore), []);
  await transaction.setBuiltUpTo(table, served.length < STEP ? undefined : served.at(-1));
  return served.length;
}
