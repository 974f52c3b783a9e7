/** Creates small, complete match documents for tests. */

import type { JsonObject } from "../../src/domain/json.ts";

export interface PlayerIn {
  id: string;
  name?: string;
  gold?: number;
  /** Extra attributes and stats of the player in the record. */
  attributes?: JsonObject;
  stats?: JsonObject;
}

/** A participant without a player is a bot. */
export type MemberIn = PlayerIn | { bot: true };

export interface RosterIn {
  members: MemberIn[];
  team?: { id: string; name: string };
  attributes?: JsonObject;
}

export interface MatchIn {
  id?: string;
  createdAt?: string | number;
  shard?: string;
  mode?: string;
  patch?: string;
  ending?: string;
  /** The index of the roster that won; 0 by default. */
  winner?: 0 | 1;
  rosters?: [RosterIn, RosterIn];
  attributes?: JsonObject;
  stats?: JsonObject;
  relationships?: JsonObject;
  /** Further resources, to be linked by `relationships`. */
  included?: JsonObject[];
}

export interface MatchDocument extends JsonObject {
  data: JsonObject;
  included: JsonObject[];
}

let made = 0;

/** An id that is unique in this process. */
export function anId(kind = "id"): string {
  made += 1;
  return `${kind}-${made.toString().padStart(6, "0")}`;
}

/** The time this many minutes ago (fractions allowed), in the format of records. */
export function minutesAgo(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toISOString();
}

/** One match as a JSON:API document. By default: a ranked match of two registered players. */
export function aMatch(wishes: MatchIn = {}): MatchDocument {
  const id = wishes.id ?? anId("match");
  const shard = wishes.shard ?? "na";
  const mode = wishes.mode ?? "ranked";
  const patch = wishes.patch ?? "2.5";
  const rosters = wishes.rosters ?? [
    { members: [{ id: anId("player") }] },
    { members: [{ id: anId("player") }] },
  ];
  const included: JsonObject[] = [];
  const rosterIds = rosters.map((roster, side) => {
    const rosterId = `${id}-r${side}`;
    const participants = roster.members.map((member, seat) => {
      const participantId = `${id}-r${side}p${seat}`;
      included.push(aParticipant(participantId, member, shard));
      if (!("bot" in member)) included.push(aPlayer(member, shard, patch));
      return { type: "participant", id: participantId };
    });
    if (roster.team) included.push(aTeam(roster.team, shard));
    included.push({
      type: "roster",
      id: rosterId,
      attributes: {
        shardId: shard,
        won: side === (wishes.winner ?? 0) ? "true" : "false",
        stats: { acesEarned: side, gold: 30_000 + side },
        ...roster.attributes,
      },
      relationships: {
        participants: { data: participants },
        ...(roster.team ? { team: { data: { type: "team", id: roster.team.id } } } : {}),
      },
    });
    return { type: "roster", id: rosterId };
  });
  const createdAt = wishes.createdAt ?? minutesAgo(60);
  return {
    data: {
      type: "match",
      id,
      attributes: {
        createdAt: typeof createdAt === "number" ? new Date(createdAt).toISOString() : createdAt,
        duration: 1200,
        gameMode: mode,
        patchVersion: patch,
        shardId: shard,
        stats: { endGameReason: wishes.ending ?? "victory", queue: mode, ...wishes.stats },
        ...wishes.attributes,
      },
      relationships: { rosters: { data: rosterIds }, ...wishes.relationships },
    },
    included: [...distinct(included), ...(wishes.included ?? [])],
  };
}

/** What gives a match a relationship and a type that callers can include: words of their own. */
export const withAsset = {
  relationships: { assets: { data: [{ type: "asset", id: "asset" }] } },
  included: [{ type: "asset", id: "asset", attributes: { name: "a replay" } }],
};

/** Two rosters of one player each; the first wins. */
export function duel(winner: PlayerIn, loser: PlayerIn): [RosterIn, RosterIn] {
  return [{ members: [winner] }, { members: [loser] }];
}

function aParticipant(id: string, member: MemberIn, shard: string): JsonObject {
  const gold = "bot" in member ? 100.5 : (member.gold ?? 1000.25);
  return {
    type: "participant",
    id,
    attributes: {
      actor: "*Ember*",
      shardId: shard,
      stats: { assists: 3, crystalMineCaptures: 1, deaths: 2, farm: 62.85, gold, kills: 4 },
    },
    ...("bot" in member
      ? {}
      : { relationships: { player: { data: { type: "player", id: member.id } } } }),
  };
}

function aPlayer(player: PlayerIn, shard: string, patch: string): JsonObject {
  return {
    type: "player",
    id: player.id,
    attributes: {
      name: player.name ?? `Name_${player.id}`,
      patchVersion: patch,
      shardId: shard,
      titleID: "emberfall",
      stats: { level: 12, ...player.stats },
      ...player.attributes,
    },
  };
}

function aTeam(team: { id: string; name: string }, shard: string): JsonObject {
  return { type: "team", id: team.id, attributes: { name: team.name, shardId: shard } };
}

function distinct(resources: JsonObject[]): JsonObject[] {
  const byKey = new Map(resources.map((one) => [`${one.type}/${one.id}`, one]));
  return [...byKey.values()];
}

/** The same of another shard: a shard with the records of another one is not served. */
export const onShard = <T>(shard: string, documents: T): T =>
  JSON.parse(JSON.stringify(documents).replaceAll('"shardId":"na"', `"shardId":"${shard}"`));
