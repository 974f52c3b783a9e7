/** Builds one match document: the match with all linked resources. */

import type { JsonObject } from "../domain/json.ts";
import { formatTimestamp } from "../domain/time.ts";
import { occasionOf } from "./occasion.ts";
import { patchAt } from "./patches.ts";
import type { Population } from "./people.ts";
import type { Random } from "./random.ts";
import { play } from "./scoreboard.ts";
import { seatBoth } from "./seats.ts";

const TITLE = "emberfall";

/** A match that ended at this time, in whole seconds since the epoch, after this share of the thirty days. */
export function matchDocument(
  random: Random,
  population: Population,
  end: number,
  share: number,
): JsonObject {
  const shardId = population.region.shard;
  const createdAt = formatTimestamp(end * 1000);
  const patch = patchAt(share);
  const patchVersion = patch.version;
  const occasion = occasionOf(random, population.region.tournament);
  const sides = seatBoth(random, occasion, population, end, share, patch);
  const { winner, ending, duration, scores } = play(random, occasion, sides);

  const id = random.uuid();
  const rosters: JsonObject[] = [];
  const included: JsonObject[] = [];
  for (const [at, { team, seats }] of sides.entries()) {
    const participants = seats.map(({ hero, person }, place) => {
      const stats = scores[at]!.participants[place]!;
      const relationships = person && { player: { data: { type: "player", id: person.id } } };
      const attributes = { actor: `*${hero.name}*`, shardId, stats };
      return resource("participant", random.uuid(), attributes, relationships);
    });
    const relationships: JsonObject = { participants: { data: participants.map(reference) } };
    if (team) relationships.team = { data: { type: "team", id: team.id } };
    const won = winner === at ? "true" : "false";
    const attributes = { shardId, stats: scores[at]!.roster, won };
    rosters.push(resource("roster", random.uuid(), attributes, relationships));
    included.push(...participants);
    if (team) included.push(resource("team", team.id, { name: team.tag, shardId }));
    for (const { person } of seats) {
      if (!person) continue;
      const { name, stats } = person;
      const attributes = { name, patchVersion, shardId, stats, titleID: TITLE };
      included.push(resource("player", person.id, attributes));
    }
  }
  const relationships: JsonObject = { rosters: { data: rosters.map(reference) } };
  if (random.chance(0.34)) {
    const asset = assetOf(random, shardId, createdAt, id);
    included.push(asset);
    relationships.assets = { data: [reference(asset)] };
  }
  if (random.chance(0.3)) {
    relationships.rounds = { data: [] };
    relationships.spectators = { data: [] };
  }
  const stats = { endGameReason: ending, queue: occasion.mode };
  const gameMode = occasion.mode;
  const attributes = { createdAt, duration, gameMode, patchVersion, shardId, stats };
  return {
    data: resource("match", id, attributes, relationships),
    included: [...rosters, ...included],
  };
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

function resource(
  type: string,
  id: string,
  attributes: JsonObject,
  relationships?: JsonObject,
): JsonObject {
  return relationships ? { type, id, attributes, relationships } : { type, id, attributes };
}

function reference(resource: JsonObject): JsonObject {
  return { type: resource.type!, id: resource.id! };
}
