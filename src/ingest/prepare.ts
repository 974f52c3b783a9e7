/** Prepares records for their transaction: the form in which they are stored, and an outline of what is in them. */

import { crc32 } from "node:zlib";
import { fragmentText } from "../document/join-pieces.ts";
import { outlineIn, packRecord, restoreRecord, writeRecord } from "../document/record.ts";
import type { MatchFacts, MatchRecord } from "../domain/match.ts";
import { GOLD_UNIT, microGold } from "../domain/player.ts";
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

/** A record that is ready to be stored. Nothing in it is costly to pass to another thread. */
export interface PreparedRecord {
  stored: StoredMatch;
  /** The text of `stored.carried`. */
  carried: string;
}

/** A record that enters a shard, moves within it or leaves it. */
export interface StoredRecord extends PreparedRecord {
  outline: Outline;
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

export function prepareAll(records: readonly MatchRecord[]): PreparedRecord[] {
  const texts = records.map(writeRecord);
  const outlines = records.map((record) => writeOutline(outlineOf(record)));
  return texts.map((text, at) => {
    const carried = `${outlines[at]!}\n${text.named}`;
    return { stored: packRecord(text, carried), carried };
  });
}

export const prepare = (record: MatchRecord): StoredRecord => received(prepareAll([record])[0]!);

/** A prepared record in the thread that stores it. */
export const received = ({ stored, carried }: PreparedRecord): StoredRecord => ({
  outline: readOutline(stored, carried) ?? outlineOf(restoreRecord(stored)),
  stored,
  carried,
});

/** A stored record, as if it were ingested again. */
export const restore = (stored: StoredMatch): StoredRecord =>
  received({ stored, carried: fragmentText(stored.carried) });

/** Of outlines: a feature that needs something else of records has another version, and so do its tables. */
const VERSION = crc32(
  JSON.stringify(
    FEATURES.map(({ name, derived = [] }) => [name, derived.map(({ table }) => table.derived)]),
  ),
);

type WrittenPlayer = [id: string, isShownRanked: boolean, won?: boolean, gold?: number | string];
/** Without names of members, which every record would repeat. */
type WrittenOutline = [
  version: number,
  shard: string,
  endGameReason: Outline["endGameReason"],
  players: WrittenPlayer[],
  teams: Outline["teams"],
  words: string[],
  ...parts: unknown[],
];

/** What the stored match does not say itself. An outline is stored, so that a rebuild need not parse the match. */
function writeOutline({
  shard,
  endGameReason,
  players,
  teams,
  words,
  parts,
  shownRanked,
}: Outline) {
  const written = players.map(({ id, part }): WrittenPlayer => {
    const isShown = shownRanked.includes(id);
    if (!part) return [id, isShown];
    // As the record has it nearly always, and then it takes few bytes.
    const gold = Number(part.gold) / GOLD_UNIT;
    return [id, isShown, part.won, microGold(gold) === part.gold ? gold : `${part.gold}`];
  });
  // Sorted: the order of members in the record says nothing, and equal records have equal bytes.
  const ordered = words.toSorted();
  return JSON.stringify([
    VERSION,
    ...[shard, endGameReason, written, teams, ordered],
    ...PARTS.map(([name]) => parts[name]),
  ]);
}

/** Undefined if another version has written it. */
function readOutline({ id, createdAt, gameMode, patchVersion }: StoredMatch, carried: string) {
  const [version, shard, endGameReason, players, teams, words, ...parts]: WrittenOutline =
    JSON.parse(outlineIn(carried));
  if (version !== VERSION) return undefined;
  return {
    ...{ id, shard, createdAt, gameMode, patchVersion, endGameReason, teams, words },
    parts: Object.fromEntries(PARTS.map(([name], at) => [name, parts[at]])),
    players: players.map(([id, , won, gold]) => ({
      id,
      part: won === undefined ? undefined : { won, gold: fullGold(gold!) },
    })),
    shownRanked: players.filter(([, isShown]) => isShown).map(([id]) => id),
  };
}

const fullGold = (gold: number | string) =>
  typeof gold === "number" ? microGold(gold) : BigInt(gold);
