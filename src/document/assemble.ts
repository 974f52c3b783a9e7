/**
 * Assembles documents from stored fragments. Fragments are concatenated where possible. Where the
 * caller wants only part of a document, or two matches share a resource, it is projected.
 */

import { JSON_API_VERSION } from "../domain/json.ts";
import type { Shape } from "../query/query.ts";
import type { MatchesWithLinked, NamedParts } from "../store/store.ts";
import type { Content } from "./content.ts";
import { type EncodedMatch, readEncodedMatch, repeatResources } from "./encoded-match.ts";
import {
  COMMA,
  literalPiece,
  type Piece,
  pieceIn,
  readFragment,
  withoutComma,
} from "./fragment.ts";
import type { Links } from "./links.ts";
import { type Additions, project, type Source } from "./project.ts";

/**
 * A document in two parts: the content, and the rest (links, meta), which depends on the request.
 */
export interface Document {
  content: Content;
  rest: string;
  /**
   * What the entity tag covers of the rest, if not all of it. A client that gets 304 follows the links it has, so this
   * must change whenever following the new ones would find more.
   */
  lasting?: string;
}

/** One resource as the primary data, or a list. */
export type Form = "single" | "list";

const OPENING = { single: literalPiece('{"data":'), list: literalPiece('{"data":[') };
const INCLUDED = { single: literalPiece(',"included":['), list: literalPiece('],"included":[') };
const END = literalPiece("]");

export function restOf(links: Links, meta?: object): string {
  const about = meta === undefined ? "" : `,"meta":${JSON.stringify(meta)}`;
  return `,"links":${JSON.stringify(links)}${about},"jsonapi":{"version":"${JSON_API_VERSION}"}}`;
}

/** What a compatibility profile adds to resources, by their types. */
export type AdditionsByType = ReadonlyMap<string, Additions>;

export function matchContent(
  form: Form,
  bundle: MatchesWithLinked,
  shape: Shape,
  additions?: AdditionsByType,
): Piece[] {
  const encoded = bundle.matches.map(readEncodedMatch);
  if (additions || !canJoin(bundle, encoded, shape)) {
    return rebuilt(form, bundle, encoded, shape, additions);
  }
  const content = [OPENING[form]];
  addList(content, encoded, "resource");
  content.push(INCLUDED[form]);
  if (!hasEmptyInclude(shape)) addRelated(content, bundle, encoded);
  content.push(END);
  return content;
}

export function playerContent(
  form: Form,
  players: readonly NamedParts[],
  shape: Shape,
  additions?: AdditionsByType,
): Piece[] {
  if (additions || shape.fields) {
    const primary = players.map((player) => namedSource(player, "player"));
    // Players have no related resources: `included` is sent only when `include` is given.
    const related = shape.include && [];
    const isList = form === "list";
    return project({ primary, isList, related, isDistinct: true }, shape, additions);
  }
  const content = [OPENING[form]];
  // Their fragments start with a comma.
  for (const [index, player] of players.entries()) {
    const piece = pieceIn(player.resource);
    content.push(index === 0 ? withoutComma(piece) : piece);
  }
  if (hasEmptyInclude(shape)) content.push(INCLUDED[form], END);
  else if (form === "list") content.push(END);
  return content;
}

/** With an empty `include`, JSON:API requires an empty `included`. */
const hasEmptyInclude = (shape: Shape): boolean => shape.include?.length === 0;

function canJoin(
  bundle: MatchesWithLinked,
  encoded: readonly EncodedMatch[],
  shape: Shape,
): boolean {
  if (shape.fields) return false;
  if (shape.include) return hasEmptyInclude(shape);
  return areDistinct(bundle, encoded);
}

/** Whether the related resources are linked, each there once, whatever players and teams link to. */
function areDistinct(bundle: MatchesWithLinked, encoded: readonly EncodedMatch[]): boolean {
  return (
    encoded.every(({ joinable }) => joinable) &&
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

function rebuilt(
  form: Form,
  bundle: MatchesWithLinked,
  encoded: readonly EncodedMatch[],
  shape: Shape,
  additions: AdditionsByType | undefined,
): Piece[] {
  const { players, teams } = bundle;
  const companions = [...players, ...teams].flatMap((one) => one.companions ?? []);
  const related = [
    ...encoded.map(({ included }) => ({ piece: included, isFollowing: false })),
    ...players.map((player) => namedSource(player, "player")),
    ...teams.map((team) => namedSource(team, "team")),
    ...companions.map((one) => ({ piece: readFragment(one), isFollowing: false })),
  ];
  const primary = encoded.map(({ resource }) => ({
    piece: resource,
    isFollowing: false,
    type: "match",
  }));
  const isDistinct = areDistinct(bundle, encoded);
  return project({ primary, isList: form === "list", related, isDistinct }, shape, additions);
}

const namedSource = ({ resource, lastMatchAt }: NamedParts, type: string): Source => ({
  piece: pieceIn(resource),
  isFollowing: true,
  type,
  lastMatchAt,
});
