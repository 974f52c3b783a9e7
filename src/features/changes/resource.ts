/** The resources of the change feed. */

import { formatTimestamp } from "../../domain/time.ts";
import type { Change } from "../../store/store.ts";
import { encodeLogCursor } from "./cursor.ts";

/** The JSON of a change. Streams share the changes they send, so each is written once. */
export function changeJson(change: Change): string {
  const known = written.get(change);
  if (known !== undefined) return known;
  const json = JSON.stringify(changeResource(change));
  written.set(change, json);
  return json;
}

const written = new WeakMap<Change, string>();

export function changeResource({ position, kind, committedAt, match, players }: Change) {
  return {
    type: "change",
    id: encodeLogCursor(position),
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
