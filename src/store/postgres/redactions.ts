/** Reads and writes the list of redacted players, within a transaction. */

import { type RedactionRow, readRedaction, redactionChecksum } from "../row-checks.ts";
import type { Redaction } from "../store.ts";
import type { Connection } from "./session.ts";

export const REDACTION_ROWS = `SELECT player_id, redacted_at::float8 AS redacted_at,
  checksum::float8 AS checksum FROM {redactions} AS redactions`;

export function redactionTable(connection: Connection) {
  return {
    async redactions(): Promise<Redaction[]> {
      const rows = await connection.rows<RedactionRow>(`${REDACTION_ROWS} ORDER BY player_id`);
      return rows.map(readRedaction);
    },

    async addRedactions(redactions: Redaction[]): Promise<void> {
      for (const { playerId, redactedAt } of redactions) {
        const row = { player_id: playerId, redacted_at: redactedAt };
        await connection.run(
          "INSERT INTO {redactions} (player_id, redacted_at, checksum) VALUES ($1, $2::bigint, $3::bigint) ON CONFLICT DO NOTHING",
          [playerId, redactedAt, redactionChecksum(row)],
        );
      }
    },
  };
}
