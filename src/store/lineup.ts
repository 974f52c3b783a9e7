/** Reads who was in a match from its row, for both adapters. */

import type { MatchRow } from "./row-checks.ts";
import { playersIn, unpackServed } from "./row-encoding.ts";
import type { Lineup, NamedPlayer } from "./store.ts";

/** Of a row that has been verified. */
export const lineupOf = (row: MatchRow, playerOf: (num: number) => NamedPlayer): Lineup => ({
  createdAt: row.created_at,
  players: playersIn(row).map(({ num, result }) => {
    const { id, name } = playerOf(num);
    return { id, name, result };
  }),
  match: unpackServed(row.document, [], []),
});
