/** In charge of deciding whether what came in is a match record, and of saying everything that is not. */

import { isObject, keyOf, type Resource, references } from "../domain/json.ts";
import { describeMatch, type MatchRecord, type Named } from "../domain/match.ts";
import { parseTimestamp, TIMESTAMP_EXAMPLE } from "../domain/time.ts";
import { type Kind, resourceProblems } from "./check-resource.ts";
import {
  type CopyBudget,
  collectResources,
  type MatchResources,
  type ResourceIndex,
} from "./collect-resources.ts";
import { normaliseIncluded, normaliseMatch, type Surroundings } from "./normalise.ts";
import { ENOUGH_REASONS } from "./reasons.ts";

/** How far a game server's clock may be ahead of ours. */
const CLOCK_TOLERANCE_MS = 10 * 60 * 1000;

export interface ValidationContext {
  now: number;
  /** The shard asked for on the command line; records of another one are rejected. */
  shard: string | undefined;
  /** The shards there are; undefined when a new one may be made. */
  shards: ReadonlySet<string> | undefined;
  titleId: string;
}

export interface Validated {
  /** Undefined when there are problems. */
  record?: MatchRecord;
  problems: string[];
  /** The match and all resources that it leads to. */
  reached: Resource[];
}

/** What the matches of a document share. */
export interface Surrounding {
  index: ResourceIndex;
  copies: CopyBudget;
  /** Whether all of it was found to hold no value that cannot be kept. */
  isSafe: boolean;
}

/** Checks one match of a document against the resources included with it. Throws Excess. */
export function validate(
  raw: Resource,
  { index, copies, isSafe }: Surrounding,
  context: ValidationContext,
): Validated {
  const problems: string[] = [];
  const collected = collectResources(raw, index);
  const reached = allOf(collected, copies);
  const kinds = kindsOf(reached, collected);

  const match = normaliseMatch(raw, context.shard);
  const around = surroundings(match, context);
  const check = (kind: Kind, resource: Resource, unsafe: Resource | undefined) => {
    if (problems.length >= ENOUGH_REASONS) return;
    for (const problem of resourceProblems(kind, resource, unsafe)) {
      problems.push(`${nameOf(resource)}: ${problem}`);
    }
  };
  // Normalising may have read numbers out of a text.
  check("match", match, isSafe && match === raw ? undefined : match);
  const tidy = new Map<Resource, Resource>();
  for (const resource of reached) {
    if (resource === raw) continue;
    const kind = kinds.get(resource);
    const tidied = normaliseIncluded(resource, kind, around);
    tidy.set(resource, tidied);
    check(kind ?? "other", tidied, isSafe ? undefined : resource);
    // It might be one that is not served.
    if (resource.type !== "match") continue;
    problems.push(`${nameOf(resource)} is in included: send every match as data of its own`);
  }

  problems.push(...timeProblems(match, context.now), ...shardProblems(match, context));
  for (const resource of kinds.keys()) {
    problems.push(...foreignShard(tidy.get(resource)!, around));
  }
  problems.push(...referenceProblems(collected.rosters, collected.participants, raw, index));
  if (problems.length > 0) return { problems, reached };

  const tidied = (resource: Resource) => tidy.get(resource)!;
  const tidiedNamed = ({ id, carried, companions }: Named): Named => ({
    id,
    carried: tidied(carried),
    companions: companions.map(tidied),
  });
  const record = describeMatch({
    match,
    own: collected.own.map(tidied),
    players: collected.players.map(tidiedNamed),
    teams: collected.teams.map(tidiedNamed),
  });
  return { record, problems, reached };
}

/** The match and everything kept with it, each once: two players may link to the same companion. */
function allOf({ match, own, players, teams }: MatchResources, copies: CopyBudget): Resource[] {
  const kept = [match, ...own];
  for (const named of [players, teams]) {
    for (const { carried, companions } of named) kept.push(carried, ...companions);
  }
  copies.spend(kept);
  return [...new Set(kept)];
}

/** By their types, wherever they are linked: what is served as a roster must look like one. */
function kindsOf(reached: Resource[], collected: MatchResources): Map<Resource, Kind> {
  const kinds = new Map<Resource, Kind>();
  for (const one of reached) if (one.type === "roster") kinds.set(one, "extraRoster");
  for (const one of reached) if (one.type === "participant") kinds.set(one, "extraParticipant");
  for (const one of collected.rosters) kinds.set(one, "roster");
  for (const one of collected.participants) kinds.set(one, "participant");
  for (const { carried } of collected.players) kinds.set(carried, "player");
  for (const { carried } of collected.teams) kinds.set(carried, "team");
  return kinds;
}

function surroundings(match: Resource, context: ValidationContext): Surroundings {
  const attributes = isObject(match.attributes) ? match.attributes : {};
  const text = (name: string) => {
    const value = attributes[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    shard: text("shardId"),
    patchVersion: text("patchVersion"),
    titleId: text("titleID") ?? text("titleId") ?? context.titleId,
  };
}

/** The references that the interface promises must lead somewhere, and nowhere twice. */
function referenceProblems(
  rosters: Resource[],
  participants: Resource[],
  match: Resource,
  index: ResourceIndex,
): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  const follow = (from: Resource, name: string, mayRepeat: boolean) => {
    const relationship = isObject(from.relationships) ? from.relationships[name] : undefined;
    if (!isObject(relationship)) return;
    for (const reference of references(relationship)) {
      const key = keyOf(reference);
      if (!index.has(key)) {
        problems.push(`${nameOf(from)}: ${name} names ${key}, which is not in included`);
      }
      if (!mayRepeat && seen.has(key)) {
        problems.push(`${nameOf(from)}: ${name} names ${key} a second time`);
      }
      seen.add(key);
    }
  };
  follow(match, "rosters", false);
  for (const roster of new Set(rosters)) {
    follow(roster, "participants", false);
    follow(roster, "team", true);
  }
  for (const participant of new Set(participants)) follow(participant, "player", false);
  return problems;
}

function timeProblems(match: Resource, now: number): string[] {
  const createdAt = isObject(match.attributes) ? match.attributes.createdAt : undefined;
  if (typeof createdAt !== "string") return [];
  const at = parseTimestamp(createdAt);
  if (at === undefined) {
    return [
      `${nameOf(match)}: attributes.createdAt must be a time with a zone, such as ${TIMESTAMP_EXAMPLE}, not "${createdAt.slice(0, 60)}"`,
    ];
  }
  if (at > now + CLOCK_TOLERANCE_MS) {
    return [
      `${nameOf(match)}: attributes.createdAt is ${createdAt}, more than 10 minutes ahead of this machine's clock: set the wrong one right`,
    ];
  }
  return [];
}

function shardProblems(match: Resource, context: ValidationContext): string[] {
  const shard = isObject(match.attributes) ? match.attributes.shardId : undefined;
  if (typeof shard !== "string") return [];
  if (context.shard !== undefined && shard !== context.shard) {
    return [
      `${nameOf(match)}: attributes.shardId is "${shard}", but the shard asked for is "${context.shard}": mend one of them`,
    ];
  }
  if (context.shards && !context.shards.has(shard)) {
    return [
      `${nameOf(match)}: there is no shard "${shard}"; the settings list ${[...context.shards].join(", ")}`,
    ];
  }
  return [];
}

function foreignShard(resource: Resource, around: Surroundings): string[] {
  const shard = isObject(resource.attributes) ? resource.attributes.shardId : undefined;
  if (resource.type === "participant" || around.shard === undefined || shard === around.shard) {
    return [];
  }
  if (typeof shard !== "string") return [];
  return [
    `${nameOf(resource)}: attributes.shardId is "${shard}", but its match is of "${around.shard}": a record is of one shard`,
  ];
}

function nameOf({ type, id }: { type: string; id: unknown }): string {
  const isNamed = typeof id === "string" || typeof id === "number";
  return `${type.slice(0, 64)} ${isNamed ? String(id).slice(0, 64) : "without an id"}`;
}
