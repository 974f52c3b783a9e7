/** The resources of the company of a player. */

import type { Companion } from "../domain/company.ts";
import { formatTimestamp } from "../domain/time.ts";
import { type Piece, pieceOf } from "./fragment.ts";

export function companyContent(
  company: readonly Companion[],
  names: ReadonlyMap<string, string>,
): Piece[] {
  const data = company.map(({ id, with: allied, against, lastPlayedAt }) => ({
    type: "company",
    id,
    attributes: {
      name: names.get(id)!,
      with: allied,
      against,
      lastPlayedAt: formatTimestamp(lastPlayedAt),
    },
    relationships: { player: { data: { type: "player", id } } },
  }));
  return [pieceOf(Buffer.from(`{"data":${JSON.stringify(data)}`))];
}
