/** The resources of hero statistics. */

import type { ActorSummary } from "../domain/actors.ts";
import { type Piece, pieceOf } from "./fragment.ts";

export function actorListContent(actors: readonly ActorSummary[]): Piece[] {
  const data = actors.map(({ actor, ...attributes }) => ({ type: "actor", id: actor, attributes }));
  return [pieceOf(Buffer.from(`{"data":${JSON.stringify(data)}`))];
}
