/** Ranked evidence, dependents and vocabulary. */

import { get, insert, merge, query, remove, type Steps } from "../steps.ts";
import { DamagedData, type DependentPair, type Vocabulary } from "../store.ts";
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

/** Stored words have a prefix: "path:…" or "type:…". */
export function* readVocabulary(): Steps<Vocabulary> {
  const words = (yield* query<{ word: string }>("SELECT word FROM {vocabulary}")).map(
    ({ word }) => {
      if (typeof word !== "string") throw new DamagedData(VOCABULARY.name, String(word));
      return word;
    },
  );
  const after = (prefix: string) =>
    new Set(
      words.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length)),
    );
  return { includePaths: after("path:"), types: after("type:") };
}

const dependent = ([player_id, match_id]: DependentPair) => ({ player_id, match_id });

/** Counts that reach zero are deleted. */
const changeRecords = <Row extends { records: number }, Key extends keyof Row>(
  table: Table<Row, Key>,
  changes: readonly Row[],
): Steps<void> =>
  merge(table, changes, (row, stored) => {
    const records = row.records + (stored?.records ?? 0);
    return records > 0 ? { ...row, records } : undefined;
  });
