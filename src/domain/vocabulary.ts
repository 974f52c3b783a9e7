/**
 * The include paths and resource types that callers can use: standard ones, and extra ones from
 * records.
 */

import { type Resource, ResourceIndex, references } from "./json.ts";
import type { MatchRecord, Named } from "./match.ts";

/** Available for every match. */
export const INCLUDE_PATHS = [
  "rosters",
  "rosters.participants",
  "rosters.participants.player",
  "rosters.team",
] as const;
export const RESOURCE_TYPES = ["match", "roster", "participant", "player", "team"] as const;

/** Relationships can be circular, and a record can contain any number of types and paths. */
const MAX_PATH_LENGTH = 4;
const MAX_PATHS = 64;
const MAX_TYPES = 64;
/** Longer names do not fit into a URL. */
const MAX_NAME_LENGTH = 256;

/** A relationship in a path: dots separate the steps of a path, commas the paths. */
const CAN_BE_NAMED = /^[^.,]+$/;

const standardPaths: ReadonlySet<string> = new Set(INCLUDE_PATHS);
const standardTypes: ReadonlySet<string> = new Set(RESOURCE_TYPES);

/** The extra types and paths of a record, as "type:asset" and "path:assets". */
export function extraWords(record: MatchRecord): string[] {
  if (isStandard(record)) return [];
  const resources = [...record.own];
  for (const { carried, companions } of record.players) resources.push(carried, ...companions);
  for (const { carried, companions } of record.teams) resources.push(carried, ...companions);
  const types = new Set(
    resources.map(({ type }) => type).filter((type) => !standardTypes.has(type)),
  );
  const paths = extraPaths(record.match, resources);
  return [
    ...[...types]
      .sort()
      .slice(0, MAX_TYPES)
      .map((type) => `type:${type}`),
    ...paths.map((path) => `path:${path}`),
  ];
}

/** The relationships of the standard paths, by type. */
const STANDARD_RELATIONSHIPS: ReadonlyMap<string, readonly string[]> = new Map([
  ["match", ["rosters"]],
  ["roster", ["participants", "team"]],
  ["participant", ["player"]],
  ["player", []],
  ["team", []],
]);

/** A quick check: most records have no extra types or paths. */
function isStandard({ match, own, players, teams }: MatchRecord): boolean {
  const isPlain = ({ carried, companions }: Named) =>
    companions.length === 0 && hasStandardRelationships(carried);
  return (
    hasStandardRelationships(match) &&
    own.every(hasStandardRelationships) &&
    players.every(isPlain) &&
    teams.every(isPlain)
  );
}

function hasStandardRelationships({ type, relationships }: Resource): boolean {
  const standard = STANDARD_RELATIONSHIPS.get(type);
  if (standard === undefined) return false;
  for (const name in relationships) if (!standard.includes(name)) return false;
  return true;
}

function extraPaths(match: Resource, resources: Resource[]): string[] {
  const index = new ResourceIndex(resources);
  const found: string[] = [];
  let level = new Map([["", new Set([match])]]);
  for (let length = 1; length <= MAX_PATH_LENGTH && level.size > 0; length++) {
    const next = new Map<string, Set<Resource>>();
    for (const [path, sources] of level) {
      for (const { relationships } of sources) {
        for (const name in relationships) {
          if (!CAN_BE_NAMED.test(name)) continue;
          const longer = path === "" ? name : `${path}.${name}`;
          if (longer.length > MAX_NAME_LENGTH) continue;
          if (!next.has(longer) && next.size + found.length >= MAX_PATHS) continue;
          const targets = next.get(longer) ?? new Set();
          next.set(longer, targets);
          for (const reference of references(relationships[name])) {
            const target = index.get(reference);
            if (target) targets.add(target);
          }
        }
      }
    }
    for (const path of next.keys()) if (!standardPaths.has(path)) found.push(path);
    level = next;
  }
  return found;
}
