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

export interface Question {
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

/** The question of an address. An address that asks for nothing means the newest matches. */
export function questionOf(search: URLSearchParams, usualShard: string): Question {
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

export function searchOf({ shard, on, id, parameters, as }: Question): URLSearchParams {
  const search = new URLSearchParams({ shard, on });
  if (isSingle(on)) search.set("id", id);
  if (as !== "cards") search.set("as", as);
  for (const [name, value] of parameters) search.append(name, value);
  return search;
}

/** Without a shard or an id there is nothing to send yet. */
export const isWhole = ({ shard, on, id }: Question): boolean =>
  shard !== "" && (!isSingle(on) || id !== "");

export function givenFor({ parameters }: Question, name: string): string | undefined {
  return parameters.find(([one]) => one === name)?.[1];
}

/** The question with another value, or with none; it stands in its place, and once. */
export function withValue(question: Question, name: string, value: string | undefined): Question {
  const changed: [string, string][] = [];
  let isThere = value === undefined;
  for (const [one, old] of movesOn(name)
    ? withoutPlace(question.parameters)
    : question.parameters) {
    if (one !== name) changed.push([one, old]);
    else if (!isThere) {
      changed.push([name, value as string]);
      isThere = true;
    }
  }
  if (!isThere) changed.push([name, value as string]);
  return { ...question, parameters: changed };
}

/** Asks elsewhere, with the parameters that are taken there. Pages differ from list to list. */
export function turnedTo(question: Question, on: Target, id = ""): Question {
  const endpoint = endpointOf(on);
  const hasPaths = on === "matches" || on === "match";
  const parameters = withoutPlace(question.parameters).filter(([name, value]) => {
    const parameter = findParameter(name);
    if (parameter?.kind === "limit") return false;
    if (parameter?.kind === "include" && !hasPaths && value !== "") return false;
    return parameter?.endpoints.includes(endpoint) ?? false;
  });
  return { ...question, on, id: isSingle(on) ? id : "", parameters };
}

/** In another shard a page begins elsewhere. */
export const inShard = (question: Question, shard: string): Question => ({
  ...question,
  shard,
  parameters: withoutPlace(question.parameters),
});

/** The question that a link of the reply asks. */
export function followed(question: Question, link: string): Question {
  const { searchParams } = new URL(link, "http://service.invalid");
  return { ...question, parameters: [...searchParams] };
}

/** Whether they ask the same, however it is shown. */
export const isSame = (one: Question, other: Question): boolean =>
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
