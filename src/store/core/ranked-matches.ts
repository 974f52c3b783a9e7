/** Reads what the records of matches say about the recent ranked matches of players. */

import type { RankedTally } from "../../domain/leaderboards.ts";
import { RANKED_MODE } from "../../domain/modes.ts";
import type { MatchRow } from "../row-checks.ts";
import { someResult, unpackResult } from "../row-encoding.ts";
import { matchesWith, query, type Steps } from "../steps.ts";
import { DamagedData } from "../store.ts";

/** The matches of a range are read in steps: memory is bounded by the number of players. */
const STEP = 500;

interface Listed {
  created_at: number;
  id: string;
}

const LISTED = "SELECT created_at::float8 AS created_at, id FROM {matches} AS matches";
const NEWEST_FIRST = "ORDER BY matches.created_at DESC, matches.id DESC";

/** The matches that an index lists. Index entries have no checksum: throws DamagedData unless the matches say the same. */
function* rowsOf(listed: readonly Listed[]): Steps<MatchRow[]> {
  const rows = yield* matchesWith(listed.map(({ id }) => id));
  const found = new Map(rows.map((row) => [row.id, row]));
  return listed.map(({ id, created_at }) => {
    const row = found.get(id);
    if (row?.created_at !== created_at) throw new DamagedData("matches", id);
    return row;
  });
}

/** The creation time of the newest served match. */
export function* newestServed(): Steps<number | undefined> {
  const listed = yield* query<Listed>(`${LISTED} ${NEWEST_FIRST} LIMIT 1`);
  return (yield* rowsOf(listed))[0]?.created_at;
}

/**
 * The creation time of the newest match that is whole. Damage to matches does not make the shard unavailable, so it is
 * undefined if the latest ones are all damaged.
 */
export function* newestWhole(): Steps<number | undefined> {
  let newest: number | undefined;
  for (const { id } of yield* query<Listed>(`${LISTED} ${NEWEST_FIRST} LIMIT 5`)) {
    try {
      for (const { created_at } of yield* matchesWith([id])) {
        if (newest === undefined || created_at > newest) newest = created_at;
      }
    } catch (error) {
      if (!(error instanceof DamagedData)) throw error;
    }
  }
  return newest;
}

export const rankedMatches = {
  newestServed,

  /** The ranked matches that were created in a range, by player. */
  *rankedBetween(from: number, to: number): Steps<Map<string, RankedTally>> {
    const byNumber = new Map<number, RankedTally>();
    for (let after: Listed = { created_at: from, id: "" }; ; ) {
      const listed = yield* query<Listed>(
        `${LISTED} WHERE game_mode = '${RANKED_MODE}' AND created_at >= $1::bigint
           AND (created_at, id) > ($1::bigint, $2) AND created_at <= $3::bigint
         ORDER BY matches.created_at, matches.id LIMIT ${STEP}`,
        [after.created_at, after.id, to],
      );
      for (const row of yield* rowsOf(listed)) count(row, byNumber);
      if (listed.length < STEP) break;
      after = listed.at(-1)!;
    }
    const rows = yield* query<{ num: number; id: string }>(
      "SELECT num, id FROM {players} WHERE num = ANY($1::integer[])",
      [[...byNumber.keys()]],
    );
    const ids = new Map(rows.map(({ num, id }) => [num, id]));
    return new Map(
      [...byNumber].map(([num, tally]) => {
        const id = ids.get(num);
        if (id === undefined) throw new DamagedData("players", `number ${num}`);
        return [id, tally];
      }),
    );
  },
};

function count(row: MatchRow, byNumber: Map<number, RankedTally>): void {
  someResult(row, "players", (num, packed) => {
    const result = unpackResult(packed);
    if (result === "named") return false;
    const tally = byNumber.get(num) ?? { played: 0, wins: 0 };
    tally.played += 1;
    if (result === "won") tally.wins += 1;
    byNumber.set(num, tally);
    return false;
  });
}
