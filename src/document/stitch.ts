/**
 * Assembles documents from stored fragments: laid one after another wherever that
 * gives the right document, parsed and written anew where a caller wants less than everything or
 * where two matches of a page share a resource.
 */

import { JSON_API_VERSION, type Resource } from "../domain/json.ts";
import type { Shape } from "../query/query.ts";
import { viewOf } from "../store/byte-range.ts";
import type { MatchesWithLinked, NamedParts, NamedPlayer } from "../store/store.ts";
import { type EncodedMatch, readEncodedMatch, repeatResources } from "./encoded-match.ts";
import {
  COMMA,
  literalPiece,
  type Piece,
  pieceOf,
  piecesText,
  readCheckedFragment,
  readFragment,
  withoutComma,
} from "./fragment.ts";
import type { Links } from "./links.ts";
import { project } from "./project.ts";

/** A reply in two parts: what it is about, and the rest (links, meta), which depends on the request. */
export interface Document {
  content: Piece[];
  rest: string;
}

const DATA = literalPiece('{"data":');
const LIST = literalPiece('{"data":[');
const END = literalPiece("]");
const AFTER_ONE = literalPiece(',"included":[');
const AFTER_LIST = literalPiece('],"included":[');

/** The members of a document after its content. */
export function restOf(links: Links, meta?: object): string {
  const about = meta === undefined ? "" : `,"meta":${JSON.stringify(meta)}`;
  return `,"links":${JSON.stringify(links)}${about},"jsonapi":{"version":"${JSON_API_VERSION}"}}`;
}

/** Adds to a resource what a compatibility profile wants there; of a player, the latest match is known. */
export type Decorate = (resource: Resource, lastMatchAt?: number) => Resource;

export function matchContent(
  bundle: MatchesWithLinked,
  shape: Shape,
  decorate?: Decorate,
): Piece[] {
  const sheets = bundle.sheets.map(readEncodedMatch);
  if (decorate || !canStitch(bundle, sheets, shape)) {
    return written(bundle, sheets, shape, false, decorate);
  }
  const content = [DATA, sheets[0]!.resource, AFTER_ONE];
  if (!isBare(shape)) addRelated(content, bundle, sheets);
  content.push(END);
  return content;
}

export function matchListContent(
  bundle: MatchesWithLinked,
  shape: Shape,
  decorate?: Decorate,
): Piece[] {
  const sheets = bundle.sheets.map(readEncodedMatch);
  if (decorate || !canStitch(bundle, sheets, shape)) {
    return written(bundle, sheets, shape, true, decorate);
  }
  const content = [LIST];
  addList(content, sheets, "resource");
  content.push(AFTER_LIST);
  if (!isBare(shape)) addRelated(content, bundle, sheets);
  content.push(END);
  return content;
}

export function playerContent(player: NamedParts, shape: Shape, decorate?: Decorate): Piece[] {
  if (decorate || shape.fields) return writtenPlayers([player], shape, false, decorate);
  const content = [DATA, pieceAlone(player)];
  if (isBare(shape)) content.push(AFTER_ONE, END);
  return content;
}

export function playerListContent(
  players: NamedParts[],
  shape: Shape,
  decorate?: Decorate,
): Piece[] {
  if (decorate || shape.fields) return writtenPlayers(players, shape, true, decorate);
  const content = [LIST];
  addNamed(content, players);
  if (isBare(shape)) content.push(AFTER_LIST);
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
  // To compress so little would take longer than to find it.
  return [literalPiece(`{"data":${JSON.stringify(data)}`)];
}

/** An empty `include`: `included` is there, as JSON:API requires, and empty. */
const isBare = (shape: Shape): boolean => shape.include?.length === 0;

function canStitch(
  bundle: MatchesWithLinked,
  sheets: readonly EncodedMatch[],
  shape: Shape,
): boolean {
  if (shape.fields) return false;
  if (shape.include) return isBare(shape);
  return (
    sheets.every(({ stitchable }) => stitchable) &&
    !bundle.players.some(hasCompanions) &&
    !bundle.teams.some(hasCompanions) &&
    !repeatResources(sheets)
  );
}

const hasCompanions = ({ companions }: NamedParts): boolean => companions !== undefined;

/** What the matches include: their own resources, then the players and teams. */
function addRelated(
  content: Piece[],
  bundle: MatchesWithLinked,
  sheets: readonly EncodedMatch[],
): void {
  // A match has two rosters, so something always stands before the first comma.
  if (sheets.length > 0) addList(content, sheets, "included");
  for (const player of bundle.players) content.push(pieceAfter(player));
  for (const team of bundle.teams) content.push(pieceAfter(team));
}

function addList(
  content: Piece[],
  sheets: readonly EncodedMatch[],
  part: "resource" | "included",
): void {
  for (let index = 0; index < sheets.length; index++) {
    if (index > 0) content.push(COMMA);
    content.push(sheets[index]![part]);
  }
}

/** Their stored forms begin with a comma, which the first one does without. */
function addNamed(content: Piece[], named: readonly NamedParts[]): void {
  for (const [index, one] of named.entries()) {
    content.push(index === 0 ? pieceAlone(one) : pieceAfter(one));
  }
}

const pieceAfter = ({ resource, isChecked }: NamedParts): Piece =>
  isChecked ? readCheckedFragment(resource) : readFragment(viewOf(resource));

const pieceAlone = (named: NamedParts): Piece => withoutComma(pieceAfter(named));

function written(
  bundle: MatchesWithLinked,
  sheets: readonly EncodedMatch[],
  shape: Shape,
  isList: boolean,
  decorate: Decorate = (resource) => resource,
): Piece[] {
  const { matches, own, players, others } = everyResource(bundle, sheets);
  const related = [
    ...own.map((one) => decorate(one)),
    ...players.map((one, at) => decorate(one, bundle.players[at]!.lastMatchAt)),
    ...others.map((one) => decorate(one)),
  ];
  const primary = matches.map((one) => decorate(one));
  return write(primary, related, shape, isList);
}

/** The matches, and all that belongs to them. They are read as one text: it is quicker than each alone. */
function everyResource(bundle: MatchesWithLinked, sheets: readonly EncodedMatch[]) {
  const pieces = [OPEN];
  addList(pieces, sheets, "resource");
  pieces.push(BETWEEN);
  addList(pieces, sheets, "included");
  pieces.push(BETWEEN);
  addNamed(pieces, bundle.players);
  pieces.push(BETWEEN);
  addNamed(pieces, bundle.teams);
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

function writtenPlayers(
  players: NamedParts[],
  shape: Shape,
  isList: boolean,
  decorate: Decorate = (resource) => resource,
): Piece[] {
  const primary = players.map((player) => decorate(parse(pieceAlone(player)), player.lastMatchAt));
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
