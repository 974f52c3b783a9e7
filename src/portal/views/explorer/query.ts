/**
 * The explorer's query, and its conversion to and from the page URL. Values stay unparsed strings, so that
 * invalid ones can be shown, shared and sent unchanged.
 */

import type { Endpoint, Kind } from "../../../query/parameters.ts";
import { findParameter } from "../../../query/parameters.ts";

export const TARGETS = ["matches", "players", "match", "player"] as const;
/** A collection, or a single record by ID. */
export type Target = (typeof TARGETS)[number];

export type Parameters = ReadonlyArray<readonly [name: string, value: string]>;

export interface Query {
  /** Empty while the shards are unknown. */
  shard: string;
  on: Target;
  /** The ID of a single record; empty for collections. */
  id: string;
  /** In URL order. A name may appear twice; the server then reports it. */
  parameters: Parameters;
  /** How the response is shown. */
  as: Presentation;
}

export type Presentation = "cards" | "json";

const OWN_NAMES = ["shard", "on", "id", "as"];
/** Page positions, which are meaningless after a change of filters. */
const POSITIONS: readonly Kind[] = ["offset", "cursor"];
/** Parameters that do not change which matches are found. */
const UNRELATED_TO_RESULTS: readonly Kind[] = [...POSITIONS, "limit", "include", "fields"];

export const isSingle = (on: Target): boolean => on === "match" || on === "player";

export const endpointOf = (on: Target): Endpoint =>
  on === "matches" || on === "players" ? on : "single";

/** Reads the query from the page URL. The default is the newest matches. */
export function parseQuery(search: URLSearchParams, usualShard: string): Query {
  if (search.size === 0) {
    const parameters: Parameters = [["sort", "-createdAt"]];
    return { shard: usualShard, on: "matches", id: "", parameters, as: "cards" };
  }
  const on = TARGETS.find((one) => one === search.get("on")) ?? "matches";
  return {
    shard: search.get("shard") ?? usualShard,
    on,
    id: isSingle(on) ? (search.get("id") ?? "") : "",
    parameters: [...search].filter(([name]) => !OWN_NAMES.includes(name)),
    as: search.get("as") === "json" ? "json" : "cards",
  };
}

export function searchOf({ shard, on, id, parameters, as }: Query): URLSearchParams {
  const search = new URLSearchParams({ shard, on });
  if (isSingle(on)) search.set("id", id);
  if (as !== "cards") search.set("as", as);
  for (const [name, value] of parameters) search.append(name, value);
  return search;
}

/** Whether the query can be sent: it has a shard, and an ID if it needs one. */
export const isComplete = ({ shard, on, id }: Query): boolean =>
  shard !== "" && (!isSingle(on) || id !== "");

export function parameterValue({ parameters }: Query, name: string): string | undefined {
  return parameters.find(([one]) => one === name)?.[1];
}

/** Sets or removes a parameter. It keeps its position; repeated values are replaced by one. */
export function withValue(query: Query, name: string, value: string | undefined): Query {
  const changed: [string, string][] = [];
  let isSet = value === undefined;
  for (const [one, old] of changesResults(name)
    ? withoutPosition(query.parameters)
    : query.parameters) {
    if (one !== name) changed.push([one, old]);
    else if (!isSet) {
      changed.push([name, value as string]);
      isSet = true;
    }
  }
  if (!isSet) changed.push([name, value as string]);
  return { ...query, parameters: changed };
}

/** Changes the target, and keeps the parameters that it accepts, except for paging. */
export function withTarget(query: Query, on: Target, id = ""): Query {
  const endpoint = endpointOf(on);
  const hasPaths = on === "matches" || on === "match";
  const parameters = withoutPosition(query.parameters).filter(([name, value]) => {
    const parameter = findParameter(name);
    if (parameter?.kind === "limit") return false;
    if (parameter?.kind === "include" && !hasPaths && value !== "") return false;
    return parameter?.endpoints.includes(endpoint) ?? false;
  });
  return { ...query, on, id: isSingle(on) ? id : "", parameters };
}

/** Changes the shard, and drops the page position. */
export const withShard = (query: Query, shard: string): Query => ({
  ...query,
  shard,
  parameters: withoutPosition(query.parameters),
});

/** The query of a pagination link. */
export function queryFromLink(query: Query, link: string): Query {
  const { searchParams } = new URL(link, "http://service.invalid");
  return { ...query, parameters: [...searchParams] };
}

/** Whether both send the same request, however the response is shown. */
export const isSameRequest = (one: Query, other: Query): boolean =>
  searchOf({ ...one, as: "cards" }).toString() === searchOf({ ...other, as: "cards" }).toString();

function changesResults(name: string): boolean {
  const kind = findParameter(name)?.kind;
  return kind !== undefined && !UNRELATED_TO_RESULTS.includes(kind);
}

const withoutPosition = (parameters: Parameters): Parameters =>
  parameters.filter(([name]) => {
    const kind = findParameter(name)?.kind;
    return kind === undefined || !POSITIONS.includes(kind);
  });
