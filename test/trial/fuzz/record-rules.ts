/**
 * The rules of docs/records.md for one match, written a second time and as simply as possible: whether a document with
 * this match and what it links to is accepted. Shares no code with ingest.
 */

import { isObject, type Json, type JsonObject } from "../../../src/domain/json.ts";
import { key, linkedFrom, type Thing } from "../../model/record.ts";
import { momentIn } from "./query-rules.ts";

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const SHARD = /^[a-z0-9-]{1,32}$/;

/** The first rule that a match breaks; undefined if it is accepted. */
export function brokenRule(
  match: JsonObject,
  included: readonly JsonObject[],
  now: number,
): string | undefined {
  try {
    new Checker(included, now).check(match);
    return undefined;
  } catch (error) {
    if (error instanceof Broken) return error.message;
    throw error;
  }
}

class Broken extends Error {}

function require(isSo: boolean, rule: string): asserts isSo {
  if (!isSo) throw new Broken(rule);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isLabel = (value: unknown) =>
  isText(value) && [...value].length <= 256 && !value.includes("\0");
const isName = (value: unknown) => isLabel(value) && value !== "";
const isInteger = (value: unknown) => Number.isInteger(value);
const isNumber = (value: unknown) => typeof value === "number";
const keyOf = (one: JsonObject) => key(one as Thing);

class Checker {
  #index: ReadonlyMap<string, JsonObject> = new Map();
  #shard = "";

  constructor(
    private readonly included: readonly JsonObject[],
    private readonly now: number,
  ) {}

  check(match: JsonObject): void {
    for (const one of [match, ...this.included]) checkResource(one);
    this.#index = new Map(this.included.map((one) => [keyOf(one), one]));
    require(this.#index.size === this.included.length, "each resource once");
    require(match.type === "match", "data is a match");
    require(this.included.every(({ type }) => type !== "match"), "no included matches");
    const attributes = objectIn(match, "attributes");
    this.#shard = attributes.shardId as string;
    require(isText(this.#shard) && SHARD.test(this.#shard), "shardId");
    require(isTime(attributes.createdAt, this.now), "createdAt");
    require(isInteger(attributes.duration) && Number(attributes.duration) >= 0, "duration");
    require(isLabel(attributes.gameMode), "gameMode");
    require(isLabel(attributes.patchVersion), "patchVersion");
    if (isText(attributes.stats)) throw new Undecided();
    const stats = objectIn(attributes, "stats");
    require(isText(stats.endGameReason) && isText(stats.queue), "stats of the match");

    const rosters = this.#linked(match, "rosters", "roster", true);
    require(rosters.length === 2, "two rosters");
    const participants = rosters.flatMap((one) => this.#checkRoster(one));
    const players = participants.flatMap((one) => this.#checkParticipant(one));
    for (const list of [rosters, participants, players]) {
      require(new Set(list).size === list.length, "referenced once");
    }
    this.#checkOthers(match, new Set([...rosters, ...participants]));
    const linked = linkedFrom([match as Thing], this.#index as ReadonlyMap<string, Thing>);
    require(linked.length === this.included.length + 1, "everything is linked");
  }

  #checkRoster(roster: JsonObject): JsonObject[] {
    const attributes = objectIn(roster, "attributes");
    require(["true", "false", true, false].includes(attributes.won as string), "won");
    const stats = objectIn(attributes, "stats");
    require(isInteger(stats.acesEarned) && isInteger(stats.gold), "stats of a roster");
    this.#checkShard(roster);
    this.#linked(roster, "team", "team", false);
    return this.#linked(roster, "participants", "participant", true);
  }

  #checkParticipant(participant: JsonObject): JsonObject[] {
    const attributes = objectIn(participant, "attributes");
    require(isText(attributes.actor), "actor");
    const stats = objectIn(attributes, "stats");
    const names = ["assists", "crystalMineCaptures", "deaths"];
    require(names.every((name) => isInteger(stats[name])), "stats of a participant");
    require(isNumber(stats.farm), "farm");
    return this.#linked(participant, "player", "player", false);
  }

  /** What is referenced by a relationship that must resolve. */
  #linked(from: JsonObject, name: string, type: string, isMany: boolean): JsonObject[] {
    const relationships = isMany ? objectIn(from, "relationships") : (from.relationships ?? {});
    const relationship = (relationships as JsonObject)[name];
    if (!isMany && (relationship === undefined || isEmpty(relationship))) return [];
    require(isObject(relationship as Json), `${name} is an object`);
    const { data } = relationship as JsonObject;
    require(Array.isArray(data) === isMany, `${name} has ${isMany ? "a list" : "one reference"}`);
    return [data].flat().map((reference) => {
      require(isObject(reference as Json) && (reference as JsonObject).type === type, name);
      const found = this.#index.get(keyOf(reference as JsonObject));
      require(found !== undefined, `${name} is included`);
      return found;
    });
  }

  /** Players, teams, and rosters and participants beyond those of the match. */
  #checkOthers(match: JsonObject, main: ReadonlySet<JsonObject>): void {
    for (const one of this.included) {
      if (main.has(one) || one === match) continue;
      const attributes = (one.attributes ?? {}) as JsonObject;
      const stats = attributes.stats;
      if (one.type === "player" || one.type === "team") {
        require(isName(attributes.name), "name");
        this.#checkShard(one);
      }
      if (one.type === "player") {
        require(stats === undefined || isObject(stats), "stats of a player");
        for (const [name, value] of Object.entries((stats ?? {}) as JsonObject)) {
          if (/^(winStreak|lossStreak|played|wins|played_ranked)$/.test(name)) {
            require(isInteger(value), "stats of a player");
          }
          if (name === "lifetimeGold") require(isNumber(value), "lifetimeGold");
        }
        const { patchVersion, titleID } = attributes;
        require([patchVersion, titleID].every(
          (text) => (text ?? "") === "" || isText(text),
        ), "text");
      }
      // Their rules are not worth a second copy.
      if (one.type === "roster" || one.type === "participant") throw new Undecided();
    }
  }

  #checkShard(one: JsonObject): void {
    const shard = ((one.attributes ?? {}) as JsonObject).shardId ?? "";
    require(shard === "" || shard === this.#shard, "one shard");
  }
}

/** Thrown where the rules here are not complete. */
export class Undecided extends Error {}

function objectIn(from: JsonObject, name: string): JsonObject {
  const value = from[name];
  require(isObject(value as Json), `${name} is an object`);
  return value as JsonObject;
}

const isEmpty = (relationship: Json) => isObject(relationship) && relationship.data === null;

/** The rules of JSON:API, and for values, that hold for every resource. */
function checkResource(one: JsonObject): void {
  require(isObject(one), "a resource is an object");
  const { type, id, attributes = {}, relationships = {} } = one;
  require(isText(type) && ID.test(type) && isText(id) && ID.test(id), "type and id");
  const members = ["type", "id", "attributes", "relationships", "links", "meta"];
  require(Object.keys(one).every((name) => members.includes(name)), "members of a resource");
  require(isObject(attributes) && isObject(relationships), "attributes and relationships");
  const names = [...Object.keys(attributes), ...Object.keys(relationships)];
  require(new Set(names).size === names.length, "one namespace");
  require(!names.includes("type") && !names.includes("id"), "type and id are reserved");
  checkExtras(one);
  for (const [name, relationship] of Object.entries(relationships)) {
    require(isObject(relationship), "a relationship is an object");
    const inside = Object.keys(relationship);
    require(inside.every((member) => ["data", "links", "meta"].includes(member)), "relationship");
    checkExtras(relationship);
    const isPromised = ["rosters", "participants", "team", "player"].includes(name);
    if (isPromised && !EXPECTED[name]!.includes(type)) throw new Undecided();
    require(inside.length > 0 || isPromised, "an empty relationship");
    const { data } = relationship;
    const references = data === undefined || data === null ? [] : [data].flat();
    for (const reference of references) {
      require(isObject(reference), "a reference is an object");
      require(isText(reference.type) && isText(reference.id), "a reference");
      const extra = Object.keys(reference).filter((member) => !/^(type|id|meta)$/.test(member));
      require(extra.length === 0, "members of a reference");
      require(reference.meta === undefined || isObject(reference.meta), "meta of a reference");
    }
    const keys = references.map((reference) => keyOf(reference as JsonObject));
    require(new Set(keys).size === keys.length, "referenced once");
  }
  checkValue(one, 0);
}

const EXPECTED: Record<string, readonly string[]> = {
  rosters: ["match"],
  participants: ["roster"],
  team: ["roster"],
  player: ["participant"],
};

function checkExtras({ links, meta }: JsonObject): void {
  require(meta === undefined || isObject(meta), "meta");
  require(links === undefined || isObject(links), "links");
  for (const link of Object.values(links ?? {})) {
    const href = isObject(link as Json) ? (link as JsonObject).href : link;
    require(isText(href), "a link");
    if (isObject(link as Json)) throw new Undecided();
    require(/^(?:[\w.~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})*$/.test(href), "a link");
  }
}

function checkValue(value: Json, depth: number): void {
  if (isText(value)) require(value.isWellFormed(), "no lone surrogates");
  if (typeof value === "number") {
    require(!Number.isInteger(value) || Math.abs(value) <= 2 ** 53, "numbers up to 2^53");
  }
  if (typeof value !== "object" || value === null) return;
  require(depth < 64, "64 levels");
  for (const [name, member] of Object.entries(value)) {
    require(name.isWellFormed(), "no lone surrogates");
    checkValue(member, depth + 1);
  }
}

/** A real time, at most ten minutes ahead. The plus of a zone is no space here. */
const isTime = (value: unknown, now: number): boolean =>
  isText(value) && !value.includes(" ") && (momentIn(value) ?? Infinity) <= now + 600_000;
