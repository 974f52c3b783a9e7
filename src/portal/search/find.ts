/** Finds players and matches by what was typed or pasted: a name, in any case and with typos, or an id. */

import type { Matchbook, Schemas } from "../../../client/src/index.ts";
import { MAX_NAMES, MAX_NEAR_LENGTH } from "../../features/name-search/parameters.ts";
import { NameSearch, RANKS } from "../../features/name-search/similar-names.ts";
import type { KnownPlayer } from "../favourites.ts";
import type { Source } from "./suggestions.ts";

/** A player, or the match whose id was searched for. */
export interface Suggestion extends KnownPlayer {
  readonly isMatch?: boolean;
  readonly skillTier?: number | undefined;
  /** The time of the match, or of the last match of the player. */
  readonly lastMatchAt?: string | undefined;
}

export interface Found {
  /** The text that was searched for. */
  text: string;
  /** The best first. */
  all: readonly Suggestion[];
  /** Whether no name is similar, so that these are only the nearest ones. */
  isNearest: boolean;
  /** Regions that did not answer, while others did. */
  unavailable: readonly string[];
}

const NOTHING: Found = { text: "", all: [], isNearest: false, unavailable: [] };

/** Searches one region, or all of them: one request. It remembers what it found, until the text is emptied. */
export function playersOf(matchbook: Matchbook, shard?: string): Source<Found> {
  const path = `${shard === undefined ? "" : `/shards/${encodeURIComponent(shard)}`}/player-names`;
  const memory = new Map<string, Found>();
  return {
    known: (text) =>
      text === "" ? NOTHING : (memory.get(text) ?? fromBeginning(text, memory.values())),
    async fetch(text, signal) {
      const near = encodeURIComponent(
        Array.from(text.toWellFormed()).slice(0, MAX_NEAR_LENGTH).join(""),
      );
      const { document } = await matchbook.get<Schemas.NameSearch>(
        `${path}?filter%5Bnear%5D=${near}`,
        { signal },
      );
      const { nearest = false, unavailable = [] } = document.meta ?? {};
      const all = document.data.map(suggestionOf);
      const found = { text, all, isNearest: nearest, unavailable };
      memory.set(text, found);
      return found;
    },
  };
}

function suggestionOf(item: Schemas.NameSearch["data"][number]): Suggestion {
  const { id, attributes } = item;
  const { shardId: shard, ...rest } = attributes;
  return "name" in rest
    ? { shard, id, ...rest }
    : { shard, id, isMatch: true, name: "Match", lastMatchAt: rest.createdAt };
}

/**
 * A text whose beginning found all similar names needs no request, as long as one of them goes on as it was typed: names
 * with typos in the beginning are among them, and others would come after it.
 */
function fromBeginning(text: string, memory: Iterable<Found>): Found | undefined {
  const search = new NameSearch(text);
  for (const found of memory) {
    const isWhole =
      found.all.length < MAX_NAMES && !found.isNearest && found.unavailable.length === 0;
    if (!isWhole || !text.startsWith(found.text)) continue;
    const ranked = found.all
      .map((one) => ({ one, rank: one.isMatch ? RANKS.nearest : search.rankOf(one.name) }))
      .filter(({ rank }) => rank < RANKS.nearest)
      .sort((one, other) => one.rank - other.rank);
    if (ranked[0] && ranked[0].rank <= RANKS.laterWord)
      return { ...found, text, all: ranked.map(({ one }) => one) };
  }
  return undefined;
}
