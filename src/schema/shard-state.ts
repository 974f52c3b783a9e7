/** The lines of an export that are not records: what a shard has besides them. All members are known. */

import { array, closed, integer, object, string } from "./json-schema.ts";
import { Id, Shard } from "./resources.ts";

/** Bounded, because players are served a number. */
export const INTEGER = "^(0|-?[1-9]\\d{0,299})$";

/** What a column of PostgreSQL can hold. */
const count = integer({ minimum: 0, maximum: 2 ** 31 - 1 });

const standing = closed({
  played: count,
  wins: count,
  playedRanked: count,
  rankedWins: count,
  gold: string({ pattern: INTEGER }),
  streak: integer({}),
  latestMatch: Id,
  latestAt: string(),
  resource: object({}),
  companions: array(object({ type: string(), id: string() })),
});

export const STATES = {
  redacted: closed({ player: Id, redactedAt: string() }),
  base: closed({ player: Id, rankedEvidence: count }, { standing }),
  kept: object({ table: string() }),
  pruned: closed({ before: string(), left: count }),
};

export const StateLine = closed({
  // Rejected lines come with the reasons.
  meta: closed({ matchbook: closed({ shard: Shard }, STATES) }, { rejected: {} }),
});
