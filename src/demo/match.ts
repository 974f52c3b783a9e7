/** In charge of one match document: the match with every resource it is linked to. */

import type { JsonObject } from "../domain/json.ts";
import { formatTimestamp } from "../domain/time.ts";
import type { Patch } from "./calendar.ts";
import type { Seat, Side } from "./lineup.ts";
import { lineUp } from "./lineup.ts";
import { occasionOf } from "./occasion.ts";
import type { Population } from "./people.ts";
import type { Random } from "./random.ts";
import { decide, type Score, score } from "./scoreboard.ts";

const TITLE = "emberfall";

interface Setting {
  shard: string;
  createdAt: string;
  patchVersion: string;
}

/** The match that ended at this time, in whole seconds since the epoch. */
export function matchDocument(
  random: Random,
  population: Population,
  end: number,
  patch: Patch,
): JsonObject {
  const { shard, tournament } = population.region;
  const setting = {
    shard,
    createdAt: formatTimestamp(end * 1000),
    patchVersion: patch.version,
  };
  const occasion = occasionOf(random, tournament);
  const start = end - occasion.duration;
  const sides = lineUp(random, occasion, population, { start, end, patch });
  const verdict = decide(random, occasion, sides);
  const scores = score(random, occasion, sides, verdict);

  const id = random.uuid();
  const rosters: JsonObject[] = [];
  const participants: JsonObject[] = [];
  const teams: JsonObject[] = [];
  const players: JsonObject[] = [];
  for (const at of [0, 1] as const) {
    const members = sides[at].seats.map((seat, place) =>
      participantOf(random, setting, seat, scores[at].participants[place]!),
    );
    rosters.push(rosterOf(random, setting, sides[at], scores[at], verdict.winner === at, members));
    participants.push(...members);
    if (sides[at].team) teams.push(teamOf(setting, sides[at]));
    for (const seat of sides[at].seats) if (seat.person) players.push(playerOf(setting, seat));
  }
  const assets = random.chance(0.34) ? [assetOf(random, setting, id)] : [];
  const relationships: JsonObject = { rosters: { data: rosters.map(reference) } };
  if (assets.length > 0) relationships.assets = { data: assets.map(reference) };
  if (random.chance(0.3)) {
    relationships.rounds = { data: [] };
    relationships.spectators = { data: [] };
  }
  const attributes: JsonObject = {
    createdAt: setting.createdAt,
    duration: verdict.duration,
    gameMode: occasion.mode,
    patchVersion: patch.version,
    shardId: shard,
    stats: { endGameReason: verdict.ending, queue: occasion.mode },
  };
  return {
    data: { type: "match", id, attributes, relationships },
    included: [...rosters, ...participants, ...teams, ...players, ...assets],
  };
}

function rosterOf(
  random: Random,
  { shard }: Setting,
  side: Side,
  { roster }: Score,
  won: boolean,
  members: JsonObject[],
): JsonObject {
  const relationships: JsonObject = { participants: { data: members.map(reference) } };
  if (side.team) relationships.team = { data: { type: "team", id: side.team.id } };
  return {
    type: "roster",
    id: random.uuid(),
    attributes: { shardId: shard, stats: roster, won: won ? "true" : "false" },
    relationships,
  };
}

function participantOf(
  random: Random,
  { shard }: Setting,
  { hero, person }: Seat,
  stats: JsonObject,
): JsonObject {
  const attributes = { actor: `*${hero.name}*`, shardId: shard, stats };
  const participant = { type: "participant", id: random.uuid(), attributes };
  if (!person) return participant;
  return { ...participant, relationships: { player: { data: { type: "player", id: person.id } } } };
}

function teamOf({ shard }: Setting, { team }: Side): JsonObject {
  return { type: "team", id: team!.id, attributes: { name: team!.tag, shardId: shard } };
}

function playerOf({ shard, patchVersion }: Setting, { person }: Seat): JsonObject {
  const { id, name, stats } = person!;
  return {
    type: "player",
    id,
    attributes: { name, patchVersion, shardId: shard, stats, titleID: TITLE },
  };
}

function assetOf(random: Random, { shard, createdAt }: Setting, match: string): JsonObject {
  const filename = `${match}-telemetry.json`;
  return {
    type: "asset",
    id: random.uuid(),
    attributes: {
      URL: `https://telemetry.example/${shard}/${filename}`,
      contentType: "application/json",
      createdAt,
      description: "",
      filename,
      name: "telemetry",
    },
  };
}

function reference(resource: JsonObject): JsonObject {
  return { type: resource.type!, id: resource.id! };
}
