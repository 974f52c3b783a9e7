/**
 * In charge of the shape in which these views read a match: the part of the client's linked
 * resources that they need. Only what the interface promises is required; all else may be missing.
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
  /** All attributes as they came. */
  readonly attributes?: Stats;
  /** What the record links to beside its rosters. */
  readonly relations?: readonly Relation[];
}

export interface Relation {
  readonly name: string;
  readonly resources: readonly Linked[];
}

export interface Linked {
  readonly type: string;
  readonly id: string;
  /** Empty where only the reference came. */
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

/** How a match ended for one of its rosters; where none has won, nobody has lost either. */
export function outcomeOf(roster: RosterRecord, rosters: readonly RosterRecord[]): Outcome {
  if (roster.won) return "won";
  return rosters.some(({ won }) => won) ? "lost" : "undecided";
}
