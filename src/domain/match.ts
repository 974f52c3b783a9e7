/** In charge of what a match record is: its resources and everything the rules read from them. */

import { type JsonObject, keyOf, type Resource, references } from "./json.ts";
import { microGold } from "./player.ts";

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

export interface NamedPlayer extends Named {
  part: Part | undefined;
}

export interface NamedTeam extends Named {
  /** False when the team is only mentioned, and did not enter with a roster. */
  plays: boolean;
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
export interface MatchRecord {
  id: string;
  shard: string;
  createdAt: number;
  gameMode: string;
  patchVersion: string;
  endGameReason: string;
  match: Resource;
  own: Resource[];
  players: NamedPlayer[];
  teams: NamedTeam[];
}

/** Reads off normalised resources what the rules need. Expects resources that passed validation. */
export function describeMatch(parts: MatchParts): MatchRecord {
  const { match, own } = parts;
  const attributes = match.attributes;
  const playing = partsByPlayer(match, own);
  const entered = new Set(rostersOf(match, own).flatMap((roster) => relatedIds(roster, "team")));
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

/** The ids of the registered players in the two rosters. */
export function rosterPlayers(record: MatchRecord): string[] {
  return record.players.filter((player) => player.part).map((player) => player.id);
}

function partsByPlayer(match: Resource, own: Resource[]): Map<string, Part> {
  const byKey = new Map(own.map((resource) => [keyOf(resource), resource]));
  const parts = new Map<string, Part>();
  for (const roster of rostersOf(match, own)) {
    const won = roster.attributes.won === "true";
    for (const reference of references(roster.relationships?.participants)) {
      const participant = byKey.get(keyOf(reference))!;
      const gold = (participant.attributes.stats as JsonObject).gold;
      for (const id of relatedIds(participant, "player")) {
        parts.set(id, { won, gold: typeof gold === "number" ? microGold(gold) : 0n });
      }
    }
  }
  return parts;
}

function rostersOf(match: Resource, own: Resource[]): Resource[] {
  const keys = new Set(references(match.relationships?.rosters).map(keyOf));
  return own.filter((resource) => keys.has(keyOf(resource)));
}

function relatedIds(resource: Resource, relationship: string): string[] {
  return references(resource.relationships?.[relationship]).map((reference) => reference.id);
}
