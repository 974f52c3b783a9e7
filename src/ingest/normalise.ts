/** In charge of bringing resources to the one form in which they are kept, before they are checked. */

import { isObject, type JsonObject, type Resource } from "../domain/json.ts";
import { canonicalTimestamp, parseTimestamp } from "../domain/time.ts";
import { parseExactly } from "./values.ts";

/** What a record leaves open is completed from these. */
export interface Surroundings {
  shard: string | undefined;
  patchVersion: string | undefined;
  titleId: string;
}

export function normaliseMatch(match: Resource, shard: string | undefined): Resource {
  return withAttributes(match, (attributes) => {
    const { createdAt, stats } = attributes;
    if (typeof createdAt === "string") {
      const milliseconds = parseTimestamp(createdAt);
      if (milliseconds !== undefined) {
        attributes.createdAt = canonicalTimestamp(createdAt, milliseconds);
      }
    }
    if (typeof stats === "string") attributes.stats = parseCompactStats(stats) ?? stats;
    if (shard !== undefined) attributes.shardId ??= shard;
  });
}

export function normaliseRoster(roster: Resource, around: Surroundings): Resource {
  return withAttributes(withoutEmptyReference(roster, "team"), (attributes) => {
    if (typeof attributes.won === "boolean") attributes.won = `${attributes.won}`;
    fillShard(attributes, around);
  });
}

export function normaliseParticipant(participant: Resource): Resource {
  return withoutEmptyReference(participant, "player");
}

export function normalisePlayer(player: Resource, around: Surroundings): Resource {
  return withAttributes(player, (attributes) => {
    attributes.titleID ??= attributes.titleId ?? around.titleId;
    if (around.patchVersion !== undefined) attributes.patchVersion ??= around.patchVersion;
    fillShard(attributes, around);
  });
}

export function normaliseTeam(team: Resource, around: Surroundings): Resource {
  return withAttributes(team, (attributes) => fillShard(attributes, around));
}

function fillShard(attributes: JsonObject, around: Surroundings): void {
  if (around.shard !== undefined) attributes.shardId ??= around.shard;
}

/** A copy with changed attributes; a resource without any is left for validation to report. */
function withAttributes(resource: Resource, change: (attributes: JsonObject) => void): Resource {
  if (!isObject(resource.attributes)) return resource;
  const attributes = { ...resource.attributes };
  change(attributes);
  return { ...resource, attributes };
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

function compactValue(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return parseExactly(text) as number;
  return text.replace(/^"(.*)"$/s, "$1");
}
