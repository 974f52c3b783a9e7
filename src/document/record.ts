/** In charge of turning a match record into what a store keeps, and back without loss. */

import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { keyOf, type Resource } from "../domain/json.ts";
import { describeMatch, type MatchRecord, type Named } from "../domain/match.ts";
import type { StoredMatch } from "../store/store.ts";
import { canonicalList, canonicalResource } from "./canonical.ts";
import { fragmentText, writeFragment } from "./fragment.ts";

export function storeRecord(record: MatchRecord): StoredMatch {
  const resource = canonicalResource(record.match);
  const included = canonicalList(record.own);
  return {
    id: record.id,
    createdAt: record.createdAt,
    gameMode: record.gameMode,
    patchVersion: record.patchVersion,
    contentHash: contentHash(record, resource, included),
    resource: writeFragment(resource),
    included: writeFragment(included),
    digest: digestOf([record.match, ...record.own]),
    carried: writeFragment(
      `{"players":[${record.players.map(writeNamed)}],"teams":[${record.teams.map(writeNamed)}]}`,
    ),
  };
}

/** The record again, exactly. Throws DamagedFragment. */
export function restoreRecord(stored: StoredMatch): MatchRecord {
  return describeMatch({
    match: JSON.parse(fragmentText(stored.resource)),
    own: JSON.parse(`[${fragmentText(stored.included)}]`),
    ...(JSON.parse(fragmentText(stored.carried)) as { players: Named[]; teams: Named[] }),
  });
}

function writeNamed(named: Named): string {
  const companions = canonicalList(named.companions);
  return `{"id":${JSON.stringify(named.id)},"carried":${canonicalResource(named.carried)},"companions":[${companions}]}`;
}

/**
 * Records are equal when all but their players' attributes is: a match that is sent again later
 * shows its players as they are then, and is still the same match.
 */
function contentHash(record: MatchRecord, resource: string, included: string): Uint8Array {
  const withoutAttributes = record.players.map(({ carried, companions }) => {
    const { attributes: _, ...rest } = carried;
    return `${canonicalResource(rest as Resource)},${canonicalList(companions)}`;
  });
  const teams = record.teams.map(
    ({ carried, companions }) => `${canonicalResource(carried)},${canonicalList(companions)}`,
  );
  return createHash("sha256")
    .update(JSON.stringify([resource, included, withoutAttributes.sort(), teams.sort()]))
    .digest()
    .subarray(0, 16);
}

function digestOf(resources: Resource[]): Uint8Array {
  const digest = Buffer.allocUnsafe(4 * resources.length);
  resources.forEach((resource, index) => {
    digest.writeUInt32LE(crc32(keyOf(resource)), 4 * index);
  });
  return digest;
}
