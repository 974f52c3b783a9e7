/** The lines of an export that are not records: what a shard has besides them. All members are known. */

import { COUNTED_MODES, MAX_ACTOR_LENGTH } from "../domain/actors.ts";
import { array, closed, integer, object, string } from "./json-schema.ts";
import { Id, MAX_NAME_LENGTH, NO_NUL, Shard } from "./resources.ts";

/** Bounded, because players are served a number. */
export const INTEGER = "^(0|-?[1-9]\\d{0,299})$";

/** What a column of PostgreSQL can hold. */
const count = integer({ minimum: 0, maximum: 2 ** 31 - 1 });

const standing = closed(
  {
    played: count,
    wins: count,
    playedRanked: count,
    gold: string({ pattern: INTEGER }),
    streak: integer({}),
    latestMatch: Id,
    latestAt: string(),
    resource: object({}),
    companions: array(object({ type: string(), id: string() })),
  },
  // Earlier versions did not count them.
  { rankedWins: count },
);

const sum = string({ pattern: INTEGER });

const actor = closed({
  gameMode: string({ enum: [...COUNTED_MODES] }),
  patchVersion: string({ maxLength: MAX_NAME_LENGTH, pattern: NO_NUL }),
  actor: string({ maxLength: MAX_ACTOR_LENGTH, pattern: NO_NUL }),
  picks: integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  wins: integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  kills: sum,
  deaths: sum,
  assists: sum,
  gold: sum,
  farm: sum,
});

export const STATES = {
  redacted: closed({ player: Id, redactedAt: string() }),
  base: closed({ player: Id, rankedEvidence: count }, { standing }),
  actor,
  pruned: closed({ before: string(), left: count }),
};

export const StateLine = closed({
  // Rejected lines come with the reasons.
  meta: closed({ matchbook: closed({ shard: Shard }, STATES) }, { rejected: {} }),
});
