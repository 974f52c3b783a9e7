/**
 * The explorer's query, and its conversion to and from the page URL. Values stay unparsed strings, so that
 * invalid ones can be shown, shared and sent unchanged.
 */

import { findParameter, type Kind, type Parameter } from "../../../query/endpoint.ts";
import { TARGET_NAMES, TARGETS, type Target, targetRow } from "./targets.ts";

export type Parameters = ReadonlyArray<readonly [name: string, value: string]>;

/** Where a page of the result begins: a cursor of the pagination links. */
export type Position = readonly [side: "after" | "before", cursor: string];

export interface Query {
  /** Empty while the shards are unknown. */
  shard: string;
  on: Target;
  /** The ID in the path; empty for collections. */
  id: string;
  /** In URL order. A name may appear twice; the server then reports it. */
  parameters: Parameters;
  /** Paging adds this, and leaves the parameters as they were entered. Undefined on the first page. */
  position?: Position | undefined;
  /** How the response is shown. */
  as: Presentation;
}

/** "cards" is only for targets that have them. */
export const PRESENTATIONS = [
  { value: "cards", label: "Records" },
  { value: "json", label: "JSON" },
  { value: "code", label: "Code" },
] as const;
export type Presentation = (typeof PRESENTATIONS)[number]["value"];

const OWN_NAMES = ["shard", "on", "id", "as", "after", "before"];
/** Parameters that do not change which matches are found. The others make a page position meaningless. */
const UNRELATED_TO_RESULTS: readonly Kind[] = ["offset", "cursor", "limit", "include", "fields"];

export const needsId = (on: Target): boolean => targetRow(on).idLabel !== undefined;

/** Reads the query from the page URL. The default is the newest matches. */
export function parseQuery(search: URLSearchParams, usualShard: string): Query {
  if (search.size === 0) return newQuery("matches", usualShard);
  const on = TARGET_NAMES.find((one) => one === search.get("on")) ?? "matches";
  const position = positionOf(search);
  return {
    shard: search.get("shard") ?? usualShard,
    on,
    id: needsId(on) ? (search.get("id") ?? "") : "",
    parameters: [...search].filter(([name]) => !OWN_NAMES.includes(name)),
    ...(position && { position }),
    as: PRESENTATIONS.find(({ value }) => value === search.get("as"))?.value ?? "cards",
  };
}

export const newQuery = (on: Target, shard: string): Query => {
  const { defaults = [], ids } = targetRow(on);
  return { shard, on, id: ids?.[0] ?? "", parameters: defaults, as: "cards" };
};

export function searchOf({ shard, on, id, parameters, position, as }: Query): URLSearchParams {
  const search = new URLSearchParams({ shard, on });
  if (needsId(on)) search.set("id", id);
  if (as !== "cards") search.set("as", as);
  for (const [name, value] of parameters) search.append(name, value);
  if (position) search.set(...position);
  return search;
}

/** What is missing before the query can be sent. */
export function missingIn(query: Query): string | undefined {
  const { shard, on, id } = query;
  if (shard === "") return "a region";
  if (needsId(on) && id === "") return `the ${targetRow(on).idLabel}`;
  const required = Object.entries<Parameter>(TARGETS[on].endpoint.parameters).find(
    ([name, { isRequired }]) => isRequired && !parameterValue(query, name),
  );
  return required && `a value for ${required[0]}`;
}

export function parameterValue({ parameters }: Query, name: string): string | undefined {
  return parameters.find(([one]) => one === name)?.[1];
}

/** Sets or removes a parameter. It keeps its place; repeated values are replaced by one. */
export function withValue(query: Query, name: string, value: string | undefined): Query {
  const { parameters } = query;
  const kind = findParameter(TARGETS[query.on].endpoint, name)?.kind;
  const isUnrelated = kind === undefined || UNRELATED_TO_RESULTS.includes(kind);
  const kept = isUnrelated ? parameters : withoutPositions(parameters);
  const at = kept.findIndex(([one]) => one === name);
  const rest = kept.filter(([one]) => one !== name);
  if (value !== undefined) rest.splice(at < 0 ? rest.length : at, 0, [name, value]);
  return { ...query, parameters: rest };
}

/** Changes the target, and keeps the parameters that it accepts, except for paging. */
export function withTarget(query: Query, on: Target): Query {
  const fresh = newQuery(on, query.shard);
  const kept = withoutCursors(query.parameters).filter(([name, value]) => {
    const parameter = findParameter(TARGETS[on].endpoint, name);
    if (parameter?.kind === "limit" || parameter?.kind === "sort") return false;
    if (parameter?.kind === "include" && !hasPaths(on) && value !== "") return false;
    return parameter !== undefined;
  });
  return { ...fresh, parameters: [...fresh.parameters, ...kept], as: query.as };
}

/** Changes the shard, and drops the page position. */
export const withShard = (query: Query, shard: string): Query => ({
  ...query,
  shard,
  parameters: withoutPositions(query.parameters),
});

/** The position of a pagination link. Undefined for the first page. */
export const positionIn = (link: string): Position | undefined =>
  positionOf(new URL(link, "http://service.invalid").searchParams, (side) => `page[${side}]`);

function positionOf(search: URLSearchParams, nameOf = (side: string) => side) {
  for (const side of ["after", "before"] as const) {
    const cursor = search.get(nameOf(side));
    if (cursor !== null) return [side, cursor] as const;
  }
  return undefined;
}

/** The parameters to send: those of the query, at its position. */
export const sentParameters = ({ parameters, position }: Query): Parameters =>
  position ? [...withoutCursors(parameters), [`page[${position[0]}]`, position[1]]] : parameters;

/** Matches sort by time, and have paths to related resources. */
export const hasPaths = (on: Target): boolean => on === "matches" || on === "match";

/** Whether both send the same request, however the response is shown. */
export const isSameRequest = (one: Query, other: Query): boolean =>
  searchOf({ ...one, as: "cards" }).toString() === searchOf({ ...other, as: "cards" }).toString();

const isPosition = (name: string): boolean =>
  ["page[offset]", "page[after]", "page[before]"].includes(name);

const withoutCursors = (parameters: Parameters): Parameters =>
  parameters.filter(([name]) => !isPosition(name));

/** "oldest" is the start of the change feed, whatever its filters. */
const withoutPositions = (parameters: Parameters): Parameters =>
  parameters.filter(([name, value]) => !isPosition(name) || value === "oldest");
