/**
 * Assembles documents from stored fragments. Fragments are concatenated where possible. A document
 * is parsed and rebuilt if the caller wants only part of it, or if two matches share a resource.
 */

import { JSON_API_VERSION, type Resource } from "../domain/json.ts";
import type { Shape } from "../query/query.ts";
import type { MatchesWithLinked, NamedParts, NamedPlayer } from "../store/store.ts";
import type { Content } from "./content.ts";
import { type EncodedMatch, readEncodedMatch, repeatResources } from "./encoded-match.ts";
import {
  COMMA,
  literalPiece,
  type Piece,
  pieceIn,
  pieceOf,
  readFragment,
  withoutComma,
} from "./fragment.ts";
import { piecesText } from "./gzip.ts";
import type { Links } from "./links.ts";
import { project } from "./project.ts";

/**
 * A document in two parts: the content, and the rest (links, meta), which depends on the request.
 */
export interface Document {
  content: Content;
  rest: string;
}

const DATA = literalPiece('{"data":');
const LIST = literalPiece('{"data":[');
const END = literalPiece("]");
const AFTER_ONE = literalPiece(',"included":[');
const AFTER_LIST = literalPiece('],"included":[');

export function restOf(links: Links, meta?: object): string {
  const about = meta === undefined ? "" : `,"meta":${JSON.stringify(meta)}`;
  return `,"links":${JSON.stringify(links)}${about},"jsonapi":{"version":"${JSON_API_VERSION}"}}`;
}

/** Adds the members that a compatibility profile requires. `lastMatchAt` is given for players. */
export type Decorate = (resource: Resource, lastMatchAt?: number) => Resource;

export function matchContent(
  bundle: MatchesWithLinked,
  shape: Shape,
  decorate?: Decorate,
): Piece[] {
  const encoded = bundle.matches.map(readEncodedMatch);
  if (decorate || !canStitch(bundle, encoded, shape)) {
    return rebuilt(bundle, encoded, shape, false, decorate);
  }
  const content = [DATA, encoded[0]!.resource, AFTER_ONE];
  if (!hasEmptyInclude(shape)) addRelated(content, bundle, encoded);
  content.push(END);
  return content;
}

export function matchListContent(
  bundle: MatchesWithLinked,
  shape: Shape,
  decorate?: Decorate,
): Piece[] {
  const encoded = bundle.matches.map(readEncodedMatch);
  if (decorate || !canStitch(bundle, encoded, shape)) {
    return rebuilt(bundle, encoded, shape, true, decorate);
  }
  const content = [LIST];
  addList(content, encoded, "resource");
  content.push(AFTER_LIST);
  if (!hasEmptyInclude(shape)) addRelated(content, bundle, encoded);
  content.push(END);
  return content;
}

export function playerContent(player: NamedParts, shape: Shape, decorate?: Decorate): Piece[] {
  if (decorate || shape.fields) return rebuiltPlayers([player], shape, false, decorate);
  const content = [DATA, withoutComma(pieceIn(player.resource))];
  if (hasEmptyInclude(shape)) content.push(AFTER_ONE, END);
  return content;
}

export function playerListContent(
  players: NamedParts[],
  shape: Shape,
  decorate?: Decorate,
): Piece[] {
  if (decorate || shape.fields) return rebuiltPlayers(players, shape, true, decorate);
  const content = [LIST];
  addPlayersOrTeams(content, players);
  if (hasEmptyInclude(shape)) content.push(AFTER_LIST);
  content.push(END);
  return content;
}

/** Player names with the id of each player. */
export function nameListContent(players: readonly NamedPlayer[], shardId: string): Piece[] {
  const data = players.map(({ id, name }) => ({
    type: "player-name",
    id,
    attributes: { name, shardId },
  }));
  // Too short to be worth compressing.
  return [literalPiece(`{"data":${JSON.stringify(data)}`)];
}

/** With an empty `include`, JSON:API requires an empty `included`. */
const hasEmptyInclude = (shape: Shape): boolean => shape.include?.length === 0;

function canStitch(
  bundle: MatchesWithLinked,
  encoded: readonly EncodedMatch[],
  shape: Shape,
): boolean {
  if (shape.fields) return false;
  if (shape.include) return hasEmptyInclude(shape);
  return (
    encoded.every(({ stitchable }) => stitchable) &&
    !bundle.players.some(hasCompanions) &&
    !bundle.teams.some(hasCompanions) &&
    !repeatResources(encoded)
  );
}

const hasCompanions = ({ companions }: NamedParts): boolean => companions !== undefined;

/** Adds what the matches include: their own resources, then players and teams. */
function addRelated(
  content: Piece[],
  bundle: MatchesWithLinked,
  encoded: readonly EncodedMatch[],
): void {
  // A match has two rosters, so the comma of the first player always follows something.
  if (encoded.length > 0) addList(content, encoded, "included");
  for (const player of bundle.players) content.push(pieceIn(player.resource));
  for (const team of bundle.teams) content.push(pieceIn(team.resource));
}

function addList(
  content: Piece[],
  encoded: readonly EncodedMatch[],
  part: "resource" | "included",
): void {
  for (let index = 0; index < encoded.length; index++) {
    if (index > 0) content.push(COMMA);
    content.push(encoded[index]![part]);
  }
}

/** Fragments of players and teams start with a comma; the first one is used without it. */
function addPlayersOrTeams(content: Piece[], named: readonly NamedParts[]): void {
  for (const [index, one] of named.entries()) {
    const piece = pieceIn(one.resource);
    content.push(index === 0 ? withoutComma(piece) : piece);
  }
}

function rebuilt(
  bundle: MatchesWithLinked,
  encoded: readonly EncodedMatch[],
  shape: Shape,
  isList: boolean,
  decorate: Decorate = (resource) => resource,
): Piece[] {
  const { matches, own, players, others } = parseAll(bundle, encoded);
  const related = [
    ...own.map((one) => decorate(one)),
    ...players.map((one, at) => decorate(one, bundle.players[at]!.lastMatchAt)),
    ...others.map((one) => decorate(one)),
  ];
  const primary = matches.map((one) => decorate(one));
  return write(primary, related, shape, isList);
}

/** All resources of the page, parsed as one text, which is faster than one at a time. */
function parseAll(bundle: MatchesWithLinked, encoded: readonly EncodedMatch[]) {
  const pieces = [OPEN];
  addList(pieces, encoded, "resource");
  pieces.push(BETWEEN);
  addList(pieces, encoded, "included");
  pieces.push(BETWEEN);
  addPlayersOrTeams(pieces, bundle.players);
  pieces.push(BETWEEN);
  addPlayersOrTeams(pieces, bundle.teams);
  pieces.push(BETWEEN);
  const companions = [...bundle.players, ...bundle.teams].flatMap((one) => one.companions ?? []);
  for (const [index, one] of companions.entries()) {
    if (index > 0) pieces.push(COMMA);
    pieces.push(readFragment(one));
  }
  pieces.push(CLOSE);
  const lists: Resource[][] = JSON.parse(piecesText(pieces));
  const [matches = [], own = [], players = [], ...others] = lists;
  return { matches, own, players, others: others.flat() };
}

const OPEN = literalPiece("[[");
const BETWEEN = literalPiece("],[");
const CLOSE = literalPiece("]]");

function rebuiltPlayers(
  players: NamedParts[],
  shape: Shape,
  isList: boolean,
  decorate: Decorate = (resource) => resource,
): Piece[] {
  const primary = players.map((player) =>
    decorate(parse(withoutComma(pieceIn(player.resource))), player.lastMatchAt),
  );
  // Players have no related resources: `included` is sent only when `include` is given.
  return write(primary, shape.include && [], shape, isList);
}

function write(
  primary: Resource[],
  related: Resource[] | undefined,
  shape: Shape,
  isList: boolean,
): Piece[] {
  const { data, included } = project(primary, related ?? [], shape);
  const text = JSON.stringify({
    data: isList ? data : data[0],
    included: related && included,
  });
  return [pieceOf(text.slice(0, -1))];
}

const parse = (piece: Piece): Resource => JSON.parse(piecesText([piece]));
