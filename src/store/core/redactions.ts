/** The players whose names must not be stored any more. */

import { get, insert, type Steps, select } from "../steps.ts";
import type { Redaction } from "../store.ts";
import { REDACTIONS } from "../tables.ts";

export const redactions = {
  *redactions(): Steps<Redaction[]> {
    const rows = yield* select(REDACTIONS, "ORDER BY redactions.player_id");
    return rows.map((row) => ({ playerId: row.player_id, redactedAt: row.redacted_at }));
  },

  /** Players who are listed already keep their time. */
  *addRedactions(added: Redaction[]): Steps<void> {
    // Of several times of a player, the first one counts.
    const times = new Map(added.toReversed().map((one) => [one.playerId, one.redactedAt]));
    const rows = [...times].map(([player_id, redacted_at]) => ({ player_id, redacted_at }));
    const known = new Set((yield* get(REDACTIONS, rows)).map(({ player_id }) => player_id));
    yield* insert(
      REDACTIONS,
      rows.filter(({ player_id }) => !known.has(player_id)),
    );
  },
};
