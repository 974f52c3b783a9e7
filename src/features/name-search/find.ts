/** Finds the players of a shard by a name that may be incomplete or mistyped. */

import type { Steps } from "../../store/steps.ts";
import type { PlayerListing, Reader } from "../../store/store.ts";
import { NameSearch, RANKS } from "./similar-names.ts";
import { charactersAfter, latestNames, latestOf, namesAround, namesBeginning } from "./stored.ts";

export interface SimilarPlayer {
  player: PlayerListing;
  /** The lowest fits best; from `RANKS.nearest` on, the name is not similar. */
  rank: number;
}

/**
 * Up to this many names that begin alike, each is looked up for its latest match. Where more do, ten of them are soon
 * found among the players of the latest matches.
 */
const MANY = 2000;
const DEPTH = 20_000;
/** How many entries of the index are read before and after a text: enough for most typos. */
const AROUND = 40;
/** How many letters are tried to correct a typo: several alphabets. */
const MAX_LETTERS = 300;
/** So that players who share a name leave room for other names. */
const MAX_PLAYERS_OF_A_NAME = 3;

/** The best `limit` are among them, in any order. */
export async function findSimilar(
  text: string,
  reader: Pick<Reader, "read" | "playersNamed">,
  limit: number,
): Promise<SimilarPlayer[]> {
  const ranks = await reader.read(() => rankedNames(text, limit));
  const most = ranks.size * MAX_PLAYERS_OF_A_NAME;
  const players = await reader.playersNamed([...ranks.keys()], most, MAX_PLAYERS_OF_A_NAME);
  return players.map((player) => ({ player, rank: ranks.get(player.name)! }));
}

function* rankedNames(text: string, limit: number): Steps<Map<string, number>> {
  const search = new NameSearch(text);
  const ranks = new Map<string, number>();
  const note = (names: readonly string[]) => {
    for (const name of names) ranks.set(name, ranks.get(name) ?? search.rankOf(name));
  };
  // Those with the same letters are the first ones, and need not be the latest.
  note(yield* namesBeginning([search.beginning], limit));
  if (ranks.size === limit) {
    note(yield* latestListed(search, search.beginning, RANKS.beginning, limit));
  } else {
    note(yield* latestListed(search, search.laterWord, RANKS.laterWord, limit));
  }
  if (ranks.size < limit) note(yield* mistyped(search, limit));
  const similar = [...ranks].filter(([, rank]) => rank < RANKS.nearest);
  if (similar.length === 0) {
    for (const name of ranks.keys()) ranks.set(name, RANKS.nearest + search.typosIn(name));
  }
  const names = yield* best(new Map(similar.length > 0 ? similar : ranks), limit);
  // The name itself may come after many of the same letters. If no player has it, nothing is found.
  ranks.set(text, RANKS.exact);
  return new Map([text, ...names].map((name) => [name, ranks.get(name)!]));
}

/** The names that fit best, and of those that fit alike the latest. */
function* best(ranks: ReadonlyMap<string, number>, limit: number): Steps<string[]> {
  const names: string[] = [];
  const byRank = Map.groupBy(ranks.keys(), (name) => ranks.get(name)!);
  for (const rank of [...byRank.keys()].sort((one, other) => one - other)) {
    const room = limit - names.length;
    const alike = byRank.get(rank)!;
    names.push(...(alike.length > room ? yield* latestOf(alike, room) : alike));
    if (names.length >= limit) break;
  }
  return names;
}

/** The names whose keys begin with this one, those of the latest matches. */
function* latestListed(
  search: NameSearch,
  key: string,
  rank: number,
  limit: number,
): Steps<string[]> {
  const listed = yield* namesBeginning([key], MANY + 1);
  if (listed.length <= MANY) return listed;
  const latest = yield* latestFitting((name) => search.rankOf(name) === rank, limit, DEPTH);
  return latest.length < limit ? [...latest, ...listed] : latest;
}

/** Enough for a name that is common among the players of the latest matches. */
const FIRST_READ = 500;

/** Of the `depth` players with the most recent matches, the names that fit: latest first, at most `limit`. */
export function* latestFitting(
  fits: (name: string) => boolean,
  limit: number,
  depth: number,
): Steps<string[]> {
  const found = new Set<string>();
  for (let from = 0, count = FIRST_READ; from < depth; from += count, count *= 4) {
    const names = yield* latestNames(from, Math.min(count, depth - from));
    for (const name of names) if (found.size < limit && fits(name)) found.add(name);
    if (found.size === limit || names.length < count) break;
  }
  return [...found];
}

/** The names with a typo or two, and others that are near in the index. */
function* mistyped(search: NameSearch, limit: number): Steps<string[]> {
  const around = yield* namesAround([search.beginning, search.reversed], AROUND, AROUND);
  const openings = search.openings(around, AROUND);
  const letters = yield* charactersAfter(openings, MAX_LETTERS);
  const { whole, beginnings } = search.corrections(openings, letters);
  return [
    ...around,
    ...(yield* namesBeginning(beginnings, limit)),
    ...(yield* namesAround(whole, 0, 1)),
  ];
}
