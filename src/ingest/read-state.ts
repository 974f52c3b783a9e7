/** Reads the lines of an export that are not records: turns one into a typed state, or lists all problems. */

import { packPlayer } from "../document/record.ts";
import type { ShardState } from "../document/shard-state.ts";
import { isObject, type JsonObject, keyOf, type Resource } from "../domain/json.ts";
import type { Totals } from "../domain/player.ts";
import { CLOCK_TOLERANCE_MS, parseTimestamp, TIMESTAMP_EXAMPLE } from "../domain/time.ts";
import { validate } from "../schema/json-schema.ts";
import { STATES, StateLine } from "../schema/shard-state.ts";
import { DERIVED_TABLES } from "../store/all-tables/declared.ts";
import type { PlayerBase, StoredRow } from "../store/store.ts";
import type { DerivedTable } from "../store/table.ts";
import { type Kind, resourceProblems, sentence } from "./check-shape.ts";
import { companionsOf } from "./collect-resources.ts";
import { shardProblem, type ValidationContext } from "./validate.ts";

export type ReadState = ShardState & { shard: string };

/** Whether a document is such a line, right or wrong. */
export const isStateDocument = (value: unknown): value is JsonObject & { meta: JsonObject } =>
  isObject(value) && value.data === undefined && isObject(value.meta) && "matchbook" in value.meta;

/** The content of a line, once its shape is right. */
interface Given {
  shard: string;
  redacted?: { player: string; redactedAt: string };
  base?: { player: string; rankedEvidence: number; standing?: GivenStanding };
  kept?: { table: string } & StoredRow;
  pruned?: { before: string; left: number };
}

interface GivenStanding extends Omit<Totals, "gold"> {
  gold: string;
  streak: number;
  latestMatch: string;
  latestAt: string;
  resource: Resource;
  companions: Resource[];
}

/** `isSafe`: the document has no value that cannot be stored. Throws Excess. */
export function readState(
  document: JsonObject & { meta: JsonObject },
  isSafe: boolean,
  context: ValidationContext,
): ReadState | string[] {
  const problems = validate(StateLine, document).map(sentence);
  if (problems.length > 0) return problems;
  const given = document.meta.matchbook as unknown as Given;
  const { shard, redacted, base, kept, pruned } = given;
  const wrongShard = shardProblem("meta.matchbook.shard", shard, context);
  if (wrongShard) problems.push(wrongShard);
  if (Object.keys(given).length !== 2) {
    problems.push(`meta.matchbook must have one of the members ${Object.keys(STATES).join(", ")}`);
  }
  const timeOf = (name: string, text: string): number => {
    const time = parseTimestamp(text);
    if (time === undefined) {
      problems.push(`${name} must be a timestamp with a time zone, e.g. ${TIMESTAMP_EXAMPLE}`);
    } else if (time > context.now + CLOCK_TOLERANCE_MS)
      problems.push(`${name} is ahead of this machine's clock`);
    return time ?? 0;
  };
  let state: ReadState | undefined;
  if (redacted) {
    const redactedAt = timeOf("redactedAt", redacted.redactedAt);
    state = { kind: "redacted", shard, redaction: { playerId: redacted.player, redactedAt } };
  } else if (pruned) {
    state = { kind: "pruned", shard, before: timeOf("before", pruned.before), left: pruned.left };
  } else if (kept) {
    const { table: name, ...given } = kept;
    const table = DERIVED_TABLES.find((one) => one.name === name && one.derived.keeps);
    if (!table) return ["kept.table must be a table of this version that keeps pruned matches"];
    const row: StoredRow = { ...given, [table.derived.keeps!]: 1 };
    problems.push(...rowProblems(table, row));
    state = { kind: "kept", shard, table, row };
  } else if (base) {
    const { player: id, rankedEvidence, standing } = base;
    if (standing) problems.push(...standingProblems(id, standing, shard, isSafe));
    const latestAt = standing ? timeOf("latestAt", standing.latestAt) : 0;
    if (problems.length > 0) return problems;
    const reached = standing && standingIn(id, standing, latestAt);
    state = { kind: "base", shard, base: { id, rankedEvidence, standing: reached } };
  }
  return state && problems.length === 0 ? state : problems;
}

/** What is wrong with the row of a table. */
function rowProblems(table: DerivedTable, row: StoredRow): string[] {
  const problems = Object.entries(table.columns).flatMap(([name, { type }]) => {
    const value = row[name];
    const isRight =
      type === "text"
        ? typeof value === "string" && value.isWellFormed() && !value.includes("\0")
        : Number.isSafeInteger(value) && (value as number) >= 0;
    return isRight ? [] : [`kept.${name} must be ${type === "text" ? "a text" : "a count"}`];
  });
  const unknown = Object.keys(row).filter((name) => !Object.hasOwn(table.columns, name));
  problems.push(...unknown.map((name) => `kept.${name} is not known`));
  return problems.length > 0 ? problems : (table.derived.problems?.(row) ?? []);
}

function standingProblems(
  id: string,
  { played, wins, playedRanked, rankedWins, streak, resource, companions }: GivenStanding,
  shard: string,
  isSafe: boolean,
): string[] {
  const problems: string[] = [];
  for (const [name, count] of Object.entries({ wins, playedRanked, streak: Math.abs(streak) })) {
    if (count > played) problems.push(`${name} must not be more than played`);
  }
  for (const [name, count] of Object.entries({ wins, playedRanked })) {
    if (rankedWins > count) problems.push(`rankedWins must not be more than ${name}`);
  }
  const check = (kind: Kind, one: Resource) => {
    const found = resourceProblems(kind, one, isSafe ? undefined : one);
    problems.push(...found.map((problem) => `${kind} ${one.id}: ${problem}`));
  };
  check("player", resource);
  if (resource.id !== id) problems.push(`resource must be player ${id}`);
  if (resource.attributes?.shardId !== shard) problems.push(`resource must be of shard ${shard}`);
  for (const one of companions) check(COMPANION_KINDS.get(one.type) ?? "other", one);
  if (companions.some(({ type }) => NEVER_COMPANIONS.has(type))) {
    problems.push(`companions must not have the types ${[...NEVER_COMPANIONS].join(", ")}`);
  }
  const index = new Map(companions.map((one) => [keyOf(one), one]));
  if (companionsOf(resource, index).size < companions.length) {
    problems.push("companions must be what the player links to, each once");
  }
  return problems;
}

const COMPANION_KINDS: ReadonlyMap<string, Kind> = new Map([
  ["roster", "extraRoster"],
  ["participant", "extraParticipant"],
]);
const NEVER_COMPANIONS: ReadonlySet<string> = new Set(["match", "player", "team"]);

function standingIn(id: string, given: GivenStanding, createdAt: number): PlayerBase["standing"] {
  const { gold, streak, latestMatch, latestAt: _, resource, companions, ...counts } = given;
  return {
    totals: { ...counts, gold: BigInt(gold) },
    run: streak,
    latest: { createdAt, matchId: latestMatch },
    snapshot: packPlayer({ id, carried: resource, companions }),
  };
}
