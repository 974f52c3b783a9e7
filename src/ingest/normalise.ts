/** In charge of bringing resources to the one form in which they are kept, before they are checked. */

import { isObject, type Json, type JsonObject, type Resource } from "../domain/json.ts";
import { canonicalTimestamp, parseTimestamp } from "../domain/time.ts";
import { exactNumber } from "./parse-json.ts";

/** What a record leaves open is completed from these. */
export interface Surroundings {
  shard: string | undefined;
  patchVersion: string | undefined;
  titleId: string;
}

export function normaliseMatch(raw: Resource, shard: string | undefined): Resource {
  const match = withoutEmptyShard(raw);
  if (!isObject(match.attributes)) return match;
  const { createdAt, stats } = match.attributes;
  const changes: JsonObject = {};
  if (typeof createdAt === "string") {
    const milliseconds = parseTimestamp(createdAt);
    if (milliseconds !== undefined) {
      changes.createdAt = canonicalTimestamp(createdAt, milliseconds);
    }
  }
  if (typeof stats === "string") changes.stats = parseCompactStats(stats) ?? stats;
  fill(changes, match.attributes, "shardId", shard);
  return changed(match, changes);
}

export function normaliseRoster(raw: Resource, around: Surroundings): Resource {
  const roster = withoutEmptyReference(raw, "team");
  if (!isObject(roster.attributes)) return roster;
  const { won } = roster.attributes;
  const changes: JsonObject = {};
  if (typeof won === "boolean") changes.won = `${won}`;
  fill(changes, roster.attributes, "shardId", around.shard);
  return changed(roster, changes);
}

export function normaliseParticipant(participant: Resource): Resource {
  return withoutEmptyReference(participant, "player");
}

export function normalisePlayer(player: Resource, around: Surroundings): Resource {
  const { attributes } = player;
  if (!isObject(attributes)) return player;
  const changes: JsonObject = {};
  fill(changes, attributes, "titleID", attributes.titleId ?? around.titleId);
  fill(changes, attributes, "patchVersion", around.patchVersion);
  fill(changes, attributes, "shardId", around.shard);
  return changed(player, changes);
}

export function normaliseTeam(team: Resource, around: Surroundings): Resource {
  if (!isObject(team.attributes)) return team;
  const changes: JsonObject = {};
  fill(changes, team.attributes, "shardId", around.shard);
  return changed(team, changes);
}

/** Completes an attribute that is not there, where there is something to complete it with. */
function fill(
  changes: JsonObject,
  attributes: JsonObject,
  name: string,
  value: Json | undefined,
): void {
  if (value !== undefined && (attributes[name] ?? null) === null) changes[name] = value;
}

/** Most records come as they are kept: only what changes is copied. */
function changed(resource: Resource, changes: JsonObject): Resource {
  const { attributes } = resource;
  for (const name in changes) {
    if (changes[name] !== attributes[name]) {
      return { ...resource, attributes: { ...attributes, ...changes } };
    }
  }
  return resource;
}

/** An empty `shardId` says the same as none. */
export function withoutEmptyShard(resource: Resource): Resource {
  const { attributes } = resource;
  if (!isObject(attributes) || attributes.shardId !== "") return resource;
  const { shardId: _, ...rest } = attributes;
  return { ...resource, attributes: rest };
}

/** `"team": {"data": null}` says the same as no relationship, which is how it is served. */
function withoutEmptyReference(resource: Resource, name: string): Resource {
  const relationships = resource.relationships;
  if (!isObject(relationships) || !isObject(relationships[name])) return resource;
  if (relationships[name].data !== null) return resource;
  const { [name]: _, ...rest } = relationships;
  const { relationships: __, ...bare } = resource;
  return (Object.keys(rest).length === 0 ? bare : { ...bare, relationships: rest }) as Resource;
}

/** Some sources abbreviate a match's stats to "key: value, key: value". */
function parseCompactStats(text: string): JsonObject | undefined {
  const pairs = text.replace(/^\s*\{|\}\s*$/g, "").split(",");
  const entries = pairs.map((pair) => /^\s*"?([\w.-]+)"?\s*[:=]\s*(.*?)\s*$/s.exec(pair));
  if (entries.some((entry) => entry === null)) return undefined;
  return Object.fromEntries(entries.map((entry) => [entry![1]!, compactValue(entry![2]!)]));
}

function compactValue(text: string): Json {
  if (text === "true" || text === "false") return text === "true";
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return exactNumber(Number(text), text);
  return text.replace(/^"(.*)"$/s, "$1");
}
