/** Reads and writes the list of redacted players, within a transaction. */

import type { Database } from "bun:sqlite";
import { type RedactionRow, readRedaction, redactionChecksum } from "../row-checks.ts";
import type { Redaction } from "../store.ts";
import { asReadError } from "./sqlite-errors.ts";
import { type Statements, withStatements } from "./statements.ts";

export function readRedactions(database: Database): Redaction[] {
  try {
    return withStatements(database, (statements) => redactionTable(statements).redactions());
  } catch (error) {
    throw asReadError(error, database);
  }
}

export function redactionTable(database: Statements) {
  return {
    redactions: (): Redaction[] =>
      database
        .get<RedactionRow>(
          "SELECT player_id, redacted_at, checksum FROM redactions ORDER BY player_id",
        )
        .all()
        .map(readRedaction),

    addRedactions(redactions: Redaction[]): void {
      for (const { playerId, redactedAt } of redactions) {
        const row = { player_id: playerId, redacted_at: redactedAt };
        database.run(
          "INSERT INTO redactions (player_id, redacted_at, checksum) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
          playerId,
          redactedAt,
          redactionChecksum(row),
        );
      }
    },
  };
}
