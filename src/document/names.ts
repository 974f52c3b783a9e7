/** In charge of the list of names as a document: who bears each, by player id. */

import type { NameBearer } from "../store/store.ts";
import { type Piece, pieceOf } from "./fragment.ts";

export function nameListContent(bearers: readonly NameBearer[], shardId: string): Piece[] {
  const data = bearers.map(({ id, name }) => ({
    type: "player-name",
    id,
    attributes: { name, shardId },
  }));
  return [pieceOf(`{"data":${JSON.stringify(data)}`)];
}
