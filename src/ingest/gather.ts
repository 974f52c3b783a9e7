/**
 * In charge of whose resources are whose: from a match outwards along the references, what only the
 * match includes, the players and teams it names, and what hangs on those alone.
 */

import { isObject, keyOf, type Reference, type Resource, references } from "../domain/json.ts";
import type { MatchParts, Named } from "../domain/match.ts";
import { Excess } from "./reasons.ts";

export type ResourceIndex = ReadonlyMap<string, Resource>;

export interface Gathered extends MatchParts {
  rosters: Resource[];
  participants: Resource[];
}

/** Counted once for each player and team that leads to them; real records have a few dozen. */
export const MOST_REFERENCES = 20_000;

/**
 * Works on resources of any shape: what cannot be followed is left to validation to report. Throws
 * Excess when there is too much to follow.
 */
export function gather(match: Resource, index: ResourceIndex): Gathered {
  const rosters = related(match, "rosters", index);
  const participants = rosters.map((roster) => related(roster, "participants", index));
  const inRosters = new Set(rosters.flatMap((roster, side) => [roster, ...participants[side]!]));

  const named = new Map<string, Resource>();
  const own = new Set(inRosters);
  const walk = { index, named, left: MOST_REFERENCES };
  spread([match, ...inRosters], walk, own);
  own.delete(match);
  const others = [...own].filter((resource) => !inRosters.has(resource)).sort(byKey);

  // Players may link to further players: the list grows while it is walked.
  const companions = new Map<Resource, Resource[]>();
  for (const resource of named.values()) {
    const carried = new Set<Resource>();
    spread([resource], walk, carried, own);
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

interface Walk {
  index: ResourceIndex;
  named: Map<string, Resource>;
  /** How many references may still be followed. */
  left: number;
}

/** Follows references from `from`; players and teams are noted, but not passed through. */
function spread(
  from: Resource[],
  walk: Walk,
  reached: Set<Resource>,
  except?: ReadonlySet<Resource>,
): void {
  const open = [...from];
  for (let resource = open.pop(); resource; resource = open.pop()) {
    for (const reference of allReferences(resource)) {
      if (--walk.left < 0) {
        throw new Excess(
          `the match and what it includes hold more than ${MOST_REFERENCES} references: send fewer related resources with it`,
        );
      }
      const target = walk.index.get(keyOf(reference));
      if (!target || reached.has(target) || except?.has(target)) continue;
      if (isNamedType(target.type)) {
        walk.named.set(keyOf(target), target);
      } else {
        reached.add(target);
        open.push(target);
      }
    }
  }
}

function allReferences(resource: Resource): Reference[] {
  if (!isObject(resource.relationships)) return [];
  return Object.values(resource.relationships).flatMap((one) =>
    isObject(one) ? references(one) : [],
  );
}

function related(resource: Resource, name: string, index: ResourceIndex): Resource[] {
  const relationships = resource.relationships;
  const relationship = isObject(relationships) ? relationships[name] : undefined;
  if (!isObject(relationship)) return [];
  // Each once, however often it is named: that is for validation to report.
  return [
    ...new Set(references(relationship).flatMap((reference) => index.get(keyOf(reference)) ?? [])),
  ];
}

const isNamedType = (type: string) => type === "player" || type === "team";

function byKey(a: Resource, b: Resource): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
