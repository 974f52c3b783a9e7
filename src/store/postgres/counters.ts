/** In charge of the counters inside a transaction: ranked evidence, who depends on it, the vocabulary. */

import type { Connection } from "./session.ts";

export class Counters {
  constructor(private readonly connection: Connection) {}

  async rankedEvidence(playerIds: string[]): Promise<Map<string, number>> {
    return rankedEvidence(this.connection, playerIds);
  }

  changeRankedEvidence(changes: ReadonlyMap<string, number>): Promise<void> {
    return this.#count("ranked_evidence", "player_id", changes);
  }

  async dependents(playerIds: string[]): Promise<string[]> {
    if (playerIds.length === 0) return [];
    const rows = await this.connection.rows<{ match_id: string }>(
      "SELECT DISTINCT match_id FROM {dependents} WHERE player_id = ANY($1::text[])",
      [playerIds],
    );
    return rows.map((row) => row.match_id);
  }

  async addDependents(pairs: [string, string][]): Promise<void> {
    if (pairs.length === 0) return;
    await this.connection.run(
      "INSERT INTO {dependents} (player_id, match_id) SELECT * FROM unnest($1::text[], $2::text[])",
      columnsOf(pairs),
    );
  }

  async removeDependents(pairs: [string, string][]): Promise<void> {
    if (pairs.length === 0) return;
    await this.connection.run(
      `DELETE FROM {dependents} AS old USING unnest($1::text[], $2::text[]) AS gone (player, match)
       WHERE old.player_id = gone.player AND old.match_id = gone.match`,
      columnsOf(pairs),
    );
  }

  changeVocabulary(changes: ReadonlyMap<string, number>): Promise<void> {
    return this.#count("vocabulary", "word", changes);
  }

  /** Adds to the counters of a table; a counter that reaches zero goes away. */
  async #count(table: string, key: string, changes: ReadonlyMap<string, number>): Promise<void> {
    if (changes.size === 0) return;
    const names = [...changes.keys()];
    await this.connection.run(
      `INSERT INTO {${table}} AS old (${key}, records)
       SELECT * FROM unnest($1::text[], $2::integer[])
       ON CONFLICT (${key}) DO UPDATE SET records = old.records + excluded.records`,
      [names, [...changes.values()]],
    );
    if ([...changes.values()].every((change) => change >= 0)) return;
    await this.connection.run(
      `DELETE FROM {${table}} WHERE ${key} = ANY($1::text[]) AND records <= 0`,
      [names],
    );
  }
}

export async function rankedEvidence(
  connection: Connection,
  playerIds: string[],
): Promise<Map<string, number>> {
  if (playerIds.length === 0) return new Map();
  const rows = await connection.rows<{ player_id: string; records: number }>(
    "SELECT player_id, records FROM {ranked_evidence} WHERE player_id = ANY($1::text[])",
    [playerIds],
  );
  return new Map(rows.map((row) => [row.player_id, row.records]));
}

function columnsOf(pairs: readonly [string, string][]): [string[], string[]] {
  return [pairs.map(([one]) => one), pairs.map(([, other]) => other)];
}
