/**
 * A match in the shape that the views use. Only what the API guarantees is required; everything else may be
 * missing.
 */

import type { Stats } from "../../format.ts";

export interface MatchRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly duration: number;
  readonly gameMode: string;
  readonly patchVersion: string;
  readonly stats: Stats;
  readonly rosters: readonly RosterRecord[];
  /** All attributes, unchanged. */
  readonly attributes?: Stats;
  /** Relationships other than rosters. */
  readonly relations?: readonly Relation[];
}

export interface Relation {
  readonly name: string;
  readonly resources: readonly Linked[];
}

export interface Linked {
  readonly type: string;
  readonly id: string;
  /** Empty if the response has only a reference. */
  readonly attributes: Stats;
}

export interface RosterRecord {
  readonly id: string;
  readonly won: boolean;
  readonly stats: Stats;
  readonly participants: readonly ParticipantRecord[];
  readonly team?: { readonly name: string } | undefined;
  readonly attributes?: Stats;
}

export interface ParticipantRecord {
  readonly id: string;
  readonly actor: string;
  readonly stats: Stats;
  /** Bots and anonymous players have none. */
  readonly player?: { readonly id: string; readonly name: string } | undefined;
  readonly attributes?: Stats;
}

export type Outcome = "won" | "lost" | "undecided";

export const OUTCOME_NAMES: Readonly<Record<Outcome, string>> = {
  won: "Won",
  lost: "Lost",
  undecided: "No winner",
};

/** The outcome for a roster. If no roster won, none lost either. */
export function outcomeOf(roster: RosterRecord, rosters: readonly RosterRecord[]): Outcome {
  if (roster.won) return "won";
  return rosters.some(({ won }) => won) ? "lost" : "undecided";
}
