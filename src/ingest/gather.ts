/**
 * In charge of whose resources are whose: from a match outwards along the references, what only the
 * match includes, the players and teams it names, and what hangs on those alone.
 */

import { isObject, keyOf, type Reference, type Resource, references } from "../domain/json.ts";
import type { MatchParts, Named } from "../domain/match.ts";

export type ResourceIndex = ReadonlyMap<string, Resource>;

export interface Gathered extends MatchParts {
  rosters: Resource[];
  participants: Resource[];
}

/** Works on resources of any shape: what cannot be followed is left to validation to report. */
export function gather(match: Resource, index: ResourceIndex): Gathered {
  const rosters = related(match, "rosters", index);
  const participants = rosters.map((roster) => related(roster, "participants", index));
  const inRosters = new Set(rosters.flatMap((roster, side) => [roster, ...participants[side]!]));

  const named = new Map<string, Resource>();
  const own = new Set(inRosters);
  spread([match, ...inRosters], index, own, named);
  own.delete(match);
  const others = [...own].filter((resource) => !inRosters.has(resource)).sort(byKey);

  // Players may link to further players: the list grows while it is walked.
  const companions = new Map<Resource, Resource[]>();
  for (const resource of named.values()) {
    const carried = new Set<Resource>();
    spread([resource], index, carried, named, own);
    carried.delete(match);
    companions.set(resource, [...carried].sort(byKey));
  }

  const appearing = participants.flat().flatMap((one) => related(one, "player", index));
  const entering = rosters.flatMap((roster) => related(roster, "team", index));
  const list = (type: string, first: Resource[]): Named[] => {
    const mentioned = [...named.values()].filter((resource) => resource.type === type).sort(byKey);
    return [...new Set([...first, ...mentioned])].map((resource) => ({
      id: resource.id,
      carried: resource,
      companions: companions.get(resource) ?? [],
    }));
  };
  return {
    match,
    rosters,
    participants: participants.flat(),
    own: [...inRosters, ...others],
    players: list("player", appearing),
    teams: list("team", entering),
  };
}

/** Follows references from `from`; players and teams are noted, but not passed through. */
function spread(
  from: Resource[],
  index: ResourceIndex,
  reached: Set<Resource>,
  named: Map<string, Resource>,
  except?: ReadonlySet<Resource>,
): void {
  const open = [...from];
  for (let resource = open.pop(); resource; resource = open.pop()) {
    for (const reference of allReferences(resource)) {
      const target = index.get(keyOf(reference));
      if (!target || reached.has(target) || except?.has(target)) continue;
      if (isNamedType(target.type)) {
        named.set(keyOf(target), target);
      } else {
        reached.add(target);
        open.push(target);
      }
    }
  }
}

export function allReferences(resource: Resource): Reference[] {
  if (!isObject(resource.relationships)) return [];
  return Object.values(resource.relationships).flatMap((one) =>
    isObject(one) ? references(one) : [],
  );
}

function related(resource: Resource, name: string, index: ResourceIndex): Resource[] {
  const relationships = resource.relationships;
  const relationship = isObject(relationships) ? relationships[name] : undefined;
  if (!isObject(relationship)) return [];
  return references(relationship).flatMap((reference) => index.get(keyOf(reference)) ?? []);
}

const isNamedType = (type: string) => type === "player" || type === "team";

function byKey(a: Resource, b: Resource): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
