/**
 * Converts a match from the client into the shape that the views use. Responses may leave things out
 * (`include`, `fields`), and records may contain more than the API defines.
 */

import type { Match, Participant, Resource, Roster } from "../../../../client/src/index.ts";
import type { Stats } from "../../format.ts";
import type { MatchRecord, ParticipantRecord, Relation, RosterRecord } from "./record.ts";

/** The part of a client match that is read, complete or not. */
export type Readable = Pick<Resource, "id" | "attributes" | "relation" | "raw">;

export function recordOf(match: Match | Readable): MatchRecord {
  const attributes: Stats = match.attributes;
  return {
    id: match.id,
    createdAt: String(attributes.createdAt ?? ""),
    duration: Number(attributes.duration ?? 0),
    gameMode: String(attributes.gameMode ?? ""),
    patchVersion: String(attributes.patchVersion ?? ""),
    stats: statsIn(attributes),
    rosters: (match.relation("rosters") as readonly Resource[] as readonly Roster[]).map(rosterOf),
    attributes,
    relations: relationsOf(match),
  };
}

function rosterOf(roster: Roster): RosterRecord {
  return {
    id: roster.id,
    won: roster.won,
    stats: statsIn(roster.attributes),
    participants: roster.participants.map(participantOf),
    team: roster.team?.isLoaded ? { name: roster.team.name } : undefined,
    attributes: roster.attributes,
  };
}

function participantOf(participant: Participant): ParticipantRecord {
  const { player } = participant;
  return {
    id: participant.id,
    actor: participant.actor ?? "",
    stats: statsIn(participant.attributes),
    player: player && { id: player.id, name: player.isLoaded ? player.name : player.id },
    attributes: participant.attributes,
  };
}

function relationsOf(match: Readable): Relation[] {
  const names = Object.keys(match.raw.relationships ?? {}).filter((name) => name !== "rosters");
  return names.map((name) => ({
    name,
    resources: match.relation(name).map(({ type, id, attributes }) => ({ type, id, attributes })),
  }));
}

const statsIn = (attributes: Stats): Stats => (attributes.stats ?? {}) as Stats;
