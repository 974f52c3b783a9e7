/**
 * In charge of a query as the explorer holds it, and of the way between it and the page's address.
 * Values stay texts as the service takes them: a wrong one must be shown, shared and sent as it is.
 */

import type { Endpoint, Kind } from "../../../query/parameters.ts";
import { findParameter } from "../../../query/parameters.ts";

export const TARGETS = ["matches", "players", "match", "player"] as const;
/** What is asked for: a collection, or one record by its id. */
export type Target = (typeof TARGETS)[number];

export type Parameters = ReadonlyArray<readonly [name: string, value: string]>;

export interface Query {
  /** Empty as long as the shards are not known. */
  shard: string;
  on: Target;
  /** Of a single record; empty for collections. */
  id: string;
  /** In the order of the address; a name may come twice, which the service will then report. */
  parameters: Parameters;
  /** How the reply is shown. */
  as: Presentation;
}

export type Presentation = "cards" | "json";

const OWN_NAMES = ["shard", "on", "id", "as"];
/** What decides where a page begins: it means nothing once other matches are asked for. */
const PLACES: readonly Kind[] = ["offset", "cursor"];
/** What does not change which matches are asked for. */
const SHAPES: readonly Kind[] = [...PLACES, "limit", "include", "fields"];

export const isSingle = (on: Target): boolean => on === "match" || on === "player";

export const endpointOf = (on: Target): Endpoint =>
  on === "matches" || on === "players" ? on : "single";

/** The query of an address. An address that asks for nothing means the newest matches. */
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

/** Without a shard or an id there is nothing to send yet. */
export const isComplete = ({ shard, on, id }: Query): boolean =>
  shard !== "" && (!isSingle(on) || id !== "");

export function parameterValue({ parameters }: Query, name: string): string | undefined {
  return parameters.find(([one]) => one === name)?.[1];
}

/** The query with another value, or with none; it stands in its place, and once. */
export function withValue(query: Query, name: string, value: string | undefined): Query {
  const changed: [string, string][] = [];
  let isThere = value === undefined;
  for (const [one, old] of movesOn(name) ? withoutPlace(query.parameters) : query.parameters) {
    if (one !== name) changed.push([one, old]);
    else if (!isThere) {
      changed.push([name, value as string]);
      isThere = true;
    }
  }
  if (!isThere) changed.push([name, value as string]);
  return { ...query, parameters: changed };
}

/** Asks elsewhere, with the parameters that are taken there. Pages differ from list to list. */
export function withTarget(query: Query, on: Target, id = ""): Query {
  const endpoint = endpointOf(on);
  const hasPaths = on === "matches" || on === "match";
  const parameters = withoutPlace(query.parameters).filter(([name, value]) => {
    const parameter = findParameter(name);
    if (parameter?.kind === "limit") return false;
    if (parameter?.kind === "include" && !hasPaths && value !== "") return false;
    return parameter?.endpoints.includes(endpoint) ?? false;
  });
  return { ...query, on, id: isSingle(on) ? id : "", parameters };
}

/** In another shard a page begins elsewhere. */
export const withShard = (query: Query, shard: string): Query => ({
  ...query,
  shard,
  parameters: withoutPlace(query.parameters),
});

/** The query that a link of the reply asks. */
export function queryFromLink(query: Query, link: string): Query {
  const { searchParams } = new URL(link, "http://service.invalid");
  return { ...query, parameters: [...searchParams] };
}

/** Whether they ask the same, however it is shown. */
export const isSameRequest = (one: Query, other: Query): boolean =>
  searchOf({ ...one, as: "cards" }).toString() === searchOf({ ...other, as: "cards" }).toString();

function movesOn(name: string): boolean {
  const kind = findParameter(name)?.kind;
  return kind !== undefined && !SHAPES.includes(kind);
}

const withoutPlace = (parameters: Parameters): Parameters =>
  parameters.filter(([name]) => {
    const kind = findParameter(name)?.kind;
    return kind === undefined || !PLACES.includes(kind);
  });
