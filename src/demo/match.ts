/** Builds one match document: the match with all linked resources. */

import type { JsonObject } from "../domain/json.ts";
import { formatTimestamp } from "../domain/time.ts";
import type { Patch } from "./calendar.ts";
import type { Seat, Side } from "./lineup.ts";
import { type Company, lineUp, seatBoth } from "./lineup.ts";
import { type Occasion, occasionOf } from "./occasion.ts";
import type { Population } from "./people.ts";
import type { Random } from "./random.ts";
import { decide, type Score, score } from "./scoreboard.ts";

const TITLE = "emberfall";

/** A match whose players are reserved. */
export interface Arranged {
  end: number;
  occasion: Occasion;
  companies: [Company, Company];
}

/**
 * Reserves the players of the match that ended at this time, in whole seconds since the epoch. Later matches depend
 * only on that.
 */
export function arrange(random: Random, population: Population, end: number): Arranged {
  const occasion = occasionOf(random, population.region.tournament);
  const start = end - occasion.duration;
  return { end, occasion, companies: seatBoth(random, occasion, population, start, end) };
}

/** `random` continues where `arrange` left it. */
export function matchDocument(
  random: Random,
  population: Population,
  { end, occasion, companies }: Arranged,
  patch: Patch,
): JsonObject {
  const { shard } = population.region;
  const createdAt = formatTimestamp(end * 1000);
  const patchVersion = patch.version;
  const sides = lineUp(random, occasion, companies, population, { end, patch });
  const verdict = decide(random, occasion, sides);
  const scores = score(random, occasion, sides, verdict);

  const id = random.uuid();
  const rosters: JsonObject[] = [];
  const participants: JsonObject[] = [];
  const teams: JsonObject[] = [];
  const players: JsonObject[] = [];
  for (const at of [0, 1] as const) {
    const members = sides[at].seats.map((seat, place) =>
      participantOf(random, shard, seat, scores[at].participants[place]!),
    );
    rosters.push(rosterOf(random, shard, sides[at], scores[at], verdict.winner === at, members));
    participants.push(...members);
    const { team, seats } = sides[at];
    if (team) teams.push(resource("team", team.id, { name: team.tag, shardId: shard }));
    for (const { person } of seats) {
      if (!person) continue;
      const { name, stats } = person;
      const attributes = { name, patchVersion, shardId: shard, stats, titleID: TITLE };
      players.push(resource("player", person.id, attributes));
    }
  }
  const assets = random.chance(0.34) ? [assetOf(random, shard, createdAt, id)] : [];
  const relationships: JsonObject = { rosters: { data: rosters.map(reference) } };
  if (assets.length > 0) relationships.assets = { data: assets.map(reference) };
  if (random.chance(0.3)) {
    relationships.rounds = { data: [] };
    relationships.spectators = { data: [] };
  }
  const attributes: JsonObject = {
    createdAt,
    duration: verdict.duration,
    gameMode: occasion.mode,
    patchVersion,
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
  shard: string,
  side: Side,
  { roster }: Score,
  won: boolean,
  members: JsonObject[],
): JsonObject {
  const relationships: JsonObject = { participants: { data: members.map(reference) } };
  if (side.team) relationships.team = { data: { type: "team", id: side.team.id } };
  const attributes = { shardId: shard, stats: roster, won: won ? "true" : "false" };
  return { ...resource("roster", random.uuid(), attributes), relationships };
}

function participantOf(
  random: Random,
  shard: string,
  { hero, person }: Seat,
  stats: JsonObject,
): JsonObject {
  const attributes = { actor: `*${hero.name}*`, shardId: shard, stats };
  const participant = resource("participant", random.uuid(), attributes);
  if (!person) return participant;
  return { ...participant, relationships: { player: { data: { type: "player", id: person.id } } } };
}

function assetOf(random: Random, shard: string, createdAt: string, match: string): JsonObject {
  const filename = `${match}-telemetry.json`;
  return resource("asset", random.uuid(), {
    URL: `https://telemetry.example/${shard}/${filename}`,
    contentType: "application/json",
    createdAt,
    description: "",
    filename,
    name: "telemetry",
  });
}

function resource(type: string, id: string, attributes: JsonObject): JsonObject {
  return { type, id, attributes };
}

function reference(resource: JsonObject): JsonObject {
  return { type: resource.type!, id: resource.id! };
}
