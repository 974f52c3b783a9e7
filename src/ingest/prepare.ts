/** Prepares a record for its transaction: its facts, its content hash and the form in which it is stored. */

import {
  type CarriedText,
  packRecord,
  restoreRecord,
  writeCarried,
  writeRecord,
} from "../document/record.ts";
import type { MatchFacts, MatchRecord } from "../domain/match.ts";
import { playersShownRanked } from "../domain/visibility.ts";
import { extraWords } from "../domain/vocabulary.ts";
import { FEATURES } from "../features/list.ts";
import type { StoredMatch } from "../store/store.ts";

/** A record without its resources: what the decisions about other records need. */
export interface Outline extends MatchFacts {
  /** The players that it shows to be ranked. */
  shownRanked: string[];
  /** The include paths and resource types it adds to the usual ones. */
  words: string[];
  /** What features need of it. */
  parts: Record<string, unknown>;
}

/** A record in the form in which it is stored, and what players and teams are made from. */
export interface EncodedRecord {
  stored: StoredMatch;
  players: CarriedText[];
  teams: CarriedText[];
}

/** A record that enters a shard, moves within it or leaves it. */
export interface StoredRecord {
  outline: Outline;
  encoded: EncodedRecord;
}

export interface PreparedRecord {
  outline: Outline;
  contentHash: Uint8Array;
  /** Undefined when it was not encoded, because the shard has an equal record. */
  encoded: EncodedRecord | undefined;
}

const PARTS = FEATURES.flatMap(({ outline = {} }) => Object.entries(outline));

export function outlineOf(record: MatchRecord): Outline {
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
    parts: Object.fromEntries(PARTS.map(([name, part]) => [name, part(record)])),
  };
}

export function prepareAll(records: readonly MatchRecord[], encode: boolean): PreparedRecord[] {
  const texts = records.map(writeRecord);
  const stored = encode ? texts.map(packRecord) : [];
  return records.map((record, at) => {
    const { contentHash, players, teams } = texts[at]!;
    const encoded = encode ? { stored: stored[at]!, players, teams } : undefined;
    return { outline: outlineOf(record), contentHash, encoded };
  });
}

export const prepare = (record: MatchRecord, encode: boolean): PreparedRecord =>
  prepareAll([record], encode)[0]!;

/** A stored record, as if it were ingested again. */
export function restore(stored: StoredMatch): StoredRecord {
  const record = restoreRecord(stored);
  let written: ReturnType<typeof writeCarried> | undefined;
  // Often only few of its players are written, and none of its teams.
  const carried = () => {
    written ??= writeCarried(record);
    return written;
  };
  return {
    outline: outlineOf(record),
    encoded: {
      stored,
      get players() {
        return carried().players;
      },
      get teams() {
        return carried().teams;
      },
    },
  };
}
