/** Reads who was in a match, for both adapters. */

import type { MatchDocument } from "./match-document.ts";
import type { Lineup, NamedPlayer } from "./store.ts";

export const lineupOf = (match: MatchDocument, playerOf: (num: number) => NamedPlayer): Lineup => ({
  createdAt: match.createdAt,
  players: match.players.map(({ num, result }) => {
    const { id, name } = playerOf(num);
    return { id, name, result };
  }),
  match: match.encoded,
});
