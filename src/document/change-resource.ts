/** A change of a served match as a JSON:API resource. */

import { formatTimestamp } from "../domain/time.ts";
import { formatCursor } from "../query/log-cursor.ts";
import type { Change } from "../store/store.ts";

/** Its id is the cursor after this change. */
export function changeResource({ position, kind, committedAt, match, players }: Change) {
  return {
    type: "change",
    id: formatCursor(position),
    attributes: {
      kind,
      changedAt: formatTimestamp(committedAt),
      createdAt: formatTimestamp(match.createdAt),
      gameMode: match.gameMode,
      patchVersion: match.patchVersion,
    },
    relationships: {
      match: { data: { type: "match", id: match.id } },
      players: { data: players.map((id) => ({ type: "player", id })) },
    },
  };
}
