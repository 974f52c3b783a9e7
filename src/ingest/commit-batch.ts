/**
 * Commits a batch of records to a shard in one transaction: finds what is new, decides what is served,
 * moves the matches whose visibility this changes, and updates the players and teams concerned.
 *
 * The outcome depends on the set of records only. Evidence that players are ranked is counted for the
 * whole batch before any match is judged. Private matches are never such evidence through being served,
 * so judging them once is enough.
 */

import { restoreRecord } from "../document/record.ts";
import { type MatchFacts, resultOf, rosterPlayers } from "../domain/match.ts";
import { redact } from "../domain/redact.ts";
import { needsRankedPlayer, visibility, type WithheldReason } from "../domain/visibility.ts";
import type { Fate, MatchEntry, ShardRecord, Transaction } from "../store/store.ts";
import { updateDerived } from "./derived.ts";
import { type Outline, prepare, restore, type StoredRecord } from "./prepare.ts";
import { type PendingNamed, updatePlayers, updateTeams } from "./update-players.ts";

export type Outcome =
  | { kind: "stored" }
  | { kind: "withheld"; reason: WithheldReason }
  | { kind: "duplicate" }
  | { kind: "conflict" }
  | { kind: "pruned" };

export interface Accepted {
  /** One for each record, in their order. */
  outcomes: Outcome[];
  /** How many matches that were withheld before are served now. */
  released: number;
}

/** A shard that is rebuilt, by many batches in one transaction. */
export interface Rebuilding {
  named: PendingNamed;
  /** Records that were created before this time stay what they are, as after a prune that was interrupted. */
  prunedBefore: number | undefined;
  fates: ReadonlyMap<string, Fate>;
  /** Whether withheld records may name redacted players: a redaction rewrites them last, and may have been interrupted. */
  keepsWithheld: boolean;
  /** Called with what is going to be served, also records of earlier batches that this one releases. */
  onServed(served: readonly Pick<Known, "outline">[]): Promise<void>;
}

/** Of a shard that is rebuilt, `named` and the recent matches have to be written at the end. */
export async function applyBatch(
  transaction: Transaction,
  received: readonly StoredRecord[],
  options: { replace: boolean; rebuilding?: Rebuilding },
): Promise<Accepted> {
  const { rebuilding, replace } = options;
  const redactions = await transaction.redactions();
  const isKept = ({ outline }: StoredRecord) =>
    rebuilding?.keepsWithheld === true && rebuilding.fates.get(outline.id)?.state === "withheld";
  const redacted = new Set(redactions.map(({ playerId }) => playerId));
  const batch = withoutPlayers(received, redacted, isKept);
  const cutoff = (await transaction.prunedBefore()) ?? Number.NEGATIVE_INFINITY;
  const { outcomes, arriving, leaving } = await classify(transaction, batch, cutoff, replace);
  const change = await decideVisibility(
    transaction,
    arriving,
    leaving,
    rebuilding?.prunedBefore ?? cutoff,
    rebuilding?.fates,
  );

  await rebuilding?.onServed(change.served);
  const newestBefore = rebuilding ? undefined : await transaction.newestServed();
  await transaction.removeServed(change.unserved.map(entry));
  const served = { came: change.served, left: change.unserved, newestBefore };
  await updateDerived(transaction, served, rebuilding !== undefined);
  await transaction.removeWithheld(change.unwithheld.map(({ outline }) => outline.id));
  await transaction.addServed(change.served.map(entry));
  await transaction.addWithheld(
    change.withheld.map(({ stored, reason }) => ({ ...stored, reason })),
  );
  await transaction.removeDependents(leaving.flatMap(({ outline }) => dependencies(outline)));
  await transaction.addDependents(arriving.flatMap(({ outline }) => dependencies(outline)));
  await transaction.changeVocabulary(
    countChange(change.served, change.unserved, ({ words }) => words),
  );
  await updatePlayers(transaction, change.served, change.unserved, rebuilding?.named);
  await updateTeams(transaction, change.served, change.unserved, rebuilding?.named);

  const reasons = new Map(change.withheld.map(({ outline, reason }) => [outline.id, reason]));
  return {
    outcomes: outcomes.map((outcome, index) => {
      const reason = reasons.get(batch[index]!.outline.id);
      return outcome.kind === "stored" && reason ? { kind: "withheld", reason } : outcome;
    }),
    released: change.released,
  };
}

/** Redacted players are removed before records are compared, so that a record that is sent again is a duplicate. */
function withoutPlayers(
  batch: readonly StoredRecord[],
  redacted: ReadonlySet<string>,
  isKept: (record: StoredRecord) => boolean,
): readonly StoredRecord[] {
  if (redacted.size === 0) return batch;
  return batch.map((record) =>
    namesAny(record.outline, redacted) && !isKept(record)
      ? prepare(redact(restoreRecord(record.stored), redacted))
      : record,
  );
}

/** Whether a record names one of these players, as a participant or only mentioned. */
export const namesAny = (
  { players }: { players: readonly { id: string }[] },
  ids: ReadonlySet<string>,
): boolean => players.some(({ id }) => ids.has(id));

export interface Known extends StoredRecord {
  fate: Fate;
}

/**
 * Separates new records from known ones, and from those that are older than the prune cutoff. The first record with an
 * id stays, unless `replace` is set.
 */
async function classify(
  transaction: Transaction,
  batch: readonly StoredRecord[],
  cutoff: number,
  replace: boolean,
) {
  const isPruned = ({ createdAt }: Outline) => createdAt < cutoff;
  const recent = batch.filter(({ outline }) => !isPruned(outline));
  const known = await transaction.known([...new Set(recent.map(({ outline }) => outline.id))]);
  const arriving = new Map<string, StoredRecord>();
  const replaced = new Set<string>();
  const outcomes = batch.map((record): Outcome => {
    const { outline, stored } = record;
    if (isPruned(outline)) return { kind: "pruned" };
    const { id } = outline;
    const before = arriving.get(id)?.stored ?? known.get(id);
    if (before && areEqual(before.contentHash, stored.contentHash)) return { kind: "duplicate" };
    if (before && !replace) return { kind: "conflict" };
    if (known.has(id)) replaced.add(id);
    arriving.set(id, record);
    return { kind: "stored" };
  });
  return {
    outcomes,
    arriving: [...arriving.values()],
    leaving: (await transaction.load([...replaced])).map(recall),
  };
}

const areEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

interface Change {
  served: StoredRecord[];
  unserved: StoredRecord[];
  withheld: (StoredRecord & { reason: WithheldReason })[];
  unwithheld: StoredRecord[];
  released: number;
}

/**
 * Decides what is served once these records have come and gone. Records that are older than the prune cutoff stay what
 * they were when it was set, whether or not they are removed yet.
 */
async function decideVisibility(
  transaction: Transaction,
  arriving: StoredRecord[],
  leaving: Known[],
  cutoff: number,
  fates?: ReadonlyMap<string, Fate>,
): Promise<Change> {
  const shift = countChange(arriving, leaving, ({ shownRanked }) => shownRanked);

  const before = await transaction.rankedEvidence([...shift.keys()]);
  await transaction.changeRankedEvidence(shift);
  const turned = [...shift].filter(([id, by]) => {
    const had = before.get(id) ?? 0;
    return had > 0 !== had + by > 0;
  });

  const moving = new Set([...arriving, ...leaving].map(({ outline }) => outline.id));
  const dependents = (await transaction.dependents(turned.map(([id]) => id))).filter(
    (id) => !moving.has(id),
  );
  const reconsidered = (await transaction.load(dependents))
    .filter(({ match }) => match.createdAt >= cutoff)
    .map(recall);
  const doubtful = [...arriving, ...reconsidered].filter(({ outline }) =>
    needsRankedPlayer(outline),
  );
  const ranked = await transaction.rankedEvidence([
    ...new Set(doubtful.flatMap(({ outline }) => rosterPlayers(outline))),
  ]);
  const isRanked = (id: string) => ranked.has(id);

  const change: Change = { served: [], unserved: [], withheld: [], unwithheld: [], released: 0 };
  for (const known of leaving) leave(known, change);
  for (const moved of arriving) {
    const { createdAt, id } = moved.outline;
    arrive(moved, isRanked, change, createdAt < cutoff ? fates?.get(id) : undefined);
  }
  for (const known of reconsidered) {
    const now = visibility(known.outline, isRanked);
    if (now.state === known.fate.state) continue;
    leave(known, change);
    arrive(known, isRanked, change);
    if (now.state === "served") change.released += 1;
  }
  return change;
}

function leave(known: Known, change: Change): void {
  (known.fate.state === "served" ? change.unserved : change.unwithheld).push(known);
}

function arrive(
  moved: StoredRecord,
  isRanked: (id: string) => boolean,
  change: Change,
  fate: Fate = visibility(moved.outline, isRanked),
): void {
  if (fate.state === "served") change.served.push(moved);
  else change.withheld.push({ ...moved, reason: fate.reason });
}

export function recall({ fate, match }: ShardRecord): Known {
  return { fate, ...restore(match) };
}

export function entry({ outline, stored }: StoredRecord): MatchEntry {
  return {
    ...stored,
    players: outline.players.map(({ id, part }) => ({ id, result: resultOf(part) })),
    teams: outline.teams,
  };
}

/** The players on whom the visibility of a match depends, each with the match. */
export function dependencies(outline: MatchFacts): [string, string][] {
  return needsRankedPlayer(outline) ? rosterPlayers(outline).map((id) => [id, outline.id]) : [];
}

/** How often each word is in the records that come, less those that go; without zeros. */
export function countChange(
  coming: StoredRecord[],
  going: StoredRecord[],
  wordsOf: (outline: Outline) => string[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [records, by] of [
    [coming, 1],
    [going, -1],
  ] as const) {
    for (const word of records.flatMap(({ outline }) => wordsOf(outline))) {
      counts.set(word, (counts.get(word) ?? 0) + by);
    }
  }
  for (const [word, count] of counts) if (count === 0) counts.delete(word);
  return counts;
}
