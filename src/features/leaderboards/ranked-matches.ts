/** Reads what the records of matches say about the recent ranked matches of players. */

import { RANKED_MODE } from "../../domain/modes.ts";
import type { RankedTally } from "../../domain/rank.ts";
import { listedDocuments } from "../../store/core/matches.ts";
import type { MatchDocument } from "../../store/match-document.ts";
import { query, type Steps, select } from "../../store/steps.ts";
import { DamagedData, type MatchKey } from "../../store/store.ts";
import { MATCHES } from "../../store/tables.ts";

/** The matches of a range are read in steps: memory is bounded by the number of players. */
const STEP = 500;

/** The ranked matches that were created in a range, by player. */
export function* rankedBetween(from: number, to: number): Steps<Map<string, RankedTally>> {
  const byNumber = new Map<number, RankedTally>();
  for (let after: MatchKey = { createdAt: from, id: "" }; ; ) {
    const listed = yield* select(
      MATCHES,
      `WHERE matches.game_mode = '${RANKED_MODE}'
         AND (matches.created_at, matches.id) > ($1::bigint, $2) AND matches.created_at <= $3::bigint
       ORDER BY matches.created_at, matches.id LIMIT ${STEP}`,
      [after.createdAt, after.id, to],
    );
    const documents = yield* listedDocuments(listed);
    for (const document of documents) count(document, byNumber);
    if (documents.length < STEP) break;
    after = documents.at(-1)!.key;
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
}

function count({ players }: MatchDocument, byNumber: Map<number, RankedTally>): void {
  for (const { num, result } of players) {
    if (result !== "named") addTally(byNumber, num, { played: 1, wins: result === "won" ? 1 : 0 });
  }
}

export function addTally<Key>(
  tallies: Map<Key, RankedTally>,
  key: Key,
  { played, wins }: RankedTally,
  times: 1 | -1 = 1,
): void {
  const known = tallies.get(key);
  if (known) {
    known.played += times * played;
    known.wins += times * wins;
  } else tallies.set(key, { played: times * played, wins: times * wins });
}
