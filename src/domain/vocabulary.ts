/** In charge of what callers may ask for by name: include paths and types, the usual and the extra. */

import { isObject, keyOf, type Resource, references } from "./json.ts";
import type { MatchRecord } from "./match.ts";

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
  const named = [...record.players, ...record.teams];
  const resources = [
    ...record.own,
    ...named.flatMap(({ carried, companions }) => [carried, ...companions]),
  ];
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

function extraPaths(match: Resource, resources: Resource[]): string[] {
  const index = new Map(resources.map((resource) => [keyOf(resource), resource]));
  const found: string[] = [];
  let level = new Map([["", new Set([match])]]);
  for (let length = 1; length <= LONGEST_PATH; length++) {
    const next = new Map<string, Set<Resource>>();
    for (const [path, sources] of level) {
      for (const source of sources) {
        if (!isObject(source.relationships)) continue;
        for (const [name, relationship] of Object.entries(source.relationships)) {
          const longer = path === "" ? name : `${path}.${name}`;
          if (longer.length > LONGEST_WORD) continue;
          if (!next.has(longer) && next.size + found.length >= MOST_PATHS) continue;
          const targets = next.get(longer) ?? new Set();
          next.set(longer, targets);
          for (const reference of references(relationship)) {
            const target = index.get(keyOf(reference));
            if (target) targets.add(target);
          }
        }
      }
    }
    found.push(...[...next.keys()].filter((path) => !usualPaths.has(path)));
    level = next;
  }
  return found;
}
