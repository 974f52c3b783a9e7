/** Conformance: any writes to a shard, and what they make of the model. */

import { expect } from "bun:test";
import fc from "fast-check";
import type { Result } from "../../src/domain/streak.ts";
import { WITHHELD_REASONS, type WithheldReason } from "../../src/domain/visibility.ts";
import type {
  MatchEntry,
  PlayerRow,
  TeamRow,
  Transaction,
  WithheldEntry,
} from "../../src/store/store.ts";
import { anEntry, aPlayer, aTeam, bytes } from "./entries.ts";
import { FEATURES } from "./features.ts";
import { type Contents, idsIn, type Logged, rowsOf } from "./model.ts";
import type { TestStore } from "./suite.ts";
import {
  changed,
  golds,
  IDS,
  MODES,
  NAMES,
  PATCHES,
  PLAYERS,
  some,
  TEAMS,
  tally,
  time,
} from "./values.ts";

const id = fc.constantFrom(...IDS);
const variant = fc.nat(3);
const WORDS = ["path:assets", "path:rounds.events", "type:asset", "type:path:odd"];

/** A match, whose id is set later. */
const entry: fc.Arbitrary<MatchEntry> = fc
  .record({
    createdAt: time,
    mode: fc.constantFrom(...MODES),
    patch: fc.constantFrom(...PATCHES),
    players: some(PLAYERS, fc.constantFrom<Result[]>("won", "lost", "named"), 4),
    teams: some(TEAMS, fc.boolean(), 2),
    variant,
  })
  .map(({ variant: which, ...wishes }) => ({
    ...anEntry("", wishes),
    contentHash: bytes(`hash ${which}`),
    carried: bytes(`carried ${which}`),
  }));

type Fate = "served" | "gone" | "served and gone" | WithheldReason;
const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Fate>("served") },
  { weight: 2, arbitrary: fc.constantFrom<Fate[]>(...WITHHELD_REASONS) },
  { weight: 2, arbitrary: fc.constantFrom<Fate[]>("gone", "gone", "served and gone") },
);

const named = fc.record({
  name: fc.constantFrom(...NAMES),
  resource: variant.map((which) => bytes(`resource ${which}`)),
  companions: fc.option(
    variant.map((which) => bytes(`companions ${which}`)),
    { nil: undefined },
  ),
});

const standing = fc
  .record({
    count: variant,
    gold: golds,
    run: time,
    at: time,
    match: id,
    tally,
  })
  .map(({ count, gold, run, at, match, tally: { played, wins } }) => ({
    totals: {
      ...{ played: 2_000_000_000 + count, wins: count, gold },
      ...{ playedRanked: played, rankedWins: wins },
    },
    run,
    // Further apart than 32 bits.
    latest: { createdAt: at * 2 ** 40 + count, matchId: match },
  }));

const row = fc
  .tuple(named, standing, fc.constantFrom(undefined, 0, 1, 7, 7, 30, 2 ** 40))
  .map(([one, all, skillTier]) => ({ ...one, ...all, skillTier }));

const base = fc.record({
  rankedEvidence: variant,
  standing: fc.option(
    fc.tuple(standing, variant).map(([all, which]) => ({
      ...all,
      snapshot: bytes(`snapshot ${which}`),
    })),
    { nil: undefined },
  ),
});

const STORED = FEATURES.flatMap(({ name, stored }) => (stored ? [[name, stored] as const] : []));

/** One transaction. The new state of each match; others are new values or new counts of what they name. */
export const anyWrite = fc.record({
  moves: fc.uniqueArray(fc.tuple(id, fate, entry), {
    ...{ selector: ([one]) => one, size: "max", maxLength: 8 },
  }),
  players: some(PLAYERS, row),
  teams: some(TEAMS, named),
  features: fc.record(Object.fromEntries(STORED.map(([name, { wishes }]) => [name, wishes]))),
  evidence: some(PLAYERS, fc.nat(2)),
  words: some(WORDS, fc.nat(2)),
  /** Added if they are not there, and removed if they are. */
  dependents: fc.uniqueArray(fc.tuple(fc.constantFrom(...PLAYERS), id), {
    ...{ selector: (pair) => pair.join(), maxLength: 3 },
  }),
  bases: some(PLAYERS, fc.option(base, { nil: undefined })),
  redactions: some(PLAYERS, time),
  cutoff: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.integer({ min: -5, max: 4 }) },
  ),
  fails: fc.constantFrom(false, false, false, true),
});
export type Write = typeof anyWrite extends fc.Arbitrary<infer T> ? T : never;

const movedTo = ({ moves }: Write, ...fates: Fate[]): MatchEntry[] =>
  moves.flatMap(([one, to, content]) => (fates.includes(to) ? [{ ...content, id: one }] : []));
const isReason = (fate: Fate): fate is WithheldReason =>
  (WITHHELD_REASONS as readonly string[]).includes(fate);
const withheldIn = ({ moves }: Write): WithheldEntry[] =>
  moves.flatMap(([one, to, { players: _, teams: __, ...content }]) =>
    isReason(to) ? [{ ...content, id: one, reason: to }] : [],
  );

/** The rows of those who are in a match afterwards; those who come get one, whether or not it is wished. */
const rowsAfter = <Row extends TeamRow>(
  before: ReadonlyMap<string, Row>,
  wishes: Record<string, Omit<Row, "id">>,
  ids: readonly string[],
  make: (id: string, wishes?: Partial<Row>) => Row,
): Map<string, Row> =>
  new Map(
    ids.map((one) => {
      const wish = wishes[one] as Partial<Row> | undefined;
      return [one, wish ? make(one, wish) : (before.get(one) ?? make(one))];
    }),
  );

/** What a write makes of a shard, if it does not fail. */
export function after(before: Contents, write: Write): Contents {
  const moved = write.moves.map(([one]) => [one, undefined] as const);
  const coming = movedTo(write, "served");
  const apart = withheldIn(write);
  const byIdOf = <T extends { id: string }>(some: T[]) => some.map((one) => [one.id, one] as const);
  const served = changed(changed(before.served, moved), byIdOf(coming));
  const dependents = new Set(before.dependents);
  for (const pair of write.dependents.map((one) => JSON.stringify(one))) {
    if (!dependents.delete(pair)) dependents.add(pair);
  }
  const players = rowsAfter<PlayerRow>(
    before.players,
    write.players,
    idsIn(served.values(), "players"),
    aPlayer,
  );
  const features = STORED.map(
    ([name, stored]) =>
      [name, stored.after(rowsOf(before, name), write.features[name]!, players)] as const,
  );
  const bases = Object.entries(write.bases).map(
    ([one, wish]) => [one, wish && { id: one, ...wish }] as const,
  );
  return {
    served,
    withheld: changed(changed(before.withheld, moved), byIdOf(apart)),
    players,
    features: new Map(features),
    teams: rowsAfter<TeamRow>(before.teams, write.teams, idsIn(served.values(), "teams"), aTeam),
    evidence: changed(before.evidence, Object.entries(write.evidence)),
    words: changed(before.words, Object.entries(write.words)),
    dependents,
    bases: changed(before.bases, bases),
    // Those who are listed already keep their time.
    redactions: new Map([...Object.entries(write.redactions), ...before.redactions]),
    cutoff: write.cutoff ?? before.cutoff,
    log: [...before.log, ...changesBy(before, write)],
  };
}

/** What was served comes first, in the order in which it is removed. */
function changesBy({ served }: Contents, write: Write): Logged[] {
  const coming = new Set(movedTo(write, "served").map((one) => one.id));
  const left = write.moves.flatMap(([one]) => served.get(one) ?? []);
  return [
    ...left.map(
      (removed): Logged =>
        coming.has(removed.id)
          ? { kind: "replaced", id: removed.id }
          : { kind: "removed", id: removed.id, removed },
    ),
    ...[...coming]
      .filter((one) => !served.has(one))
      .map((one): Logged => ({ kind: "added", id: one })),
  ];
}

const FAILURE = new Error("out of luck");

/** Makes a write; `look` reads the transaction at its end. */
export async function carryOut(
  { writer }: TestStore,
  before: Contents,
  write: Write,
  look: (transaction: Transaction, after: Contents) => Promise<void>,
): Promise<Contents> {
  const to = after(before, write);
  const written = writer.write(async (transaction) => {
    await move(transaction, before, to, write);
    await count(transaction, before, to, write);
    await look(transaction, to);
    if (write.fails) throw FAILURE;
    return "result";
  });
  expect(await written.catch((error) => error)).toBe(write.fails ? FAILURE : "result");
  return write.fails ? before : to;
}

async function move(
  transaction: Transaction,
  before: Contents,
  to: Contents,
  write: Write,
): Promise<void> {
  const ids = write.moves.map(([one]) => one);
  const leaving = ids.flatMap((one) => before.served.get(one) ?? []);
  const passing = movedTo(write, "served and gone");
  const [coming, all] = [movedTo(write, "served"), movedTo(write, "served", "served and gone")];
  // Some are read before they are written, as in ingest, and others are not.
  const known = PLAYERS.filter((_, index) => (index + ids.length) % 2 === 0);
  expect([...(await transaction.standings(known)).keys()].sort()).toEqual(
    known.filter((one) => before.players.has(one)).sort(),
  );
  await transaction.removeServed(leaving);
  await transaction.removeWithheld(ids.filter((one) => before.withheld.has(one)));
  await transaction.addServed(all);
  const fresh = idsIn(all, "players").filter((one) => !before.players.has(one));
  // New players have no standing until they are stored.
  expect((await transaction.standings(fresh)).size).toBe(0);
  await transaction.removeServed(passing);
  await transaction.addWithheld(withheldIn(write));
  const put = <Row>(rows: ReadonlyMap<string, Row>, known: ReadonlyMap<string, Row>) =>
    [...rows].flatMap(([one, content]) => (known.get(one) === content ? [] : [content]));
  await transaction.putPlayers(put(to.players, before.players));
  await transaction.putTeams(put(to.teams, before.teams));
  const gone = (kind: "players" | "teams") =>
    idsIn([...leaving, ...coming, ...passing], kind).filter((one) => !to[kind].has(one));
  // Unknown ones are ignored.
  await transaction.removePlayers([...gone("players"), "nobody"]);
  await transaction.removeTeams([...gone("teams"), "nobody"]);
}

async function count(
  transaction: Transaction,
  before: Contents,
  to: Contents,
  write: Write,
): Promise<void> {
  const difference = (was: ReadonlyMap<string, number>, wishes: Record<string, number>) =>
    new Map(Object.entries(wishes).map(([key, value]) => [key, value - (was.get(key) ?? 0)]));
  await transaction.changeRankedEvidence(difference(before.evidence, write.evidence));
  await transaction.changeVocabulary(difference(before.words, write.words));
  const pairs = write.dependents as [string, string][];
  const isThere = (pair: [string, string]) => before.dependents.has(JSON.stringify(pair));
  await transaction.addDependents(pairs.filter((pair) => !isThere(pair)));
  await transaction.removeDependents([...pairs.filter(isThere), ["nobody", "none"]]);
  const removed = Object.entries(write.bases).filter(([, wish]) => !wish);
  await transaction.removeBases(removed.map(([one]) => one));
  await transaction.putBases(Object.keys(write.bases).flatMap((one) => to.bases.get(one) ?? []));
  await transaction.addRedactions(
    Object.entries(write.redactions).map(([playerId, redactedAt]) => ({ playerId, redactedAt })),
  );
  for (const [name, { carryOut }] of STORED)
    await carryOut(transaction, rowsOf(before, name), rowsOf(to, name), write.features[name]!);
  if (write.cutoff !== undefined) await transaction.setPrunedBefore(write.cutoff);
}
