/**
 * Collects the resources of a match: follows references from the match to what only it includes, to the
 * players and teams it names, and to what only those link to.
 */

import { isObject, keyOf, type Resource, references } from "../domain/json.ts";
import type { MatchParts, Named } from "../domain/match.ts";
import { Excess } from "./reject-reasons.ts";

export type ResourceIndex = ReadonlyMap<string, Resource>;

export interface MatchResources extends MatchParts {
  rosters: Resource[];
  participants: Resource[];
}

/** Counted for each player and team that leads to them; real records have a few dozen. */
export const MOST_REFERENCES = 20_000;

/**
 * Works on resources of any shape; validation reports what cannot be followed. Throws Excess when there are
 * too many references.
 */
export function collectResources(match: Resource, index: ResourceIndex): MatchResources {
  const rosters = [...allRelated([match], "rosters", index)];
  const participants: Resource[] = [];
  const own = new Set<Resource>();
  for (const roster of rosters) {
    own.add(roster);
    for (const participant of allRelated([roster], "participants", index)) {
      own.add(participant);
      participants.push(participant);
    }
  }
  const inRosters = [...own];

  const walk: Walk = { index, named: new Set(), left: MOST_REFERENCES };
  follow([match, ...inRosters], walk, own);
  own.delete(match);
  const others = own.size === inRosters.length ? [] : [...own].slice(inRosters.length).sort(byKey);

  // Players may link to further players: the set grows while it is walked.
  const companions = new Map<Resource, Resource[]>();
  for (const resource of walk.named) {
    if (resource.relationships === undefined) continue;
    const carried = new Set<Resource>();
    follow([resource], walk, carried, own);
    carried.delete(match);
    companions.set(resource, [...carried].sort(byKey));
  }

  const list = (type: string, first: Set<Resource>): Named[] => {
    const mentioned: Resource[] = [];
    for (const resource of walk.named) {
      if (resource.type === type && !first.has(resource)) mentioned.push(resource);
    }
    return [...first, ...mentioned.sort(byKey)].map((resource) => ({
      id: resource.id,
      carried: resource,
      companions: companions.get(resource) ?? [],
    }));
  };
  return {
    match,
    rosters,
    participants,
    own: [...inRosters, ...others],
    players: list("player", allRelated(participants, "player", index)),
    teams: list("team", allRelated(rosters, "team", index)),
  };
}

/** Those resources of an index that a player or team leads to. Throws Excess. */
export function companionsOf(resource: Resource, index: ResourceIndex): Set<Resource> {
  const reached = new Set<Resource>();
  follow([resource], { index, named: new Set(), left: MOST_REFERENCES }, reached);
  return reached;
}

interface Walk {
  index: ResourceIndex;
  /** The players and teams found so far. */
  named: Set<Resource>;
  /** How many references may still be followed. */
  left: number;
}

/** Follows references from `from`; players and teams are noted, but not passed through. */
function follow(
  from: Resource[],
  walk: Walk,
  reached: Set<Resource>,
  except?: ReadonlySet<Resource>,
): void {
  const open = [...from];
  for (let resource = open.pop(); resource; resource = open.pop()) {
    const { relationships } = resource;
    if (!isObject(relationships)) continue;
    for (const name in relationships) {
      for (const reference of references(relationships[name])) {
        if (--walk.left < 0) {
          throw new Excess(
            `the match and its included resources have more than ${MOST_REFERENCES} references: include fewer resources`,
          );
        }
        const target = walk.index.get(keyOf(reference));
        if (!target || reached.has(target) || except?.has(target)) continue;
        if (isNamedType(target.type)) walk.named.add(target);
        else {
          reached.add(target);
          open.push(target);
        }
      }
    }
  }
}

/** Each once, however often it is referenced; validation reports repetitions. */
function allRelated(from: Resource[], name: string, index: ResourceIndex): Set<Resource> {
  const found = new Set<Resource>();
  for (const { relationships } of from) {
    for (const reference of references(relationships?.[name])) {
      const target = index.get(keyOf(reference));
      if (target) found.add(target);
    }
  }
  return found;
}

const isNamedType = (type: string) => type === "player" || type === "team";

function byKey(a: Resource, b: Resource): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

/** Deeper values are rejected elsewhere and need not be measured. */
const DEEPEST_MEASURED = 100;

/**
 * Limits what a document grows to. Every record stores a copy of what it includes, and every player and team
 * a copy of what only it links to, so a small document that shares a lot could become many times larger.
 */
export class CopyBudget {
  readonly #stored = new Set<Resource>();
  #left: number;

  constructor(private readonly most: number) {
    this.#left = most;
  }

  /** Counts resources that are to be stored. The first copy of each is free. Throws Excess. */
  spend(resources: readonly Resource[]): void {
    for (const resource of resources) {
      if (!this.#stored.has(resource)) this.#stored.add(resource);
      else this.#left -= sizeOf(resource, 0);
      if (this.#left >= 0) continue;
      throw new Excess(
        `the matches and players of this document share resources whose copies would take more than ${this.most} bytes: send fewer matches in one document`,
      );
    }
  }
}

/** Roughly the bytes that the value takes as JSON. */
function sizeOf(value: unknown, depth: number): number {
  if (typeof value === "string") return value.length + 3;
  if (typeof value !== "object" || value === null || depth === DEEPEST_MEASURED) return 8;
  let size = 2;
  for (const name in value) {
    size += name.length + 4 + sizeOf((value as Record<string, unknown>)[name], depth + 1);
  }
  return size;
}
