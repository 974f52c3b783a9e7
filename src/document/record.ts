/** Encodes a match record for storage, and restores it exactly. */

import { keyOf, type Resource, references } from "../domain/json.ts";
import {
  describeMatch,
  type MatchParts,
  type MatchRecord,
  type Named,
  type Side,
  sidesOf,
} from "../domain/match.ts";
import { type ByteRange, whole } from "../store/byte-range.ts";
import type { Fragment, StoredMatch } from "../store/store.ts";
import { canonicalList, canonicalResource } from "./canonical.ts";
import { encodeMatch, readEncodedMatch } from "./encoded-match.ts";
import { readFragment, writeFragment } from "./fragment.ts";
import { fragmentText, inflateEach } from "./join-pieces.ts";

const HASH_BYTES = 16;

/** A player or team as it is in a record. */
export interface CarriedText {
  id: string;
  resource: string;
  /** A JSON list without brackets. */
  companions: string;
}

/** A record as canonical JSON, before compression. */
export interface RecordText {
  id: string;
  createdAt: number;
  gameMode: string;
  patchVersion: string;
  contentHash: Uint8Array;
  resource: string;
  included: string;
  /** "type/id" of each resource in `resource` and `included`. */
  keys: string[];
  joinable: boolean;
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
    joinable: !namesIndirectly(record),
    players,
    teams,
  };
}

/** The players and teams as they are in the record. */
export function writeCarried({ players, teams }: Carried): Pick<RecordText, "players" | "teams"> {
  return { players: players.map(writeNamed), teams: teams.map(writeNamed) };
}

/** `outline` is one line, which can be read without the rest. */
export function packRecord(text: RecordText, outline: string): StoredMatch {
  const { id, createdAt, gameMode, patchVersion, contentHash } = text;
  return {
    id,
    createdAt,
    gameMode,
    patchVersion,
    contentHash,
    encoded: encodeMatch(text),
    carried: writeFragment(
      `${outline}\n[[${text.players.map(namedList)}],[${text.teams.map(namedList)}]]`,
    ),
  };
}

/** One player of a record, in the form of `carried`. */
export const packPlayer = (player: CarriedText): Fragment =>
  writeFragment(`[[${namedList(player)}],[]]`);

export const packNamedPlayer = (player: Named): Fragment => packPlayer(writeNamed(player));

export function restoreRecord(stored: StoredMatch): MatchRecord {
  return recordOf(textsOf(stored));
}

/** The document from which ingest makes this record again, as one line of JSON. */
export function recordDocument(stored: StoredMatch): string {
  const { match, own, carried } = textsOf(stored);
  const { players, teams } = parseCarried(carried);
  // Several players may link to the same resource, which a document includes once.
  const linked = new Map<string, Resource>();
  for (const { carried: resource, companions } of [...players, ...teams]) {
    for (const one of [resource, ...companions]) linked.set(keyOf(one), one);
  }
  const included = [own, canonicalList([...linked.values()])].filter((list) => list !== "");
  return `{"data":${match},"included":[${included}]}`;
}

type Texts = Record<"match" | "own" | "carried", string>;

function textsOf({ encoded, carried: fragment }: StoredMatch): Texts {
  const { resource, included } = readEncodedMatch(whole(encoded));
  const plain = inflateEach([resource, included, readFragment(fragment)]);
  const [match, own, carried] = plain.map((text) => text.toString()) as [string, string, string];
  return { match, own, carried };
}

function recordOf({ match, own, carried }: Texts): MatchRecord {
  return describeMatch({
    match: JSON.parse(match),
    own: JSON.parse(`[${own}]`),
    ...parseCarried(carried),
  });
}

/** The two sides of an encoded match. */
export function sidesIn(match: ByteRange): Side[] {
  const { resource, included } = readEncodedMatch(match);
  const [text, own] = inflateEach([resource, included]).map(String) as [string, string];
  return sidesOf({ match: JSON.parse(text), own: JSON.parse(`[${own}]`) });
}

type Carried = Pick<MatchParts, "players" | "teams">;

/** The players and teams as they were in the record. */
export const restoreCarried = (carried: Fragment): Carried => parseCarried(fragmentText(carried));

/** The line that was stored before the players and teams. */
export function storedOutline(carried: Fragment): string {
  const text = fragmentText(carried);
  return text.slice(0, text.indexOf("\n"));
}

/** JSON as it is written here has no line ends. */
function parseCarried(text: string): Carried {
  const [players, teams]: Resource[][][] = JSON.parse(text.slice(text.indexOf("\n") + 1));
  return { players: players!.map(readNamed), teams: teams!.map(readNamed) };
}

const readNamed = ([carried, ...companions]: Resource[]): Named => ({
  id: carried!.id,
  carried: carried!,
  companions,
});

function writeNamed({ id, carried, companions }: Named): CarriedText {
  return { id, resource: canonicalResource(carried), companions: canonicalList(companions) };
}

/** A player or team, then what only it links to. */
const namedList = ({ resource, companions }: CarriedText): string =>
  companions === "" ? `[${resource}]` : `[${resource},${companions}]`;

/**
 * Ignores the attributes of players and teams: they may have changed when the same match is sent
 * again.
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

/** Players or teams without their attributes. */
function identities(
  named: readonly Named[],
  written: readonly Pick<CarriedText, "companions">[],
): CarriedText[] {
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
 * Whether a player or team is referenced only by another player or team. That one may later stop
 * referencing it, so documents with this match must be rebuilt.
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
