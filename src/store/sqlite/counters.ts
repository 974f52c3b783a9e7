/**
 * In charge of what a shard counts and links beside its matches: which players records show to be
 * ranked, which matches depend on that, which words records carry.
 */

import type { Statements } from "./statements.ts";

/** Adds to a counter, and forgets it at zero. */
interface Counter {
  add: string;
  drop: string;
}

const RANKED_EVIDENCE = counterIn("ranked_evidence", "player_id");
const VOCABULARY = counterIn("vocabulary", "word");

function counterIn(table: string, key: string): Counter {
  return {
    add: `INSERT INTO ${table} (${key}, records) VALUES (?, ?)
          ON CONFLICT (${key}) DO UPDATE SET records = records + excluded.records`,
    drop: `DELETE FROM ${table} WHERE ${key} = ? AND records <= 0`,
  };
}

export class Counters {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  rankedEvidence(playerIds: string[]): Map<string, number> {
    const evidence = new Map<string, number>();
    for (const id of playerIds) {
      const row = this.#statements.row<{ records: number }>(
        "SELECT records FROM ranked_evidence WHERE player_id = ?",
        id,
      );
      if (row) evidence.set(id, row.records);
    }
    return evidence;
  }

  changeRankedEvidence(changes: ReadonlyMap<string, number>): void {
    this.#change(RANKED_EVIDENCE, changes);
  }

  dependents(playerIds: string[]): string[] {
    const found = new Set<string>();
    const ofPlayer = this.#statements.get<{ match_id: string }>(
      "SELECT match_id FROM dependents WHERE player_id = ? ORDER BY match_id",
    );
    for (const id of playerIds) {
      for (const row of ofPlayer.all(id)) found.add(row.match_id);
    }
    return [...found];
  }

  addDependents(pairs: [string, string][]): void {
    for (const pair of pairs) {
      this.#statements.run("INSERT INTO dependents (player_id, match_id) VALUES (?, ?)", ...pair);
    }
  }

  removeDependents(pairs: [string, string][]): void {
    for (const pair of pairs) {
      this.#statements.run("DELETE FROM dependents WHERE player_id = ? AND match_id = ?", ...pair);
    }
  }

  changeVocabulary(changes: ReadonlyMap<string, number>): void {
    this.#change(VOCABULARY, changes);
  }

  #change(counter: Counter, changes: ReadonlyMap<string, number>): void {
    for (const [name, change] of changes) {
      this.#statements.run(counter.add, name, change);
      if (change < 0) this.#statements.run(counter.drop, name);
    }
  }
}
