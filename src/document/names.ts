/** In charge of the list of names as a document: who bears each, by player id. */

import type { NameBearer } from "../store/store.ts";
import { literalPiece, type Piece } from "./fragment.ts";

export function nameListContent(bearers: readonly NameBearer[], shardId: string): Piece[] {
  const data = bearers.map(({ id, name }) => ({
    type: "player-name",
    id,
    attributes: { name, shardId },
  }));
  // To compress so little would take longer than to find it.
  return [literalPiece(`{"data":${JSON.stringify(data)}`)];
}
