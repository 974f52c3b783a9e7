/**
 * In charge of what is done to a record before its transaction, in two steps: what tells it from others
 * and what the rules need of it; then, if it is wanted, the form in which it is kept.
 */

import { DamagedFragment } from "../document/fragment.ts";
import {
  type CarriedText,
  packRecord,
  type RecordText,
  restoreRecord,
  writeCarried,
  writeRecord,
} from "../document/record.ts";
import type { Resource } from "../domain/json.ts";
import type { MatchFacts, MatchRecord, Named } from "../domain/match.ts";
import { playersShownRanked } from "../domain/visibility.ts";
import { extraWords } from "../domain/vocabulary.ts";
import type { StoredMatch } from "../store/store.ts";
import { withoutEmptyShard } from "./normalise.ts";

/** A record without its resources: all that the shard's other records have to know of it. */
export interface Outline extends MatchFacts {
  /** The players it shows to be ranked. */
  shownRanked: string[];
  /** What it carries beyond the usual. */
  words: string[];
}

/** A record in the form in which it is kept, and what players and teams are made from. */
export interface Kept {
  stored: StoredMatch;
  players: CarriedText[];
  teams: CarriedText[];
}

/** A record that comes into a shard, moves within it or leaves it. */
export interface Moving {
  outline: Outline;
  kept: Kept;
}

/** A record that was read, and could be kept. */
export interface Written {
  outline: Outline;
  text: RecordText;
}

function outlineOf(record: MatchRecord): Outline {
  return {
    id: record.id,
    shard: record.shard,
    createdAt: record.createdAt,
    gameMode: record.gameMode,
    patchVersion: record.patchVersion,
    endGameReason: record.endGameReason,
    players: record.players.map(({ id, part }) => ({ id, part })),
    teams: record.teams.map(({ id, plays }) => ({ id, plays })),
    shownRanked: playersShownRanked(record),
    words: extraWords(record),
  };
}

export function write(record: MatchRecord): Written {
  return { outline: outlineOf(record), text: writeRecord(record) };
}

/** Compresses, which is most of the work: only for what is new, and outside the transaction. */
export function keep({ text }: Written): Kept {
  return { stored: packRecord(text), players: text.players, teams: text.teams };
}

/** A record that is kept already, ready to move. Throws DamagedFragment. */
export function restore(stored: StoredMatch): Moving {
  const record = restoreRecord(stored);
  return { outline: outlineOf(record), kept: { stored, ...writeCarried(record) } };
}

/**
 * The content hash that a stored record would have if it came in now. An earlier version counted the
 * attributes of teams too, and kept an empty `shardId`. Undefined when the stored record is damaged.
 */
export function presentContentHash(stored: StoredMatch): Uint8Array | undefined {
  let record: MatchRecord;
  try {
    record = restoreRecord(stored);
  } catch (error) {
    if (error instanceof DamagedFragment) return undefined;
    throw error;
  }
  const tidy = (resources: Resource[]) => resources.map(withoutEmptyShard);
  const tidyNamed = <T extends Named>(named: T[]): T[] =>
    named.map((one) => ({ ...one, companions: tidy(one.companions) }));
  return writeRecord({
    ...record,
    own: tidy(record.own),
    players: tidyNamed(record.players),
    teams: tidyNamed(record.teams),
  }).contentHash;
}
