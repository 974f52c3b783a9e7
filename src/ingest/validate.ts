/** Validates a match record: turns a match and its included resources into a record, or lists all problems. */

import { keyOf, type Resource, references } from "../domain/json.ts";
import { describeMatch, type MatchRecord, type Named } from "../domain/match.ts";
import { CLOCK_TOLERANCE_MS, parseTimestamp, TIMESTAMP_EXAMPLE } from "../domain/time.ts";
import { type Kind, resourceProblems } from "./check-shape.ts";
import {
  type CopyBudget,
  collectResources,
  type MatchResources,
  type ResourceIndex,
} from "./collect-resources.ts";
import {
  attributesOf,
  type MatchDefaults,
  normaliseIncluded,
  normaliseMatch,
} from "./normalise.ts";
import { ENOUGH_REASONS } from "./reject-reasons.ts";

export interface ValidationContext {
  now: number;
  /** The shard that the sender requested; records of other shards are rejected. */
  shard: string | undefined;
  /** The shards that exist; undefined if new ones may be created. */
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
export interface SharedContext {
  index: ResourceIndex;
  copies: CopyBudget;
  /** Whether the document has no value that cannot be stored. */
  isSafe: boolean;
}

/** Checks one match of a document against the resources included with it. Throws Excess. */
export function validate(
  raw: Resource,
  { index, copies, isSafe }: SharedContext,
  context: ValidationContext,
): Validated {
  const problems: string[] = [];
  const collected = collectResources(raw, index);
  const reached = allOf(collected, copies);
  const kinds = kindsOf(reached, collected);

  const match = normaliseMatch(raw, context.shard);
  const defaults = defaultsOf(match, context);
  const check = (kind: Kind, resource: Resource, unsafe: Resource | undefined) => {
    if (problems.length >= ENOUGH_REASONS) return;
    for (const problem of resourceProblems(kind, resource, unsafe)) {
      problems.push(`${nameOf(resource)}: ${problem}`);
    }
  };
  // Normalising may have parsed numbers from a string.
  check("match", match, isSafe && match === raw ? undefined : match);
  const forms = new Map<Resource, Resource>();
  for (const resource of reached) {
    if (resource === raw) continue;
    const kind = kinds.get(resource);
    const form = normaliseIncluded(resource, kind, defaults);
    forms.set(resource, form);
    check(kind ?? "other", form, isSafe ? undefined : resource);
    // It might be one that must not be served.
    if (resource.type !== "match") continue;
    problems.push(`${nameOf(resource)} must not be in included: send each match in data`);
  }

  const normalised = (resource: Resource) => forms.get(resource)!;

  checkTime(match, context.now, problems);
  const { shard } = defaults;
  if (shard !== undefined) {
    const problem = shardProblem("attributes.shardId", shard, context);
    if (problem) problems.push(`${nameOf(match)}: ${problem}`);
  }
  for (const resource of kinds.keys()) {
    const { shardId } = attributesOf(normalised(resource));
    if (resource.type === "participant" || typeof shardId !== "string") continue;
    if (shard === undefined || shardId === shard) continue;
    problems.push(
      `${nameOf(resource)}: attributes.shardId is "${shardId}", but its match is in "${shard}": all resources of a match belong to one shard`,
    );
  }
  checkReferences(raw, collected, index, problems);
  if (problems.length > 0) return { problems, reached };

  const normalisedNamed = ({ id, carried, companions }: Named): Named => ({
    id,
    carried: normalised(carried),
    companions: companions.map(normalised),
  });
  const record = describeMatch({
    match,
    own: collected.own.map(normalised),
    players: collected.players.map(normalisedNamed),
    teams: collected.teams.map(normalisedNamed),
  });
  return { record, problems, reached };
}

/** The match and everything stored with it, each once: two players may link to the same resource. */
function allOf({ match, own, players, teams }: MatchResources, copies: CopyBudget): Resource[] {
  const all = [match, ...own];
  for (const { carried, companions } of [...players, ...teams]) all.push(carried, ...companions);
  copies.spend(all);
  return [...new Set(all)];
}

/** By type, wherever a resource is linked: everything served as a roster must be a valid one. */
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

function defaultsOf(match: Resource, context: ValidationContext): MatchDefaults {
  const { shardId, patchVersion, titleID, titleId } = attributesOf(match);
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    shard: text(shardId),
    patchVersion: text(patchVersion),
    titleId: text(titleID) ?? text(titleId) ?? context.titleId,
  };
}

/** The references that the API promises must resolve, each to a different resource. */
function checkReferences(
  match: Resource,
  { rosters, participants }: MatchResources,
  index: ResourceIndex,
  problems: string[],
): void {
  const seen = new Set<string>();
  const follow = (from: Resource, name: string, mayRepeat: boolean) => {
    for (const reference of references(from.relationships?.[name])) {
      const key = keyOf(reference);
      if (!index.has(key)) {
        problems.push(`${nameOf(from)}: ${name} references ${key}, which is not in included`);
      }
      if (!mayRepeat && seen.has(key)) {
        problems.push(`${nameOf(from)}: ${name} references ${key} a second time`);
      }
      seen.add(key);
    }
  };
  follow(match, "rosters", false);
  for (const roster of rosters) {
    follow(roster, "participants", false);
    follow(roster, "team", true);
  }
  for (const participant of new Set(participants)) follow(participant, "player", false);
}

function checkTime(match: Resource, now: number, problems: string[]): void {
  const { createdAt } = attributesOf(match);
  if (typeof createdAt !== "string") return;
  const at = parseTimestamp(createdAt);
  if (at === undefined) {
    problems.push(
      `${nameOf(match)}: attributes.createdAt must be a timestamp with a time zone, e.g. ${TIMESTAMP_EXAMPLE}, not "${createdAt.slice(0, 60)}"`,
    );
  } else if (at > now + CLOCK_TOLERANCE_MS) {
    problems.push(
      `${nameOf(match)}: attributes.createdAt is ${createdAt}, more than 10 minutes ahead of this machine's clock: correct the record or the clock`,
    );
  }
}

/** Why nothing may be added to this shard, if so. */
export function shardProblem(
  where: string,
  shard: string,
  { shard: requested, shards }: Pick<ValidationContext, "shard" | "shards">,
): string | undefined {
  if (requested !== undefined && shard !== requested) {
    return `${where} is "${shard}", but the requested shard is "${requested}": change one of the two`;
  }
  if (shards && !shards.has(shard)) {
    return `there is no shard "${shard}"; the settings define ${[...shards].join(", ")}`;
  }
}

function nameOf({ type, id }: { type: string; id: unknown }): string {
  const isNamed = typeof id === "string" || typeof id === "number";
  return `${type.slice(0, 64)} ${isNamed ? String(id).slice(0, 64) : "without an id"}`;
}
