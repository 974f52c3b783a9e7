/**
 * In charge of assembling documents from stored fragments: laid one after another wherever that
 * gives the right document, parsed and written anew where a caller wants less than everything or
 * where two matches of a page share a resource.
 */

import type { Resource } from "../domain/json.ts";
import type { Shape } from "../query/query.ts";
import type { Bundle, NamedFragments } from "../store/store.ts";
import { fragmentText, literalPiece, type Piece, pieceOf, readFragment } from "./fragment.ts";
import { project } from "./project.ts";

/** A reply in two parts: what it is about, and the rest (links, meta), which depends on the request. */
export interface Document {
  content: Piece[];
  rest: Piece;
}

const DATA = literalPiece('{"data":');
const LIST = literalPiece('{"data":[');
const COMMA = literalPiece(",");
const END = literalPiece("]");
const AFTER_ONE = literalPiece(',"included":[');
const AFTER_LIST = literalPiece('],"included":[');

/** The members of a document after its content. */
export function restOf(members: Record<string, unknown>): Piece {
  const text = JSON.stringify({ ...members, jsonapi: { version: "1.0" } });
  return literalPiece(`,${text.slice(1)}`);
}

/** Adds to a resource what a compatibility profile wants there. */
export type Decorate = (resource: Resource) => Resource;

export function matchContent(bundle: Bundle, shape: Shape, decorate?: Decorate): Piece[] {
  const isBare = shape.include?.length === 0;
  if (decorate || !canStitch(bundle, shape, isBare)) {
    return written(bundle, shape, false, decorate);
  }
  const match = bundle.matches[0]!;
  const data = [DATA, readFragment(match.resource)];
  return isBare ? data : [...data, AFTER_ONE, ...relatedPieces(bundle), END];
}

export function matchListContent(bundle: Bundle, shape: Shape, decorate?: Decorate): Piece[] {
  const isBare = shape.include?.length === 0;
  if (decorate || !canStitch(bundle, shape, isBare)) {
    return written(bundle, shape, true, decorate);
  }
  const data = joined(bundle.matches.map(({ resource }) => readFragment(resource)));
  if (isBare) return [LIST, ...data, END];
  return [LIST, ...data, AFTER_LIST, ...relatedPieces(bundle), END];
}

export function playerContent(player: NamedFragments, shape: Shape, decorate?: Decorate): Piece[] {
  if (decorate || shape.fields) return writtenPlayers([player], shape, false, decorate);
  return [DATA, readFragment(player.resource)];
}

export function playerListContent(
  players: NamedFragments[],
  shape: Shape,
  decorate?: Decorate,
): Piece[] {
  if (decorate || shape.fields) return writtenPlayers(players, shape, true, decorate);
  return [LIST, ...joined(players.map(({ resource }) => readFragment(resource))), END];
}

function canStitch(bundle: Bundle, shape: Shape, isBare: boolean): boolean {
  if (shape.fields || (shape.include && !isBare)) return false;
  if (isBare) return true;
  const hasCompanions = (named: NamedFragments) => named.companions !== undefined;
  if (bundle.players.some(hasCompanions) || bundle.teams.some(hasCompanions)) return false;
  return !repeatsResources(bundle);
}

/** Equal hashes: two matches (very probably) carry the same resource, or one is never stitched. */
function repeatsResources(bundle: Bundle): boolean {
  const seen = new Set<number>();
  for (const { digest } of bundle.matches) {
    const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
    for (let at = 0; at < digest.byteLength; at += 4) {
      const hash = view.getUint32(at, true);
      if (seen.has(hash)) return true;
      seen.add(hash);
    }
  }
  return false;
}

function relatedPieces(bundle: Bundle): Piece[] {
  return joined([
    ...bundle.matches.map(({ included }) => readFragment(included)),
    ...[...bundle.players, ...bundle.teams].map(({ resource }) => readFragment(resource)),
  ]);
}

function joined(pieces: Piece[]): Piece[] {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [COMMA, piece]));
}

function written(
  bundle: Bundle,
  shape: Shape,
  isList: boolean,
  decorate: Decorate = (resource) => resource,
): Piece[] {
  const named = [...bundle.players, ...bundle.teams];
  const primary = bundle.matches.map(({ resource }) => parse(resource));
  const related = [
    ...bundle.matches.flatMap(({ included }) => parseList(included)),
    ...named.map(({ resource }) => parse(resource)),
    ...named.flatMap(({ companions }) => (companions ? parseList(companions) : [])),
  ];
  return write(primary.map(decorate), related.map(decorate), shape, isList);
}

function writtenPlayers(
  players: NamedFragments[],
  shape: Shape,
  isList: boolean,
  decorate: Decorate = (resource) => resource,
): Piece[] {
  const primary = players.map(({ resource }) => decorate(parse(resource)));
  return write(primary, [], { ...shape, include: [] }, isList);
}

function write(primary: Resource[], related: Resource[], shape: Shape, isList: boolean): Piece[] {
  const { data, included } = project(primary, related, shape);
  const text = JSON.stringify({ data: isList ? data : data[0], included });
  return [pieceOf(text.slice(0, -1))];
}

const parse = (fragment: Uint8Array): Resource => JSON.parse(fragmentText(fragment));
const parseList = (fragment: Uint8Array): Resource[] => JSON.parse(`[${fragmentText(fragment)}]`);
