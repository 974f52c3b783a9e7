/** In charge of turning a match record into what a store keeps, and back without loss. */

import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { keyOf, type Resource, references } from "../domain/json.ts";
import { describeMatch, type MatchRecord, type Named } from "../domain/match.ts";
import type { StoredMatch } from "../store/store.ts";
import { canonicalList, canonicalResource } from "./canonical.ts";
import { fragmentText, writeFragment } from "./fragment.ts";

const HASH_BYTES = 16;

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
    digest: digestOf(record),
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
  const hash = createHash("sha256");
  const add = (text: string) => hash.update(`${text.length}:`).update(text);
  add(resource);
  add(included);
  for (const { carried, companions } of byId(record.players)) {
    const { attributes: _, ...rest } = carried;
    add(canonicalResource(rest as Resource));
    add(canonicalList(companions));
  }
  for (const { carried, companions } of byId(record.teams)) {
    add(canonicalResource(carried));
    add(canonicalList(companions));
  }
  return hash.digest().subarray(0, HASH_BYTES);
}

function byId<T extends Named>(named: T[]): T[] {
  return named.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * A match whose digest has a hash twice is never stitched. That is so for one with a player or team
 * that only another player or team names: as soon as that one stops naming it, nothing does.
 */
function digestOf(record: MatchRecord): Uint8Array {
  const resources = [record.match, ...record.own];
  if (namesIndirectly(record, resources)) resources.push(record.match);
  const digest = Buffer.allocUnsafe(4 * resources.length);
  resources.forEach((resource, index) => {
    digest.writeUInt32LE(crc32(keyOf(resource)), 4 * index);
  });
  return digest;
}

function namesIndirectly({ players, teams }: MatchRecord, resources: Resource[]): boolean {
  const named = [...players, ...teams].map(({ carried }) => carried);
  if (named.every(({ relationships }) => relationships === undefined)) return false;
  const direct = new Set(
    resources.flatMap(({ relationships = {} }) =>
      Object.values(relationships).flatMap(references).map(keyOf),
    ),
  );
  return named.some((resource) => !direct.has(keyOf(resource)));
}
