/** Ranked evidence, dependents and vocabulary. */

import { get, insert, put, query, remove, type Steps } from "../steps.ts";
import type { DependentPair } from "../store.ts";
import type { Table } from "../table.ts";
import { DEPENDENTS, RANKED_EVIDENCE, VOCABULARY } from "../tables.ts";

export const counters = {
  *rankedEvidence(playerIds: string[]): Steps<Map<string, number>> {
    const rows = yield* get(
      RANKED_EVIDENCE,
      playerIds.map((player_id) => ({ player_id })),
    );
    return new Map(rows.map(({ player_id, records }) => [player_id, records]));
  },

  changeRankedEvidence: (changes: ReadonlyMap<string, number>) =>
    changeRecords(
      RANKED_EVIDENCE,
      [...changes].map(([player_id, records]) => ({ player_id, records })),
    ),

  *dependents(playerIds: string[]): Steps<string[]> {
    const rows = yield* query<{ match_id: string }>(
      "SELECT DISTINCT match_id FROM {dependents} WHERE player_id = ANY($1::text[])",
      [playerIds],
    );
    return rows.map(({ match_id }) => match_id);
  },

  addDependents: (pairs: DependentPair[]) => insert(DEPENDENTS, pairs.map(dependent)),
  removeDependents: (pairs: DependentPair[]) => remove(DEPENDENTS, pairs.map(dependent)),

  changeVocabulary: (changes: ReadonlyMap<string, number>) =>
    changeRecords(
      VOCABULARY,
      [...changes].map(([word, records]) => ({ word, records })),
    ),
};

const dependent = ([player_id, match_id]: DependentPair) => ({ player_id, match_id });

/** Counts that reach zero are deleted. */
function* changeRecords<Row extends { records: number }>(
  table: Table<Row>,
  changes: readonly Row[],
): Steps<void> {
  const stored = yield* get(table, changes);
  const before = new Map(stored.map((row) => [table.label(row), row.records]));
  const now = changes.map((change) => ({
    ...change,
    records: (before.get(table.label(change)) ?? 0) + change.records,
  }));
  yield* put(
    table,
    now.filter(({ records }) => records > 0),
  );
  yield* remove(
    table,
    now.filter(({ records }) => records <= 0),
  );
}
