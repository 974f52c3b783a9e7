/** Verifies each record: its content, whether it is served or withheld as the rules say, and its players and teams. */

import { type OpenedRecord, openRecord } from "../document/record.ts";
import { type MatchRecord, type Named, resultOf, rosterPlayers } from "../domain/match.ts";
import { needsRankedPlayer, visibility } from "../domain/visibility.ts";
import { dependencies } from "../ingest/commit-batch.ts";
import { type Outline, outlineOf } from "../ingest/prepare.ts";
import { verifyFollows } from "../store/row-checks.ts";
import type { Fate, MatchEntry, MatchKey, ShardRecord, StoredState } from "../store/store.ts";
import type { Context, Note } from "./context.ts";
import type { Expected } from "./expected.ts";
import { confirmPlayers } from "./players.ts";

/** Before the size of records is known. */
const FIRST_BATCH = 32;
const MAX_BATCH = 250;
/** As stored. Parsed, they take about ten times as much. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** Adds what pruned records left behind to `expected`. */
export async function addBases({ step, rows }: Context, expected: Expected): Promise<void> {
  let after = "";
  for (let isOver = false; !isOver; ) {
    await step(async (state) => {
      const bases = await state.bases(after, rows);
      for (const base of bases) expected.addBase(base);
      after = bases.at(-1)?.id ?? after;
      isOver = bases.length < rows;
      return bases.length;
    });
  }
}

/** Adds all records to `expected`. */
export async function verifyRecords(
  { shard, note, step, rows }: Context,
  expected: Expected,
): Promise<void> {
  let last: ShardRecord | undefined;
  let size = Math.min(FIRST_BATCH, rows);
  for (let isOver = false; !isOver; ) {
    await step(async (state) => {
      if (!last) expected.startRecent(await state.newestServed());
      const batch = await state.records(last, size);
      for (const record of batch) {
        if (last) verifyFollows(last, record);
        last = record;
      }
      await verifyBatch(state, batch, shard, note, expected);
      isOver = batch.length < size;
      size = Math.min(fitting(batch), rows);
      return batch.length;
    });
  }
}

function fitting(batch: readonly ShardRecord[]): number {
  const bytes = batch.reduce(
    (sum, { match }) => sum + match.encoded.length + match.carried.length,
    1,
  );
  return Math.max(1, Math.min(MAX_BATCH, Math.floor((BATCH_BYTES * batch.length) / bytes)));
}

interface Opened {
  fate: Fate;
  match: MatchKey;
  outline: Outline;
  players: readonly Named[];
}

async function verifyBatch(
  state: StoredState,
  batch: readonly ShardRecord[],
  shard: string,
  note: Note,
  expected: Expected,
): Promise<void> {
  const records = batch.flatMap((record): Opened | [] => {
    const opened = open(record, shard, note);
    if (!opened) return [];
    const { fate, match } = record;
    return { fate, match, outline: outlineOf(opened), players: opened.players };
  });
  const served = records.filter(({ fate }) => fate.state === "served");
  const entries = await state.entriesOf(served.map(({ outline }) => outline.id));
  const doubtful = records.filter(({ outline }) => needsRankedPlayer(outline));
  const ranked = await state.rankedEvidence([
    ...new Set(doubtful.flatMap(({ outline }) => rosterPlayers(outline))),
  ]);
  for (const { fate, outline } of records) {
    verifyVisibility(fate, outline, (id) => ranked.has(id), note);
    expected.addRecord(outline, dependencies(outline));
    if (fate.state !== "served") continue;
    if (!areEntriesOf(outline, entries.get(outline.id))) {
      note(
        "matches",
        outline.id,
        `match ${outline.id} is stored with other players, teams or results than its record has: its responses and the lists of its players are wrong`,
      );
    }
  }
  expected.addServed(served.map(({ outline }) => outline));
  await confirmPlayers(state, served, expected);
  const pairs = doubtful.flatMap(({ outline }) => dependencies(outline));
  for (const [player, match] of await state.missingDependents(pairs)) {
    note(
      "dependents",
      `${player} ${match}`,
      `private match ${match} is not linked to player ${player}: it is not reconsidered when the player turns out to be ranked`,
    );
  }
}

/** Undefined if it cannot be decoded, which is noted. */
function open({ fate, match }: ShardRecord, shard: string, note: Note): MatchRecord | undefined {
  const table = fate.state === "served" ? "matches" : "withheld";
  let opened: OpenedRecord;
  try {
    opened = openRecord(match);
  } catch {
    note(
      table,
      match.id,
      `match ${match.id} cannot be decoded: it cannot be served, nor counted for its players`,
    );
    return undefined;
  }
  const owner = opened.record.shard;
  if (owner !== shard) {
    note(
      table,
      match.id,
      `match ${match.id} is a record of shard ${owner}: its responses, and the totals of its players, are those of another shard`,
    );
  }
  if (!opened.isConsistent || !opened.hasContentHash) {
    const what = opened.isConsistent ? "content hash" : "time, mode, patch or header";
    note(
      table,
      match.id,
      `match ${match.id} has a ${what} that does not fit its record: ${opened.isConsistent ? "the same record sent again is taken for another one" : "filters and responses are wrong"}`,
    );
  }
  return opened.record;
}

function verifyVisibility(
  fate: Fate,
  outline: Outline,
  isRanked: (playerId: string) => boolean,
  note: Note,
): void {
  const { id } = outline;
  const verdict = visibility(outline, isRanked);
  if (fate.state === "served") {
    if (!verdict.served)
      note(
        "matches",
        id,
        `match ${id} is served, but the rules withhold it (${verdict.reason}): it appears in responses, and in the totals of its players`,
      );
  } else if (verdict.served) {
    note(
      "withheld",
      id,
      `match ${id} is withheld (${fate.reason}), but the rules serve it: it is missing from responses, and from the totals of its players`,
    );
  } else if (verdict.reason !== fate.reason) {
    note(
      "withheld",
      id,
      `match ${id} is withheld with the reason ${fate.reason} instead of ${verdict.reason}: reports by reason are wrong`,
    );
  }
}

function areEntriesOf(
  { players, teams }: Outline,
  stored: Pick<MatchEntry, "players" | "teams"> | undefined,
): boolean {
  return (
    stored?.players.length === players.length &&
    stored.teams.length === teams.length &&
    players.every(({ id, part }, at) => {
      const entry = stored.players[at]!;
      return entry.id === id && entry.result === resultOf(part);
    }) &&
    teams.every(({ id, plays }, at) => {
      const entry = stored.teams[at]!;
      return entry.id === id && entry.plays === plays;
    })
  );
}
