/** Conformance: after any writes, everything that can be read is what the model says. */

import { expect } from "bun:test";
import fc from "fast-check";
import type { Gap } from "../../src/query/query.ts";
import { viewOf } from "../../src/store/byte-range.ts";
import type {
  AdminReader,
  LogPosition,
  MatchEntry,
  NamedParts,
  PlayerBase,
  PlayerRow,
  Reader,
  Selection,
  ShardContents,
  ShardRecord,
  StoredMatch,
  StoredRow,
  TeamRow,
  Transaction,
} from "../../src/store/store.ts";
import { NAMED_TABLES, PLAYER_BASE } from "../../src/store/tables.ts";
import { costly } from "../support/scale.ts";
import { until } from "../support/state.ts";
import { selection, text } from "./entries.ts";
import { compareBoards } from "./leaderboards.ts";
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
  visible,
  withNames,
} from "./model.ts";
import { listedOf } from "./names.ts";
import type { Guarantee } from "./suite.ts";
import { anyWrite, carryOut, IDS, MODES, NAMES, PATCHES, PLAYERS, TEAMS, time } from "./writes.ts";

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
type Questions = typeof questions extends fc.Arbitrary<infer T> ? T : never;

export function modelGuarantees(guarantee: Guarantee): void {
  guarantee(
    "after any writes, everything that can be read is what was written",
    async (store) => {
      const reader = await store.reader();
      let contents = EMPTY;
      const positions = [(await reader.changeLog()).end];
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
          await compareNames(reader, before, contents);
          await compareBoards(reader, contents, about.limit);
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

const words = (bytes: Uint8Array | undefined) => bytes && text(bytes);
const parts = ({ resource, companions, lastMatchAt }: NamedParts) => [
  ...[text(viewOf(resource)), words(companions), lastMatchAt],
];
const rowParts = (row: TeamRow | PlayerRow) => [
  ...[
    text(row.resource),
    words(row.companions),
    "latest" in row ? row.latest.createdAt : undefined,
  ],
];
const listing = (row: NamedParts & { id: string; name: string }) => [row.id, row.name, parts(row)];
const rowListing = (row: PlayerRow) => [row.id, row.name, rowParts(row)];
const keyOf = ({ createdAt, id }: MatchEntry) => ({ createdAt, id });

/** Matches with all that they reference. */
function bundleOf({ players, teams }: Contents, matches: MatchEntry[]) {
  return {
    matches: matches.map(({ encoded }) => text(encoded)),
    players: idsIn(matches, "players").map((id) => rowParts(players.get(id)!)),
    teams: idsIn(matches, "teams").map((id) => rowParts(teams.get(id)!)),
  };
}

async function compareReader(
  reader: Reader,
  contents: Contents,
  { selections, ids, players, names, limit }: Questions,
): Promise<void> {
  const shown = (found: Awaited<ReturnType<Reader["match"]>>) =>
    found && {
      matches: found.matches.map((one) => text(viewOf(one))),
      players: found.players.map(parts),
      teams: found.teams.map(parts),
    };
  for (const id of ids.slice(0, 4)) {
    const match = visible(contents).find((one) => one.id === id);
    expect(shown(await reader.match(id))).toEqual(match && bundleOf(contents, [match]));
  }
  for (const [index, one] of [selection(), ...selections].entries()) {
    const { matches, more } = pageOf(contents, one);
    const [first, last] = [matches[0], matches.at(-1)];
    const page = await reader.matches(one);
    expect({ ...shown(page)!, edges: page.edges, more: page.more }).toEqual({
      ...bundleOf(contents, matches),
      edges: first && last && { first: keyOf(first), last: keyOf(last) },
      more,
    });
    if (index % 3 > 0) continue;
    const { lineups, hasMore } = await reader.lineups(one);
    expect({
      lineups: lineups.map(({ match, ...rest }) => ({ match: text(viewOf(match)), ...rest })),
      hasMore,
    }).toEqual({
      lineups: matches.map(({ encoded, createdAt, players: those }) => ({
        ...{ match: text(encoded), createdAt },
        players: those.map((player) => ({
          ...player,
          name: contents.players.get(player.id)!.name,
        })),
      })),
      hasMore: more.after,
    });
  }
  const rows = (found: PlayerRow[]) => found.map(rowListing);
  const byName = withNames(contents.players, names);
  expect((await reader.players(players)).map(listing)).toEqual(
    rows(players.flatMap((id) => contents.players.get(id) ?? [])),
  );
  expect((await reader.playersNamed(names, limit)).map(listing)).toEqual(
    rows(byName.flat().slice(0, limit)),
  );
  expect((await reader.playersWithNames(names, limit)).map(listing)).toEqual(
    rows(byName.flatMap((those) => those.slice(0, limit))),
  );
  expect((await reader.recentPlayers(limit)).map(listing)).toEqual(
    rows(latestFirst(contents).slice(0, limit)),
  );
  expect(await reader.playerIdsNamed(NAMES)).toEqual(
    withNames(contents.players, NAMES).flatMap((those) => those.map(({ id }) => id)),
  );
  expect(await reader.teamIdsNamed(NAMES)).toEqual(
    withNames(contents.teams, NAMES).flatMap((those) => those.map(({ id }) => id)),
  );
  expect(await reader.summary()).toEqual(summaryOf(contents));
  const beginning = (prefix: string) =>
    new Set(
      [...contents.words.keys()].flatMap((word) =>
        word.startsWith(prefix) ? word.slice(prefix.length) : [],
      ),
    );
  expect(await reader.vocabulary()).toEqual({
    ...{ includePaths: beginning("path:"), types: beginning("type:") },
  });
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

/** Exactly the current names are listed for the search: of those that this write has changed. */
async function compareNames(reader: Reader, before: Contents, after: Contents): Promise<void> {
  const names = ({ players }: Contents) => [...players.values()].map(({ name }) => name);
  const current = new Set(names(after));
  const all = [...new Set([...names(before), ...current])];
  expect(await listedOf(reader, all)).toEqual(all.filter((name) => current.has(name)));
}

/** The log since the last write, and from an earlier position, in steps. `positions` has that after each change. */
async function compareLog(
  reader: Reader,
  contents: Contents,
  positions: LogPosition[],
  { from, limit }: Questions,
): Promise<void> {
  const follow = async (start: LogPosition) => {
    const found: { number: number; position: LogPosition }[] = [];
    for (let at = start, isLast = false; !isLast; ) {
      const batch = (await reader.changes(at, limit))!;
      found.push(
        ...batch.changes.map(({ position, committedAt: _, ...change }) => ({
          ...{ number: position.number, position },
          ...change,
        })),
      );
      ({ end: at, isLast } = batch);
    }
    return found;
  };
  const { beginning, end } = await reader.changeLog();
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

const ALL_KINDS = ["players", "teams"] as const;
const plain = ({ id, createdAt, gameMode, patchVersion, ...rest }: StoredMatch) => ({
  ...{ id, createdAt, gameMode, patchVersion },
  ...{ encoded: text(rest.encoded), hash: text(rest.contentHash), carried: text(rest.carried) },
});
const described = ({ fate, match }: ShardRecord) => ({ fate, ...plain(match) });
const expectedRecord = (record: StoredMatch) => ({ fate: fateOf(record), ...plain(record) });

/** With it, a step starts with the first withheld record. */
const BEFORE_WITHHELD = {
  fate: { state: "withheld", reason: "ending" },
  match: { createdAt: 0, id: "" },
} as const;

/** All records and named rows, in steps. Only the last one may be shorter. */
async function compareSteps(state: ShardContents, contents: Contents, size: number): Promise<void> {
  const found: ShardRecord[] = [];
  for (let step = size; step === size; ) {
    const some = await state.records(found.at(-1), size);
    found.push(...some);
    step = some.length;
  }
  const expected = records(contents).map(expectedRecord);
  expect(found.map(described)).toEqual(expected);
  const apart = await state.records(BEFORE_WITHHELD, size);
  expect(apart.map(described)).toEqual(expected.slice(contents.served.size).slice(0, size));
  const rowsOf = async (table: Parameters<ShardContents["rows"]>[0]) => {
    const all: StoredRow[] = [];
    for (let step = size; step === size; ) {
      const some = await state.rows(table, { after: all.at(-1), limit: size });
      all.push(...some);
      step = some.length;
    }
    return all;
  };
  const bytesOf = (value: unknown) => (value ? text(value as Uint8Array) : undefined);
  for (const kind of ALL_KINDS) {
    const rows: TeamRow[] = [...contents[kind].values()];
    expect(
      (await rowsOf(NAMED_TABLES[kind])).map(({ id, resource, linked }) => [
        ...[id, bytesOf(resource), bytesOf(linked)],
      ]),
    ).toEqual(
      rows
        .sort((a, b) => byBytes(a.id, b.id))
        .map(({ id, resource, companions }) => [id, text(resource), words(companions)]),
    );
  }
  expect((await rowsOf(PLAYER_BASE)).map(({ id }) => id)).toEqual(
    [...contents.bases.keys()].sort(byBytes),
  );
  expect(await state.prunedBefore()).toBe(contents.cutoff as number);
  expect(await state.redactions()).toEqual(redactionsOf(contents));
}

const redactionsOf = ({ redactions }: Contents) =>
  [...redactions]
    .map(([playerId, redactedAt]) => ({ playerId, redactedAt }))
    .sort((a, b) => byBytes(a.playerId, b.playerId));

async function compareTransaction(
  transaction: Transaction,
  contents: Contents,
  { ids, players, limit, time: before }: Questions,
): Promise<void> {
  const all = new Map(records(contents).map((one) => [one.id, one]));
  const there = ids.flatMap((id) => all.get(id) ?? []);
  const byId = <T>(entries: Iterable<readonly [string, T]>) =>
    [...entries].sort(([a], [b]) => byBytes(a, b));
  expect(
    byId(await transaction.known(ids)).map(([id, { fate, contentHash }]) => [
      ...[id, fate, text(contentHash)],
    ]),
  ).toEqual(
    byId(there.map((one) => [one.id, one])).map(([id, one]) => [
      ...[id, fateOf(one), text(one.contentHash)],
    ]),
  );
  const loaded = (await transaction.load(ids)).map(described);
  expect(byId(loaded.map((one) => [one.id, one]))).toEqual(
    byId(there.map((one) => [one.id, expectedRecord(one)])),
  );
  for (const id of ids.slice(0, 3)) {
    const carried = contents.served.get(id)?.carried;
    expect(words(await transaction.carried(id))).toBe(words(carried) as string);
  }
  expect(byId(await transaction.standings(players))).toEqual(
    byId(
      players.flatMap((id) => {
        const row = contents.players.get(id);
        return row ? [[id, { totals: row.totals, run: row.run, latest: row.latest }] as const] : [];
      }),
    ),
  );
  for (const id of players.slice(0, 2)) {
    expect(await transaction.playerHistory(id, limit)).toEqual(
      matchesOf(contents, "players", id)
        .slice(0, limit)
        .map((match) => ({
          ...{ createdAt: match.createdAt, matchId: match.id },
          result: match.players.find((one) => one.id === id)!.result,
        })),
    );
  }
  for (const id of [...TEAMS, "nobody"]) {
    const [latest] = matchesOf(contents, "teams", id);
    expect(await transaction.latestOfTeam(id)).toBe(latest?.id as string);
  }
  const dependents = [...contents.dependents].map((pair) => JSON.parse(pair) as [string, string]);
  expect((await transaction.dependents(players)).sort()).toEqual(
    [...new Set(dependents.flatMap(([id, match]) => (players.includes(id) ? match : [])))].sort(),
  );
  const bases = players.flatMap((id) => contents.bases.get(id) ?? []);
  expect(byId(await transaction.basesOf(players)).map(([, one]) => withText(one))).toEqual(
    byId(bases.map((one) => [one.id, withText(one)])).map(([, one]) => one),
  );
  expect(await transaction.newestServed()).toBe(newestOf(contents.served.values()) as number);
  const old = records(contents).filter(({ createdAt }) => createdAt < before);
  const older = (await transaction.older(before, limit)).map(({ match }) => match.id);
  const oldServed = old.flatMap((one) => ("reason" in one ? [] : one.id)).slice(0, limit);
  // Withheld ones come in any order.
  expect(older.slice(0, oldServed.length)).toEqual(oldServed);
  expect(old.map(({ id }) => id)).toEqual(expect.arrayContaining(older));
  expect(older.length).toBe(Math.min(limit, old.length));
  expect(await transaction.rankedEvidence(players)).toEqual(evidenceOf(contents, players));
  await compareSteps(transaction, contents, limit);
}

const withText = ({ standing, ...base }: PlayerBase) => ({
  ...base,
  standing: standing && { ...standing, snapshot: text(standing.snapshot) },
});

const evidenceOf = ({ evidence }: Contents, players: string[]) =>
  new Map([...evidence].filter(([id]) => players.includes(id)));

/** What operators read, and everything in one state. */
async function compareAdmin(
  writer: AdminReader,
  reader: Reader,
  contents: Contents,
  { ids, players, limit, time: before }: Questions,
): Promise<void> {
  const all = new Map(records(contents).map((one) => [one.id, one]));
  for (const id of ids.slice(0, 3)) {
    const found = await writer.inspect(id);
    const one = all.get(id);
    expect(found && described(found)).toEqual(one && expectedRecord(one));
  }
  const withheld = [...contents.withheld.values()];
  const { matches, ...summary } = summaryOf(contents);
  const { bytes, ...counts } = await sized(writer, reader);
  expect(counts).toEqual({
    ...summary,
    served: matches,
    withheld: Object.fromEntries(
      Object.keys(counts.withheld).map((reason) => [
        reason,
        withheld.filter((one) => one.reason === reason).length,
      ]),
    ) as typeof counts.withheld,
    teams: contents.teams.size,
  });
  expect(bytes).toBeGreaterThan(0);
  const older = (some: Iterable<StoredMatch>) =>
    [...some].filter(({ createdAt }) => createdAt < before).length;
  expect(await writer.countOlder(before)).toEqual({
    ...{ served: older(contents.served.values()), withheld: older(withheld) },
  });
  expect(await writer.rankedEvidence(players)).toEqual(evidenceOf(contents, players));
  expect(await writer.redactions()).toEqual(redactionsOf(contents));
  expect(await writer.prunedBefore()).toBe(contents.cutoff as number);
  await writer.survey((state) => compareSteps(state, contents, limit));
}

/** PostgreSQL vacuums in the background, which may change the size between two reads of it, and back. */
const sized = (writer: AdminReader, reader: Reader) =>
  until("both read the same size", async () => {
    const counts = await writer.counts();
    return (await reader.sizes()).bytes === counts.bytes && counts;
  });
