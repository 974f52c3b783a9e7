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

/** A player or team of a record as canonical JSON. */
interface NamedText {
  id: string;
  resource: string;
  /** A list without brackets. */
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
  /** A line for each player and team. */
  named: string;
}

export function writeRecord(record: MatchRecord): RecordText {
  const resource = canonicalResource(record.match);
  const included = canonicalList(record.own);
  const players = record.players.map(writeNamed);
  const teams = record.teams.map(writeNamed);
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
    named: [...players, ...teams].map(lineOf).join("\n"),
  };
}

/** `carried` is the outline, which is one line, and what the record says of players and teams, a line for each. */
export function packRecord(text: RecordText, carried: string): StoredMatch {
  const { id, createdAt, gameMode, patchVersion, contentHash } = text;
  return {
    id,
    createdAt,
    gameMode,
    patchVersion,
    contentHash,
    encoded: encodeMatch(text),
    carried: writeFragment(carried),
  };
}

/** One player, in the form of `carried` with an empty outline. */
export const packPlayer = (player: Named): Fragment => packLine(lineOf(writeNamed(player)));

const packLine = (line: string): Fragment => writeFragment(`\n${line}`);

/** One player of a record. */
export const packPlayerOf = (carried: string, id: string): Fragment =>
  packLine(findLine(carried, "player", id));

export function restoreRecord(stored: StoredMatch): MatchRecord {
  return recordOf(textsOf(stored));
}

/** The document from which ingest makes this record again, as one line of JSON. */
export function recordDocument(stored: StoredMatch): string {
  const { match, own, carried } = textsOf(stored);
  const { players, teams } = parseNamed(carried);
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
    ...parseNamed(carried),
  });
}

/** The two sides of an encoded match. */
export function sidesIn(match: ByteRange): Side[] {
  const { resource, included } = readEncodedMatch(match);
  const [text, own] = inflateEach([resource, included]).map(String) as [string, string];
  return sidesOf({ match: JSON.parse(text), own: JSON.parse(`[${own}]`) });
}

/** The players and teams as they are in the record. */
export const restoreNamed = (carried: Fragment) => parseNamed(fragmentText(carried));

/** The outline of a record, as it is stored before the players and teams. */
export const outlineIn = (carried: string): string => carried.slice(0, carried.indexOf("\n"));

/** One player or team as it is in the record. */
export const namedIn = (carried: string, type: NamedType, id: string): Named =>
  parseLine(findLine(carried, type, id));

type NamedType = "player" | "team";

/** Nothing else in a line is like its beginning: members of deeper objects are sorted, and quotes in strings escaped. */
function findLine(carried: string, type: NamedType, id: string): string {
  const start = carried.indexOf(`\n[{"type":"${type}","id":${JSON.stringify(id)}`) + 1;
  if (start === 0) throw new Error(`a record that should name ${type} ${id} does not`);
  const end = carried.indexOf("\n", start);
  return carried.slice(start, end === -1 ? undefined : end);
}

/** JSON as it is written here has no line ends. */
function parseNamed(carried: string): Pick<MatchParts, "players" | "teams"> {
  const [, ...lines] = carried.split("\n");
  const named = lines.filter((line) => line !== "").map(parseLine);
  const of = (type: NamedType) => named.filter(({ carried: { type: own } }) => own === type);
  return { players: of("player"), teams: of("team") };
}

function parseLine(line: string): Named {
  const [carried, ...companions]: Resource[] = JSON.parse(line);
  return { id: carried!.id, carried: carried!, companions };
}

const lineOf = ({ resource, companions }: NamedText): string =>
  companions === "" ? `[${resource}]` : `[${resource},${companions}]`;

function writeNamed({ id, carried, companions }: Named): NamedText {
  return { id, resource: canonicalResource(carried), companions: canonicalList(companions) };
}

/**
 * Ignores the attributes of players and teams: they may have changed when the same match is sent
 * again.
 */
function contentHash(
  resource: string,
  included: string,
  players: NamedText[],
  teams: NamedText[],
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
  written: readonly Pick<NamedText, "companions">[],
): NamedText[] {
  return named.map(({ id, carried: { attributes: _, ...rest } }, at) => ({
    id,
    resource: canonicalResource(rest as Resource),
    companions: written[at]!.companions,
  }));
}

function byId(a: NamedText, b: NamedText): number {
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
