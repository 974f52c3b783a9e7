/** Conformance: any writes to a shard, and what they make of the model. */

import { expect } from "bun:test";
import fc from "fast-check";
import type { Result } from "../../src/domain/streak.ts";
import { WITHHELD_REASONS, type WithheldReason } from "../../src/domain/visibility.ts";
import type { HeroSums } from "../../src/features/heroes/statistics.ts";
import { changeRecent, clearRecent } from "../../src/features/leaderboards/stored.ts";
import type {
  MatchEntry,
  PlayerRow,
  TeamRow,
  Transaction,
  WithheldEntry,
} from "../../src/store/store.ts";
import { changeHeroes } from "../support/heroes.ts";
import { anEntry, aPlayer, aTeam, bytes } from "./entries.ts";
import { HERO_KEYS, heroDifference, heroTotalsOf } from "./heroes.ts";
import type { Tally } from "./leaderboards.ts";
import { type Contents, idsIn, type Logged } from "./model.ts";
import type { TestStore } from "./suite.ts";

// Few distinct values, so that times, names, players and cursors often coincide.
export const IDS = ["a", "A", "-", "_", "0", "9", "00", "z", "Z", "a-", "a0", "zz"];
export const PLAYERS = ["p", "P", "q", "r", "-s"];
export const TEAMS = ["t", "u", "T"];
export const MODES = ["ranked", "casual", "private"];
export const PATCHES = ["1", "2", "2 "];
const WORDS = ["path:assets", "path:rounds.events", "type:asset", "type:path:odd"];
/** Texts that differ only byte by byte, and some that look like SQL. */
export const NAMES = [
  ...["NULL", "null", "{a,b}", "a,b", '"', "\\", '\\"', "'; --", "$1", "😀\u2028", " "],
  ...["Ana", "ana", "ANA", " Ana", "Ana ", "Aná", "Ana\u0301", "Ａｎａ", "Straße", "Strasse"],
  ...[
    "İ",
    "i",
    "ı",
    "名",
    "名\u200b",
    "😀",
    "%",
    "_",
    "'",
    "1",
    "01",
    "1.0",
    "  ",
    "x".repeat(256),
  ],
];
const GOLDS = [0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 64n, 10n ** 40n + 7n, -(10n ** 30n)];

export const time = fc.integer({ min: -3, max: 6 });
const id = fc.constantFrom(...IDS);
const variant = fc.nat(3);
/** Values for some of these words. */
const some = <T>(words: readonly string[], value: fc.Arbitrary<T>, maxKeys = 3) =>
  fc.dictionary(fc.constantFrom(...words), value, { maxKeys, noNullPrototype: true });

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

/** Also beyond 64 bits. */
const large = fc.constantFrom(...GOLDS);
const heroSums: fc.Arbitrary<HeroSums> = fc.record({
  ...{ picks: fc.integer({ min: 1, max: 3 }), wins: fc.nat(1), kills: large, deaths: large },
  ...{ assists: large, gold: large, farm: large },
});

/** Win rates need twenty. */
const tally: fc.Arbitrary<Tally> = fc
  .tuple(fc.constantFrom(0, 1, 2, 19, 20, 21, 40), fc.nat(100))
  .map(([played, share]) => ({ played, wins: Math.floor((played * share) / 100) }));

const standing = fc
  .record({
    count: variant,
    gold: fc.constantFrom(...GOLDS),
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

/** One transaction. The new state of each match; others are new values or new counts of what they name. */
export const anyWrite = fc.record({
  moves: fc.uniqueArray(fc.tuple(id, fate, entry), {
    ...{ selector: ([one]) => one, size: "max", maxLength: 8 },
  }),
  players: some(PLAYERS, row),
  teams: some(TEAMS, named),
  recent: some(PLAYERS, tally),
  heroes: some(HERO_KEYS, fc.option(heroSums, { nil: undefined })),
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

const changed = <T>(
  before: ReadonlyMap<string, T>,
  changes: Iterable<readonly [string, T | undefined | 0]>,
): Map<string, T> => {
  const after = new Map(before);
  for (const [key, value] of changes) {
    if (value === undefined || value === 0) after.delete(key);
    else after.set(key, value);
  }
  return after;
};

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
  const recent = changed(before.recent, Object.entries(write.recent));
  const heroes = Object.entries(write.heroes).map(
    ([key, sums]) => [key, sums && heroTotalsOf(key, sums)] as const,
  );
  const bases = Object.entries(write.bases).map(
    ([one, wish]) => [one, wish && { id: one, ...wish }] as const,
  );
  return {
    served,
    withheld: changed(changed(before.withheld, moved), byIdOf(apart)),
    players,
    recent: new Map([...recent].filter(([one, { played }]) => played > 0 && players.has(one))),
    teams: rowsAfter<TeamRow>(before.teams, write.teams, idsIn(served.values(), "teams"), aTeam),
    heroes: changed(before.heroes, heroes),
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
  await changeHeroes(
    transaction,
    Object.keys(write.heroes).map((key) =>
      heroTotalsOf(key, heroDifference(before.heroes.get(key), to.heroes.get(key))),
    ),
  );
  await transaction.run(clearRecent);
  await transaction.run(() => changeRecent(to.recent));
  if (write.cutoff !== undefined) await transaction.setPrunedBefore(write.cutoff);
}
