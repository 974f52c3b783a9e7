/** What a match record is: its resources and everything the rules read from them. */

import { type JsonObject, keyOf, type Resource, references } from "./json.ts";
import { microGold, type Result } from "./player.ts";

/** A player or team that a record names, with the resource it carried and what only that links to. */
export interface Named {
  id: string;
  carried: Resource;
  companions: Resource[];
}

/** What a player did in one match. Players that are only mentioned (spectators) have no part. */
export interface Part {
  won: boolean;
  gold: bigint;
}

/** What the rules read from a record: all of it but its resources. */
export interface MatchFacts {
  id: string;
  shard: string;
  createdAt: number;
  gameMode: string;
  patchVersion: string;
  endGameReason: string;
  players: { id: string; part: Part | undefined }[];
  /** `plays` is false when the team is only mentioned, and did not enter with a roster. */
  teams: { id: string; plays: boolean }[];
}

/** The resources of a record, sorted by who owns them. Both parsing and storage work in this form. */
export interface MatchParts {
  match: Resource;
  /** What only this match includes: each roster followed by its participants, then the rest. */
  own: Resource[];
  players: Named[];
  teams: Named[];
}

/** A complete, valid record. */
export interface MatchRecord extends MatchFacts {
  match: Resource;
  own: Resource[];
  players: (Named & MatchFacts["players"][number])[];
  teams: (Named & MatchFacts["teams"][number])[];
}

/** Reads off normalised resources what the rules need. Expects resources that passed validation. */
export function describeMatch(parts: MatchParts): MatchRecord {
  const { match, own } = parts;
  const attributes = match.attributes;
  const { playing, entered } = rosterEntries(match, own);
  return {
    id: match.id,
    shard: attributes.shardId as string,
    createdAt: Date.parse(attributes.createdAt as string),
    gameMode: attributes.gameMode as string,
    patchVersion: attributes.patchVersion as string,
    endGameReason: (attributes.stats as JsonObject).endGameReason as string,
    match,
    own,
    players: parts.players.map(({ id, carried, companions }) => ({
      id,
      carried,
      companions,
      part: playing.get(id),
    })),
    teams: parts.teams.map(({ id, carried, companions }) => ({
      id,
      carried,
      companions,
      plays: entered.has(id),
    })),
  };
}

/** The ids of the registered players in the two rosters. */
export function rosterPlayers({ players }: Pick<MatchFacts, "players">): string[] {
  return players.filter((player) => player.part).map((player) => player.id);
}

/** How a match went for a player. */
export function resultOf(part: Part | undefined): Result {
  if (part === undefined) return "named";
  return part.won ? "won" : "lost";
}

/** What the rosters say of players, and which teams entered with them. */
function rosterEntries(match: Resource, own: Resource[]) {
  const byKey = new Map<string, Resource>();
  for (const resource of own) byKey.set(keyOf(resource), resource);
  const playing = new Map<string, Part>();
  const entered = new Set<string>();
  for (const named of references(match.relationships?.rosters)) {
    const roster = byKey.get(keyOf(named))!;
    const won = roster.attributes.won === "true";
    for (const { id } of references(roster.relationships?.team)) entered.add(id);
    for (const reference of references(roster.relationships?.participants)) {
      const participant = byKey.get(keyOf(reference))!;
      const gold = (participant.attributes.stats as JsonObject).gold;
      for (const { id } of references(participant.relationships?.player)) {
        playing.set(id, { won, gold: typeof gold === "number" ? microGold(gold) : 0n });
      }
    }
  }
  return { playing, entered };
}
