/** Conformance: after any writes, everything that can be read is what the model says. */

import { expect } from "bun:test";
import fc from "fast-check";
import type { Awaitable } from "../../src/domain/awaitable.ts";
import type { Gap } from "../../src/query/query.ts";
import { type ByteRange, viewOf } from "../../src/store/byte-range.ts";
import { readLogEnds } from "../../src/store/core/change-log.ts";
import { readSummary } from "../../src/store/core/summary.ts";
import type {
  AdminReader,
  LogPosition,
  MatchEntry,
  MatchesWithLinked,
  NamedParts,
  PlayerListing,
  PlayerRow,
  Reader,
  Selection,
  ShardContents,
  ShardRecord,
  StoredMatch,
  StoredRow,
  TeamRow,
  Transaction,
  WithheldEntry,
} from "../../src/store/store.ts";
import type { TableShape } from "../../src/store/table.ts";
import { NAMED_TABLES, PLAYER_BASE } from "../../src/store/tables.ts";
import { costly } from "../support/scale.ts";
import { until } from "../support/state.ts";
import { readAll } from "./change-log.ts";
import { selection, text } from "./entries.ts";
import { FEATURES } from "./features.ts";
import {
  byBytes,
  type Contents,
  changesAfter,
  EMPTY,
  fateOf,
  idsIn,
  latestFirst,
  matchesOf,
  pageOf,
  records,
  rowsOf,
  visible,
  withNames,
} from "./model.ts";
import type { Guarantee } from "./suite.ts";
import { IDS, MODES, NAMES, PATCHES, PLAYERS, TEAMS, time } from "./values.ts";
import { anyWrite, carryOut } from "./writes.ts";

const gap: fc.Arbitrary<Gap> = fc.record({
  createdAt: fc.integer({ min: -4, max: 7 }),
  id: fc.constantFrom(...IDS, "m", "a1"),
  side: fc.constantFrom("before" as const, "after" as const),
});
const subset = (values: string[]) => fc.subarray(values, { maxLength: 3 });
const lists = (values: string[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[][]>([]) },
    {
      weight: 4,
      arbitrary: fc.array(subset([...values, "nobody"]), { minLength: 1, maxLength: 2 }),
    },
  );
const maybe = (values: string[]) =>
  fc.option(subset([...values, "none"]), { nil: undefined, freq: 2 });
const asked: fc.Arbitrary<Selection> = fc.record({
  window: fc
    .tuple(fc.integer({ min: -4, max: 7 }), fc.integer({ min: 0, max: 11 }))
    .map(([start, length]) => ({ start, end: start + length })),
  sort: fc.constantFrom("createdAt" as const, "-createdAt" as const),
  pageStart: fc.oneof(
    fc.record({ from: fc.constant("offset" as const), offset: fc.integer({ min: 0, max: 12 }) }),
    fc.record({ from: fc.constant("after" as const), gap }),
    fc.record({ from: fc.constant("before" as const), gap }),
  ),
  limit: fc.integer({ min: 1, max: 6 }),
  players: lists(PLAYERS),
  teams: lists(TEAMS),
  gameModes: maybe(MODES),
  patchVersions: maybe(PATCHES),
});
const shuffled = (values: string[]) => fc.shuffledSubarray([...values, "nobody"]);

/** What is asked after a write. */
const questions = fc.record({
  selections: fc.array(asked, { minLength: 12, maxLength: 16, size: "max" }),
  ids: shuffled(IDS),
  players: shuffled(PLAYERS),
  names: shuffled(NAMES),
  limit: fc.integer({ min: 1, max: 7 }),
  time,
  /** Where the log is read from. */
  from: fc.nat(),
});
export type Questions = typeof questions extends fc.Arbitrary<infer T> ? T : never;

export function modelGuarantees(guarantee: Guarantee): void {
  guarantee(
    "after any writes, everything that can be read is what was written",
    async (store) => {
      const reader = await store.reader();
      let contents = EMPTY;
      const positions = [(await reader.read(readLogEnds)).end];
      const steps = fc.array(fc.tuple(anyWrite, questions), {
        ...{ minLength: 6, maxLength: 10, size: "max" },
      });
      const isRight = fc.asyncProperty(steps, async (given) => {
        // Opened after earlier writes.
        const late = await store.reader();
        for (const [write, about] of given) {
          const before = contents;
          contents = await carryOut(store, before, write, async (transaction, after) => {
            await compareTransaction(transaction, after, about);
            // Readers see nothing of it yet.
            await compareReader(reader, before, about);
          });
          for (const one of [reader, late]) await compareReader(one, contents, about);
          for (const one of FEATURES) {
            const state = { before, after: contents, rows: rowsOf(contents, one.name) };
            await one.compare?.(reader, state, about);
          }
          await compareLog(reader, contents, positions, about);
          await compareAdmin(store.writer, reader, contents, about);
        }
      });
      // Each begins with what the one before has left.
      await fc.assert(isRight, { numRuns: costly(150), endOnFailure: true });
    },
    600_000,
  );
}

/** Bytes as text, whether they are a range of others or not. */
function plainly(value: unknown): unknown {
  if (value instanceof Uint8Array) return text(value);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, plainly(one)]));
  if (Array.isArray(value)) return value.map(plainly);
  if (typeof value !== "object" || value === null || value instanceof Set) return value;
  if ("bytes" in value && "start" in value) return text(viewOf(value as ByteRange));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plainly(one)]));
}

function same(found: unknown, expected: unknown): void {
  expect(plainly(found)).toEqual(plainly(expected));
}

/** What readers return of a player or team, and what they return of a row. */
const parts = ({ resource, companions, lastMatchAt }: NamedParts) => ({
  ...{ resource, companions, lastMatchAt },
});
const rowParts = ({ resource, companions, ...row }: TeamRow | PlayerRow) => ({
  ...{ resource, companions, lastMatchAt: "latest" in row ? row.latest.createdAt : undefined },
});
const listing = (one: PlayerListing) => ({ id: one.id, name: one.name, ...parts(one) });
const rowListing = (one: PlayerRow) => ({ id: one.id, name: one.name, ...rowParts(one) });
const keyOf = ({ createdAt, id }: MatchEntry) => ({ createdAt, id });
const valuesOf = <T>(of: ReadonlyMap<string, T>, ids: readonly string[]): T[] =>
  ids.flatMap((id) => of.get(id) ?? []);

/** Matches with all that they reference. */
const bundleOf = ({ players, teams }: Contents, matches: MatchEntry[]) => ({
  matches: matches.map(({ encoded }) => encoded),
  players: valuesOf(players, idsIn(matches, "players")).map(rowParts),
  teams: valuesOf(teams, idsIn(matches, "teams")).map(rowParts),
});
const shown = ({ matches, players, teams }: MatchesWithLinked) => ({
  ...{ matches, players: players.map(parts), teams: teams.map(parts) },
});

async function compareReader(
  reader: Reader,
  contents: Contents,
  { selections, ids, players, names, limit }: Questions,
): Promise<void> {
  for (const id of ids.slice(0, 4)) {
    const match = visible(contents).find((one) => one.id === id);
    const found = await reader.match(id);
    same(found && shown(found), match && bundleOf(contents, [match]));
  }
  for (const [index, one] of [selection(), ...selections].entries()) {
    const { matches, more } = pageOf(contents, one);
    const [first, last] = [matches[0], matches.at(-1)];
    const page = await reader.matches(one);
    same(
      { ...shown(page), edges: page.edges, more: page.more },
      {
        ...bundleOf(contents, matches),
        edges: first && last && { first: keyOf(first), last: keyOf(last) },
        more,
      },
    );
    if (index % 3 > 0) continue;
    const nameOf = (id: string) => contents.players.get(id)!.name;
    same(await reader.lineups(one), {
      lineups: matches.map(({ encoded, createdAt, players: those }) => ({
        ...{ match: encoded, createdAt },
        players: those.map((player) => ({ ...player, name: nameOf(player.id) })),
      })),
      hasMore: more.after,
    });
  }
  const listed = (found: PlayerListing[], expected: PlayerRow[]) =>
    same(found.map(listing), expected.map(rowListing));
  const byName = withNames(contents.players, names);
  listed(await reader.players(players), valuesOf(contents.players, players));
  listed(await reader.playersNamed(names, limit), byName.flat().slice(0, limit));
  listed(
    await reader.playersNamed(names, names.length * limit, limit),
    byName.flatMap((those) => those.slice(0, limit)),
  );
  listed(await reader.recentPlayers(limit), latestFirst(contents).slice(0, limit));
  const idsNamed = (rows: ReadonlyMap<string, TeamRow>) =>
    withNames(rows, NAMES)
      .flat()
      .map(({ id }) => id);
  same(await reader.idsNamed("players", NAMES), idsNamed(contents.players));
  same(await reader.idsNamed("teams", NAMES), idsNamed(contents.teams));
  same(await reader.read(readSummary), summaryOf(contents));
  const words = [...contents.words.keys()];
  const beginning = (prefix: string) =>
    new Set(words.flatMap((word) => (word.startsWith(prefix) ? word.slice(prefix.length) : [])));
  same(await reader.vocabulary(), { includePaths: beginning("path:"), types: beginning("type:") });
}

function summaryOf({ served, players, cutoff = Number.NEGATIVE_INFINITY }: Contents) {
  const newest = newestOf(served.values());
  const isVisible = newest !== undefined && newest >= cutoff;
  return {
    ...{ matches: served.size, players: players.size },
    newestMatch: isVisible ? newest : undefined,
  };
}

const newestOf = (matches: Iterable<MatchEntry>): number | undefined => {
  const times = [...matches].map(({ createdAt }) => createdAt);
  return times.length === 0 ? undefined : Math.max(...times);
};

/** The log since the last write, and from an earlier position, in steps. `positions` has that after each change. */
async function compareLog(
  reader: Reader,
  contents: Contents,
  positions: LogPosition[],
  { from, limit }: Questions,
): Promise<void> {
  const follow = async (start: LogPosition) =>
    (await readAll(reader, start, limit)).map(({ position, committedAt: _, ...change }) => ({
      ...{ number: position.number, position },
      ...change,
    }));
  const { beginning, end } = await reader.read(readLogEnds);
  expect([beginning.number, end.number]).toEqual([0, contents.log.length]);
  const known = positions.length - 1;
  for (const { position } of await follow(positions.at(-1)!)) positions[position.number] = position;
  // What is left out has no position here: the next one that is known will do.
  const starts = positions.flatMap((position) => position ?? []);
  for (const start of [positions[known]!, starts[from % starts.length]!]) {
    const changes = (await follow(start)).map(({ position: _, ...change }) => change);
    expect(changes).toEqual(changesAfter(contents, start.number) as never);
  }
  positions[end.number] = end;
}

const recordOf = (record: MatchEntry | WithheldEntry): ShardRecord => {
  const { id, createdAt, gameMode, patchVersion, encoded, contentHash, carried } = record;
  const match = { id, createdAt, gameMode, patchVersion, encoded, contentHash, carried };
  return { fate: fateOf(record), match };
};

/** With it, a step starts with the first withheld record. */
const BEFORE_WITHHELD = {
  fate: { state: "withheld", reason: "ending" },
  match: { createdAt: 0, id: "" },
} as const;

/** Everything, in steps. Only the last one may be shorter. */
async function inSteps<T>(
  size: number,
  read: (after: T | undefined) => Awaitable<T[]>,
): Promise<T[]> {
  const all: T[] = [];
  for (let step = size; step === size; ) {
    const some = await read(all.at(-1));
    all.push(...some);
    step = some.length;
  }
  return all;
}

async function compareSteps(state: ShardContents, contents: Contents, size: number): Promise<void> {
  const expected = records(contents).map(recordOf);
  same(await inSteps<ShardRecord>(size, (after) => state.records(after, size)), expected);
  const apart = expected.slice(contents.served.size);
  same(await state.records(BEFORE_WITHHELD, size), apart.slice(0, size));
  const rowsIn = (table: TableShape) =>
    inSteps<StoredRow>(size, (after) => state.rows(table, { after, limit: size }));
  const byId = <T extends { id: string }>(rows: ReadonlyMap<string, T>) =>
    [...rows.values()].sort((a, b) => byBytes(a.id, b.id));
  for (const kind of ["players", "teams"] as const) {
    same(
      (await rowsIn(NAMED_TABLES[kind])).map(({ id, resource, linked }) => [id, resource, linked]),
      byId<TeamRow>(contents[kind]).map(({ id, resource, companions }) => [
        ...[id, resource, companions ?? null],
      ]),
    );
  }
  same(
    (await rowsIn(PLAYER_BASE)).map(({ id }) => id),
    byId(contents.bases).map(({ id }) => id),
  );
  for (const one of FEATURES) await one.compareRows?.(rowsOf(contents, one.name), rowsIn);
  same(await state.prunedBefore(), contents.cutoff);
  same(await state.redactions(), redactionsOf(contents));
}

const redactionsOf = ({ redactions }: Contents) =>
  [...redactions]
    .map(([playerId, redactedAt]) => ({ playerId, redactedAt }))
    .sort((a, b) => byBytes(a.playerId, b.playerId));

const evidenceOf = ({ evidence }: Contents, players: string[]) =>
  new Map([...evidence].filter(([id]) => players.includes(id)));

const keyed = <T, V>(all: readonly T[], idOf: (one: T) => string, pick: (one: T) => V) =>
  new Map(all.map((one) => [idOf(one), pick(one)]));

async function compareTransaction(
  transaction: Transaction,
  contents: Contents,
  about: Questions,
): Promise<void> {
  const { ids, players, limit, time: before } = about;
  const all = records(contents);
  const there = all.filter(({ id }) => ids.includes(id)).map(recordOf);
  const matchId = ({ match }: ShardRecord) => match.id;
  same(
    await transaction.known(ids),
    keyed(there, matchId, ({ fate, match: { contentHash } }) => ({ fate, contentHash })),
  );
  const whole = (one: ShardRecord) => one;
  same(keyed(await transaction.load(ids), matchId, whole), keyed(there, matchId, whole));
  for (const id of ids.slice(0, 3)) {
    same(await transaction.carried(id), contents.served.get(id)?.carried);
  }
  same(
    await transaction.standings(players),
    keyed(
      valuesOf(contents.players, players),
      ({ id }) => id,
      ({ totals, run, latest }) => ({ totals, run, latest }),
    ),
  );
  for (const id of players.slice(0, 2)) {
    same(
      await transaction.playerHistory(id, limit),
      matchesOf(contents, "players", id)
        .slice(0, limit)
        .map((match) => ({
          ...{ createdAt: match.createdAt, matchId: match.id },
          result: match.players.find((one) => one.id === id)!.result,
        })),
    );
  }
  for (const id of [...TEAMS, "nobody"]) {
    same(await transaction.latestOfTeam(id), matchesOf(contents, "teams", id)[0]?.id);
  }
  const dependents = [...contents.dependents].map((pair) => JSON.parse(pair) as [string, string]);
  same(
    new Set(await transaction.dependents(players)),
    new Set(dependents.flatMap(([id, match]) => (players.includes(id) ? match : []))),
  );
  same(
    await transaction.basesOf(players),
    keyed(
      valuesOf(contents.bases, players),
      ({ id }) => id,
      (base) => base,
    ),
  );
  same(await transaction.newestServed(), newestOf(contents.served.values()));
  for (const one of FEATURES) await one.compareTransaction?.(transaction, contents, about);
  const old = all.filter(({ createdAt }) => createdAt < before);
  const older = (await transaction.older(before, limit)).map(matchId);
  const oldServed = old.flatMap((one) => ("reason" in one ? [] : one.id)).slice(0, limit);
  // Withheld ones come in any order.
  same(older.slice(0, oldServed.length), oldServed);
  expect(old.map(({ id }) => id)).toEqual(expect.arrayContaining(older));
  expect(older.length).toBe(Math.min(limit, old.length));
  same(await transaction.rankedEvidence(players), evidenceOf(contents, players));
  await compareSteps(transaction, contents, limit);
}

/** What operators read, and everything in one state. */
async function compareAdmin(
  writer: AdminReader,
  reader: Reader,
  contents: Contents,
  { ids, players, limit, time: before }: Questions,
): Promise<void> {
  for (const id of ids.slice(0, 3)) {
    const one = contents.served.get(id) ?? contents.withheld.get(id);
    const [found] = await writer.survey(async (state) => state.load([id]));
    same(found, one && recordOf(one));
  }
  const withheld = [...contents.withheld.values()];
  const { matches: served, ...summary } = summaryOf(contents);
  const { bytes, ...counts } = await sized(writer, reader);
  const reasons = Object.keys(counts.withheld).map((reason) => [
    reason,
    withheld.filter((one) => one.reason === reason).length,
  ]);
  same(counts, {
    ...{ ...summary, served, teams: contents.teams.size },
    withheld: Object.fromEntries(reasons),
  });
  expect(bytes).toBeGreaterThan(0);
  const older = (some: Iterable<StoredMatch>) =>
    [...some].filter(({ createdAt }) => createdAt < before).length;
  same(await writer.countOlder(before), {
    ...{ served: older(contents.served.values()), withheld: older(withheld) },
  });
  const evidence = await writer.survey(async (state) => state.rankedEvidence(players));
  same(evidence, evidenceOf(contents, players));
  same(await writer.redactions(), redactionsOf(contents));
  same(await writer.prunedBefore(), contents.cutoff);
  await writer.survey((state) => compareSteps(state, contents, limit));
}

/** PostgreSQL vacuums in the background, which may change the size between two reads of it, and back. */
const sized = (writer: AdminReader, reader: Reader) =>
  until("both read the same size", async () => {
    const counts = await writer.counts();
    return (await reader.sizes()).bytes === counts.bytes && counts;
  });
