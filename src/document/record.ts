/** Encodes a match record for the store, and restores it without loss. */

import { keyOf, type Resource, references } from "../domain/json.ts";
import { describeMatch, type MatchParts, type MatchRecord, type Named } from "../domain/match.ts";
import type { Fragment, StoredMatch } from "../store/store.ts";
import { canonicalList, canonicalResource } from "./canonical.ts";
import { encodeMatch, readEncodedMatch } from "./encoded-match.ts";
import { fragmentText, inflateEach, readFragment, writeFragment } from "./fragment.ts";

const HASH_BYTES = 16;

/** What a record carried about a player or team. */
export interface CarriedText {
  id: string;
  resource: string;
  /** A list without its brackets. */
  companions: string;
}

/** A record as canonical JSON: all that is kept of it, not compressed yet. */
export interface RecordText {
  id: string;
  createdAt: number;
  gameMode: string;
  patchVersion: string;
  contentHash: Uint8Array;
  resource: string;
  included: string;
  /** The names of the resources in those two. */
  keys: string[];
  stitchable: boolean;
  players: CarriedText[];
  teams: CarriedText[];
}

export function writeRecord(record: MatchRecord): RecordText {
  const resource = canonicalResource(record.match);
  const included = canonicalList(record.own);
  const { players, teams } = writeCarried(record);
  const keys = record.own.map(keyOf);
  keys.unshift(keyOf(record.match));
  return {
    id: record.id,
    createdAt: record.createdAt,
    gameMode: record.gameMode,
    patchVersion: record.patchVersion,
    contentHash: contentHash(
      resource,
      included,
      identities(record.players, players),
      identities(record.teams, teams),
    ),
    resource,
    included,
    keys,
    stitchable: !namesIndirectly(record),
    players,
    teams,
  };
}

/** What the record carried about its players and teams. */
export function writeCarried(record: MatchRecord): Pick<RecordText, "players" | "teams"> {
  return { players: record.players.map(writeNamed), teams: record.teams.map(writeNamed) };
}

export function packRecord(text: RecordText): StoredMatch {
  const { id, createdAt, gameMode, patchVersion, contentHash } = text;
  return {
    id,
    createdAt,
    gameMode,
    patchVersion,
    contentHash,
    sheet: encodeMatch(text),
    carried: writeFragment(
      `{"players":[${text.players.map(namedMember)}],"teams":[${text.teams.map(namedMember)}]}`,
    ),
  };
}

/** The record again, exactly. Throws DamagedFragment. */
export function restoreRecord(stored: StoredMatch): MatchRecord {
  const { resource, included } = readEncodedMatch(stored.sheet);
  const plain = inflateEach([resource, included, readFragment(stored.carried)]);
  const [match, own, carried] = plain.map((text) => text.toString()) as [string, string, string];
  return describeMatch({
    match: JSON.parse(match),
    own: JSON.parse(`[${own}]`),
    ...(JSON.parse(carried) as Carried),
  });
}

type Carried = Pick<MatchParts, "players" | "teams">;

/** The players and teams as a record carried them. Throws DamagedFragment. */
export function restoreCarried(carried: Fragment): Carried {
  return JSON.parse(fragmentText(carried));
}

function writeNamed({ id, carried, companions }: Named): CarriedText {
  return { id, resource: canonicalResource(carried), companions: canonicalList(companions) };
}

function namedMember({ id, resource, companions }: CarriedText): string {
  return `{"id":${JSON.stringify(id)},"carried":${resource},"companions":[${companions}]}`;
}

/**
 * Records are equal when all but the attributes of their players and teams is: a match that is sent
 * again later shows them as they are then, and is still the same match.
 */
function contentHash(
  resource: string,
  included: string,
  players: CarriedText[],
  teams: CarriedText[],
): Uint8Array {
  const part = (text: string) => `${text.length}:${text}`;
  let all = part(resource) + part(included);
  for (const named of [players, teams]) {
    for (const one of named.toSorted(byId)) all += part(one.resource) + part(one.companions);
  }
  return Bun.CryptoHasher.hash("sha256", all).subarray(0, HASH_BYTES);
}

/** Players or teams as they were written, without their attributes. */
function identities(named: readonly Named[], written: CarriedText[]): CarriedText[] {
  return named.map(({ id, carried: { attributes: _, ...rest } }, at) => ({
    id,
    resource: canonicalResource(rest as Resource),
    companions: written[at]!.companions,
  }));
}

function byId(a: CarriedText, b: CarriedText): number {
  return a.id < b.id ? -1 : 1;
}

/**
 * Whether a player or team is named by another player or team only. As soon as that one stops naming
 * it, nothing does: such a match is never stitched.
 */
function namesIndirectly({ match, own, players, teams }: MatchRecord): boolean {
  const named = [...players, ...teams].map(({ carried }) => carried);
  if (named.every(({ relationships }) => relationships === undefined)) return false;
  const direct = new Set(
    [match, ...own].flatMap(({ relationships = {} }) =>
      Object.values(relationships).flatMap(references).map(keyOf),
    ),
  );
  return named.some((resource) => !direct.has(keyOf(resource)));
}
