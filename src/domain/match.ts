/** A match record: its resources, and the facts that the rules use. */

import { type JsonObject, type Resource, ResourceIndex, references } from "./json.ts";
import { microGold } from "./player.ts";
import type { Result } from "./streak.ts";

/** A player or team in a record: its resource, and the resources that only it links to. */
export interface Named {
  id: string;
  carried: Resource;
  companions: Resource[];
}

/** A player's result in one match. Players who are only mentioned (spectators) have none. */
export interface Part {
  won: boolean;
  gold: bigint;
}

/** What the rules use of a record: everything except its resources. */
export interface MatchFacts {
  id: string;
  shard: string;
  createdAt: number;
  gameMode: string;
  patchVersion: string;
  endGameReason: string;
  players: { id: string; part: Part | undefined }[];
  /** `plays` is false for a team that is mentioned but did not enter with a roster. */
  teams: { id: string; plays: boolean }[];
}

/** The resources of a record, grouped by owner. */
export interface MatchParts {
  match: Resource;
  /** Resources of this match only: each roster followed by its participants, then the rest. */
  own: Resource[];
  players: Named[];
  teams: Named[];
}

export interface MatchRecord extends MatchFacts {
  match: Resource;
  own: Resource[];
  players: (Named & MatchFacts["players"][number])[];
  teams: (Named & MatchFacts["teams"][number])[];
}

/** Extracts the facts from normalised resources that passed validation. */
export function describeMatch(parts: MatchParts): MatchRecord {
  const { match, own } = parts;
  const attributes = match.attributes;
  const playing = new Map<string, Part>();
  const entered = new Set<string>();
  for (const { roster, won, participants } of rostersOf(parts)) {
    for (const { id } of references(roster.relationships?.team)) entered.add(id);
    for (const participant of participants) {
      const { gold } = participant.attributes.stats as JsonObject;
      for (const { id } of references(participant.relationships?.player)) {
        playing.set(id, { won, gold: typeof gold === "number" ? microGold(gold) : 0n });
      }
    }
  }
  return {
    id: match.id,
    shard: attributes.shardId as string,
    createdAt: Date.parse(attributes.createdAt as string),
    gameMode: attributes.gameMode as string,
    patchVersion: attributes.patchVersion as string,
    endGameReason: (attributes.stats as JsonObject).endGameReason as string,
    match,
    own,
    players: parts.players.map((player) => ({ ...player, part: playing.get(player.id) })),
    teams: parts.teams.map((team) => ({ ...team, plays: entered.has(team.id) })),
  };
}

/** One of the two rosters: its registered players, and whether it won. Both may have won, or lost. */
export interface Side {
  won: boolean;
  /** Ids. A player is on one side, once. */
  players: readonly string[];
}

/** The two rosters of a match with their participants, from its own resources. */
export function rostersOf({ match, own }: Pick<MatchParts, "match" | "own">) {
  const index = new ResourceIndex(own);
  return references(match.relationships?.rosters).map((named) => {
    const roster = index.get(named)!;
    const participants = references(roster.relationships?.participants);
    return {
      roster,
      won: roster.attributes.won === "true",
      participants: participants.map((reference) => index.get(reference)!),
    };
  });
}

/** The sides of a match. */
export const sidesOf = (parts: Pick<MatchParts, "match" | "own">): Side[] =>
  rostersOf(parts).map(({ won, participants }) => ({
    won,
    players: participants.flatMap(({ relationships }) =>
      references(relationships?.player).map(({ id }) => id),
    ),
  }));

/** The ids of the registered players in the two rosters. */
export function rosterPlayers({ players }: Pick<MatchFacts, "players">): string[] {
  return players.filter((player) => player.part).map((player) => player.id);
}

export function resultOf(part: Part | undefined): Result {
  if (part === undefined) return "named";
  return part.won ? "won" : "lost";
}
