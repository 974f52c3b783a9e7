/** Normalises resources to the form in which they are stored, before validation. */

import { isObject, type Json, type JsonObject, type Resource } from "../domain/json.ts";
import { canonicalTimestamp, parseTimestamp } from "../domain/time.ts";
import { checkRelationship, type Kind } from "./check-shape.ts";
import { exactNumber } from "./parse-json.ts";

/** Attributes that included resources inherit from their match. */
export interface MatchDefaults {
  shard: string | undefined;
  patchVersion: string | undefined;
  titleId: string;
}

export function normaliseMatch(raw: Resource, shard: string | undefined): Resource {
  const match = withoutEmptyShard(raw);
  const { createdAt, stats } = attributesOf(match);
  const changes: JsonObject = {};
  if (typeof createdAt === "string") {
    const milliseconds = parseTimestamp(createdAt);
    if (milliseconds !== undefined) {
      changes.createdAt = canonicalTimestamp(createdAt, milliseconds);
    }
  }
  if (typeof stats === "string") changes.stats = parseCompactStats(stats) ?? stats;
  return completed(match, { shardId: shard }, changes);
}

export function normaliseIncluded(
  raw: Resource,
  kind: Kind | undefined,
  { shard, patchVersion, titleId }: MatchDefaults,
): Resource {
  const resource = withoutEmptyShard(raw);
  if (kind === "player") {
    const { titleId: own } = attributesOf(resource);
    const titleID = typeof own === "string" ? own : titleId;
    return completed(resource, { titleID, patchVersion, shardId: shard });
  }
  if (kind === "team") return completed(resource, { shardId: shard });
  if (resource.type === "participant") return withoutEmptyReference(resource, "player");
  if (resource.type !== "roster") return resource;
  const { won } = attributesOf(resource);
  const changes = typeof won === "boolean" ? { won: `${won}` } : {};
  return completed(withoutEmptyReference(resource, "team"), { shardId: shard }, changes);
}

/** Empty if they are not an object, which validation reports. */
export const attributesOf = ({ attributes }: Resource) => (isObject(attributes) ? attributes : {});

/** With changed attributes, and with values for missing ones. */
function completed(
  resource: Resource,
  missing: { [name: string]: Json | undefined },
  changes: JsonObject = {},
): Resource {
  const { attributes } = resource;
  if (!isObject(attributes)) return resource;
  for (const name in missing) {
    const value = missing[name];
    if (value !== undefined && (attributes[name] ?? null) === null) changes[name] = value;
  }
  // Most records are normal already: only changes are copied.
  for (const name in changes) {
    if (changes[name] !== attributes[name]) {
      return { ...resource, attributes: { ...attributes, ...changes } };
    }
  }
  return resource;
}

/** An empty `shardId` counts as absent. */
function withoutEmptyShard(resource: Resource): Resource {
  const { attributes } = resource;
  if (!isObject(attributes) || attributes.shardId !== "") return resource;
  const { shardId: _, ...rest } = attributes;
  return { ...resource, attributes: rest };
}

/** `"team": {"data": null}` means no relationship, which is how it is served. An invalid one is left, to be reported. */
function withoutEmptyReference(resource: Resource, name: string): Resource {
  const { relationships } = resource;
  if (!isObject(relationships)) return resource;
  const { [name]: empty, ...rest } = relationships;
  if (!isObject(empty) || empty.data !== null) return resource;
  const problems: string[] = [];
  checkRelationship(name, empty, problems);
  if (problems.length > 0) return resource;
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
