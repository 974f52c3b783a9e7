/**
 * In charge of what is done to a record before its transaction, in two steps: what tells it from others
 * and what the rules need of it; then, if it is wanted, the form in which it is kept.
 */

import {
  type CarriedText,
  packRecord,
  type RecordText,
  restoreRecord,
  writeCarried,
  writeRecord,
} from "../document/record.ts";
import type { MatchFacts, MatchRecord } from "../domain/match.ts";
import { playersShownRanked } from "../domain/visibility.ts";
import { extraWords } from "../domain/vocabulary.ts";
import type { StoredMatch } from "../store/store.ts";

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
