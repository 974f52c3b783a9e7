/** The include paths and resource types that callers may name: the usual and the extra ones. */

import { isObject, keyOf, type Resource, references } from "./json.ts";
import type { MatchRecord, Named } from "./match.ts";

/** The include paths and types that every match document offers. */
export const INCLUDE_PATHS = [
  "rosters",
  "rosters.participants",
  "rosters.participants.player",
  "rosters.team",
] as const;
export const RESOURCE_TYPES = ["match", "roster", "participant", "player", "team"] as const;

/** Relationships may lead in circles, and a record may invent any number of them, and of types. */
const LONGEST_PATH = 4;
const MOST_PATHS = 64;
const MOST_TYPES = 64;
/** What is longer fits into no address beside others. */
const LONGEST_WORD = 256;

const usualPaths: ReadonlySet<string> = new Set(INCLUDE_PATHS);
const usualTypes: ReadonlySet<string> = new Set(RESOURCE_TYPES);

/** What a record carries beyond the usual: "path:assets", "type:asset". */
export function extraWords(record: MatchRecord): string[] {
  if (isUsual(record)) return [];
  const resources = [...record.own];
  for (const { carried, companions } of record.players) resources.push(carried, ...companions);
  for (const { carried, companions } of record.teams) resources.push(carried, ...companions);
  const types = new Set(resources.map(({ type }) => type).filter((type) => !usualTypes.has(type)));
  const paths = extraPaths(record.match, resources);
  return [
    ...[...types]
      .sort()
      .slice(0, MOST_TYPES)
      .map((type) => `type:${type}`),
    ...paths.map((path) => `path:${path}`),
  ];
}

/** The relationships on the usual paths, by the type that has them. */
const USUAL_RELATIONSHIPS: ReadonlyMap<string, readonly string[]> = new Map([
  ["match", ["rosters"]],
  ["roster", ["participants", "team"]],
  ["participant", ["player"]],
  ["player", []],
  ["team", []],
]);

/** Whether at first sight a record has no extra words: most have none. */
function isUsual({ match, own, players, teams }: MatchRecord): boolean {
  const isPlain = ({ carried, companions }: Named) =>
    companions.length === 0 && hasUsualRelationships(carried);
  return (
    hasUsualRelationships(match) &&
    own.every(hasUsualRelationships) &&
    players.every(isPlain) &&
    teams.every(isPlain)
  );
}

function hasUsualRelationships({ type, relationships }: Resource): boolean {
  const usual = USUAL_RELATIONSHIPS.get(type);
  if (usual === undefined) return false;
  for (const name in relationships) if (!usual.includes(name)) return false;
  return true;
}

function extraPaths(match: Resource, resources: Resource[]): string[] {
  const index = new Map<string, Resource>();
  for (const resource of resources) index.set(keyOf(resource), resource);
  const found: string[] = [];
  let level = new Map([["", new Set([match])]]);
  for (let length = 1; length <= LONGEST_PATH && level.size > 0; length++) {
    const next = new Map<string, Set<Resource>>();
    for (const [path, sources] of level) {
      for (const { relationships } of sources) {
        if (!isObject(relationships)) continue;
        for (const name in relationships) {
          const longer = path === "" ? name : `${path}.${name}`;
          if (longer.length > LONGEST_WORD) continue;
          if (!next.has(longer) && next.size + found.length >= MOST_PATHS) continue;
          const targets = next.get(longer) ?? new Set();
          next.set(longer, targets);
          for (const reference of references(relationships[name])) {
            const target = index.get(keyOf(reference));
            if (target) targets.add(target);
          }
        }
      }
    }
    for (const path of next.keys()) if (!usualPaths.has(path)) found.push(path);
    level = next;
  }
  return found;
}
