/**
 * In charge of taking a batch of records into a shard, as one transaction: decide what is new,
 * decide what is served, move the matches that this makes valid (or takes the ground from), and
 * fold everything into the players and teams concerned.
 *
 * The outcome depends on the set of records only. Evidence that players are ranked is gathered
 * from the whole batch before any match is judged; since private matches never are such evidence
 * through being served, judging them once is enough.
 */

import { restoreRecord } from "../document/record.ts";
import { type MatchRecord, rosterPlayers } from "../domain/match.ts";
import {
  needsRankedPlayer,
  playersShownRanked,
  visibility,
  type WithheldReason,
} from "../domain/visibility.ts";
import { extraWords } from "../domain/vocabulary.ts";
import type { Fate, Keeper, MatchEntry, StoredMatch, Transaction } from "../store/store.ts";
import { refreshPlayers, refreshTeams } from "./fold.ts";
import type { Prepared } from "./prepare.ts";

export type Outcome =
  | { kind: "stored" }
  | { kind: "withheld"; reason: WithheldReason }
  | { kind: "duplicate" }
  | { kind: "conflict" };

export interface Accepted {
  /** One for each record, in their order. */
  outcomes: Outcome[];
  /** How many matches that were withheld before are served now. */
  released: number;
}

export function accept(
  keeper: Keeper,
  batch: Prepared[],
  options: { replace: boolean },
): Promise<Accepted> {
  return keeper.write(async (transaction) => {
    await transaction.lockPlayers(playersOf(batch));
    const { outcomes, arriving, leaving } = await sortOut(transaction, batch, options.replace);
    const change = await judge(transaction, arriving, leaving);

    await transaction.removeServed(change.unserved.map(entry));
    await transaction.removeWithheld(change.unwithheld.map(({ record }) => record.id));
    await transaction.addServed(change.served.map(entry));
    await transaction.addWithheld(
      change.withheld.map(({ stored, reason }) => ({ ...stored, reason })),
    );
    await transaction.removeDependents(leaving.flatMap(({ record }) => dependencies(record)));
    await transaction.addDependents(arriving.flatMap(({ record }) => dependencies(record)));
    await transaction.changeVocabulary(vocabularyChange(change));
    await refreshPlayers(transaction, change.served, change.unserved);
    await refreshTeams(transaction, change.served, change.unserved);

    const reasons = new Map(change.withheld.map(({ record, reason }) => [record.id, reason]));
    return {
      outcomes: outcomes.map((outcome, index) => {
        const reason = reasons.get(batch[index]!.record.id);
        return outcome.kind === "stored" && reason ? { kind: "withheld", reason } : outcome;
      }),
      released: change.released,
    };
  });
}

interface Known extends Prepared {
  fate: Fate;
}

/** Tells new records from those known already. The first of an id stays, unless asked otherwise. */
async function sortOut(transaction: Transaction, batch: Prepared[], replace: boolean) {
  const known = await transaction.known([...new Set(batch.map(({ record }) => record.id))]);
  const arriving = new Map<string, Prepared>();
  const replaced = new Set<string>();
  const outcomes = batch.map((prepared): Outcome => {
    const { id } = prepared.record;
    const before = arriving.get(id)?.stored.contentHash ?? known.get(id)?.contentHash;
    if (before && Buffer.compare(before, prepared.stored.contentHash) === 0) {
      return { kind: "duplicate" };
    }
    if (before && !replace) return { kind: "conflict" };
    if (known.has(id)) replaced.add(id);
    arriving.set(id, prepared);
    return { kind: "stored" };
  });
  return {
    outcomes,
    arriving: [...arriving.values()],
    leaving: (await transaction.load([...replaced])).map(restore),
  };
}

interface Change {
  served: Prepared[];
  unserved: Prepared[];
  withheld: (Prepared & { reason: WithheldReason })[];
  unwithheld: Prepared[];
  released: number;
}

/** Decides what is served once these records have come and gone. */
async function judge(
  transaction: Transaction,
  arriving: Prepared[],
  leaving: Known[],
): Promise<Change> {
  const shift = new Map<string, number>();
  const weigh = (records: Prepared[], by: number) => {
    for (const { record } of records) {
      for (const id of playersShownRanked(record)) shift.set(id, (shift.get(id) ?? 0) + by);
    }
  };
  weigh(arriving, 1);
  weigh(leaving, -1);
  for (const [id, by] of shift) if (by === 0) shift.delete(id);

  const before = await transaction.rankedEvidence([...shift.keys()]);
  await transaction.changeRankedEvidence(shift);
  const turned = [...shift].filter(([id, by]) => {
    const had = before.get(id) ?? 0;
    return had > 0 !== had + by > 0;
  });

  const moving = new Set([...arriving, ...leaving].map(({ record }) => record.id));
  const dependents = (await transaction.dependents(turned.map(([id]) => id))).filter(
    (id) => !moving.has(id),
  );
  const reconsidered = (await transaction.load(dependents)).map(restore);
  const doubtful = [...arriving, ...reconsidered].filter(({ record }) => needsRankedPlayer(record));
  const ranked = await transaction.rankedEvidence([
    ...new Set(doubtful.flatMap(({ record }) => rosterPlayers(record))),
  ]);
  const isRanked = (id: string) => ranked.has(id);

  const change: Change = { served: [], unserved: [], withheld: [], unwithheld: [], released: 0 };
  for (const known of leaving) leave(known, change);
  for (const prepared of arriving) arrive(prepared, isRanked, change);
  for (const known of reconsidered) {
    const now = visibility(known.record, isRanked);
    if (now.served === (known.fate.state === "served")) continue;
    leave(known, change);
    arrive(known, isRanked, change);
    if (now.served) change.released += 1;
  }
  return change;
}

function leave(known: Known, change: Change): void {
  (known.fate.state === "served" ? change.unserved : change.unwithheld).push(known);
}

function arrive(prepared: Prepared, isRanked: (id: string) => boolean, change: Change): void {
  const verdict = visibility(prepared.record, isRanked);
  if (verdict.served) change.served.push(prepared);
  else change.withheld.push({ ...prepared, reason: verdict.reason });
}

function restore({ fate, match }: { fate: Fate; match: StoredMatch }): Known {
  return { fate, stored: match, record: restoreRecord(match) };
}

function entry({ record, stored }: Prepared): MatchEntry {
  return {
    ...stored,
    players: record.players.map(({ id, part }) => ({
      id,
      result: part === undefined ? "named" : part.won ? "won" : "lost",
    })),
    teams: record.teams.map(({ id, plays }) => ({ id, plays })),
  };
}

function dependencies(record: MatchRecord): [string, string][] {
  return needsRankedPlayer(record) ? rosterPlayers(record).map((id) => [id, record.id]) : [];
}

function vocabularyChange(change: Change): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (records: Prepared[], by: number) => {
    for (const { record } of records) {
      for (const word of extraWords(record)) counts.set(word, (counts.get(word) ?? 0) + by);
    }
  };
  count(change.served, 1);
  count(change.unserved, -1);
  return counts;
}

function playersOf(batch: Prepared[]): string[] {
  return [...new Set(batch.flatMap(({ record }) => record.players.map(({ id }) => id)))].sort();
}
