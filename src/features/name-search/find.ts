/** Finds the players of a shard by a name that may be incomplete or mistyped. */

import type { PlayerListing } from "../../store/store.ts";
import { NameSearch, RANKS } from "./similar-names.ts";
import type { NameLookups } from "./stored.ts";

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
const AROUND = 150;
/** How many letters are tried to correct a typo: several alphabets. */
const MAX_LETTERS = 300;
/** So that players who share a name leave room for other names. */
const MAX_PLAYERS_OF_A_NAME = 3;

/** The best `limit` are among them, in any order. */
export async function findSimilar(
  text: string,
  lookups: NameLookups,
  limit: number,
): Promise<SimilarPlayer[]> {
  const search = new NameSearch(text);
  const ranks = new Map<string, number>();
  const note = (names: readonly string[]) => {
    for (const name of names) ranks.set(name, ranks.get(name) ?? search.rankOf(name));
  };
  // Those with the same letters are the first ones, and need not be the latest.
  note(await lookups.beginning([search.beginning], limit));
  if (ranks.size === limit) {
    note(await latestListed(lookups, search, search.beginning, RANKS.beginning, limit));
  } else {
    note(await latestListed(lookups, search, search.laterWord, RANKS.laterWord, limit));
  }
  if (ranks.size < limit) note(await mistyped(lookups, search, limit));
  const similar = [...ranks].filter(([, rank]) => rank < RANKS.nearest);
  if (similar.length === 0) {
    for (const name of ranks.keys()) ranks.set(name, RANKS.nearest + search.typosIn(name));
  }
  const names = await best(lookups, new Map(similar.length > 0 ? similar : ranks), limit);
  // The name itself may come after many of the same letters. If no player has it, nothing is found.
  ranks.set(text, RANKS.exact);
  const players = await lookups.playersNamed([...new Set([text, ...names])], MAX_PLAYERS_OF_A_NAME);
  return players.map((player) => ({ player, rank: ranks.get(player.name)! }));
}

/** The names that fit best, and of those that fit alike the latest. */
async function best(
  lookups: NameLookups,
  ranks: ReadonlyMap<string, number>,
  limit: number,
): Promise<string[]> {
  const names: string[] = [];
  const byRank = Map.groupBy(ranks.keys(), (name) => ranks.get(name)!);
  for (const rank of [...byRank.keys()].sort((one, other) => one - other)) {
    const room = limit - names.length;
    const alike = byRank.get(rank)!;
    names.push(...(alike.length > room ? await lookups.latestOf(alike, room) : alike));
    if (names.length >= limit) break;
  }
  return names;
}

/** The names whose keys begin with this one, those of the latest matches. */
async function latestListed(
  lookups: NameLookups,
  search: NameSearch,
  key: string,
  rank: number,
  limit: number,
): Promise<string[]> {
  const listed = await lookups.beginning([key], MANY + 1);
  if (listed.length <= MANY) return listed;
  const fits = (name: string) => search.rankOf(name) === rank;
  const latest = await latestFitting(lookups, fits, limit, DEPTH);
  return latest.length < limit ? [...latest, ...listed] : latest;
}

/** Enough for a name that is common among the players of the latest matches. */
const FIRST_READ = 500;

/** Of the `depth` players with the most recent matches, the names that fit: latest first, at most `limit`. */
export async function latestFitting(
  lookups: Pick<NameLookups, "latest">,
  fits: (name: string) => boolean,
  limit: number,
  depth: number,
): Promise<string[]> {
  const found = new Set<string>();
  for (let from = 0, count = FIRST_READ; from < depth; from += count, count *= 4) {
    const names = await lookups.latest(from, Math.min(count, depth - from));
    for (const name of names) if (found.size < limit && fits(name)) found.add(name);
    if (found.size === limit || names.length < count) break;
  }
  return [...found];
}

/** The names with a typo or two, and others that are near in the index. */
async function mistyped(
  lookups: NameLookups,
  search: NameSearch,
  limit: number,
): Promise<string[]> {
  const around = await lookups.around([search.beginning, search.reversed], AROUND, AROUND);
  const openings = search.openings(around, AROUND);
  const letters = await lookups.charactersAfter(openings, MAX_LETTERS);
  const { all, inBeginnings } = search.corrections(openings, letters);
  return [
    ...around,
    ...(await lookups.beginning(inBeginnings, limit)),
    ...(await lookups.around(all, 0, 1)),
  ];
}
