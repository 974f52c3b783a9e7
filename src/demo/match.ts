/** Builds one match document: the match with all linked resources. */

import type { JsonObject } from "../domain/json.ts";
import { formatTimestamp } from "../domain/time.ts";
import { type Hero, heroFor, powerOf, type Role } from "./heroes.ts";
import { type Occasion, occasionOf } from "./occasion.ts";
import { isTournament, type Population } from "./people.ts";
import type { Random } from "./random.ts";
import { play, type Seat } from "./scoreboard.ts";

const TITLE = "emberfall";

/** The patches, and from which share of the thirty days on. A season begins with the last. */
const PATCHES = [
  { version: "3.8", from: 0 },
  { version: "3.9", from: 0.4 },
  { version: "4.0", from: 0.75 },
];

const ROLES: Readonly<Record<Occasion["perSide"], readonly Role[]>> = {
  3: ["carry", "jungler", "captain"],
  5: ["carry", "carry", "jungler", "jungler", "captain"],
};

/** A match that ended at this time, in whole seconds since the epoch, after this share of the thirty days. */
export function matchDocument(
  random: Random,
  population: Population,
  end: number,
  share: number,
): JsonObject {
  const shardId = population.shard;
  const createdAt = formatTimestamp(end * 1000);
  const patch = PATCHES.findLast(({ from }) => share >= from) ?? PATCHES[0]!;
  const patchVersion = patch.version;
  const occasion = occasionOf(random, isTournament(shardId));
  const teams = seatTeams(random, occasion, population);
  const heroes = new Set<Hero>();
  const sides = teams.map(({ sitters }) =>
    sitters.map((sitter, at) => {
      const person =
        typeof sitter === "number"
          ? population.person(sitter, share, patch === PATCHES.at(-1))
          : undefined;
      return seatOf(random, ROLES[occasion.perSide][at]!, patchVersion, person, sitter, heroes);
    }),
  );
  const scores = play(random, occasion, sides);

  const id = random.uuid();
  const rosters: JsonObject[] = [];
  const included: JsonObject[] = [];
  for (const [at, { team }] of teams.entries()) {
    const { won, roster, participants } = scores[at]!;
    const members = sides[at]!.map(({ hero, person }, place) => {
      const attributes = { actor: `*${hero.name}*`, shardId, stats: participants[place]! };
      const player = person && { player: { data: { type: "player", id: person.id } } };
      return resource("participant", random.uuid(), attributes, player);
    });
    const relationships: JsonObject = { participants: { data: members.map(reference) } };
    if (team) relationships.team = { data: { type: "team", id: team.id } };
    const attributes = { shardId, stats: roster, won: String(won) };
    rosters.push(resource("roster", random.uuid(), attributes, relationships));
    included.push(...members);
    if (team) included.push(resource("team", team.id, { name: team.tag, shardId }));
    for (const { person } of sides[at]!) {
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
  const { duration, ending, mode: gameMode } = occasion;
  const stats = { endGameReason: ending, queue: gameMode };
  const attributes = { createdAt, duration, gameMode, patchVersion, shardId, stats };
  return {
    data: resource("match", id, attributes, relationships),
    included: [...rosters, ...included],
  };
}

type Sitter = number | "anonymous" | "bot";

/** Who plays: two teams, or players who were brought together. Nobody plays twice. */
function seatTeams(random: Random, occasion: Occasion, population: Population) {
  const { perSide, premade, circle, bots } = occasion;
  const taken = new Set<number>();
  return [false, true].map((isRight) => {
    const team = random.chance(premade) ? population.seatTeam(random, perSide, taken) : undefined;
    const sitters: readonly Sitter[] =
      team?.members ??
      ROLES[perSide].map((_, at) => {
        // Somebody is a registered player, and in most modes one who also plays ranked.
        const isFirst = !isRight && at === 0;
        if (bots && isRight) return "bot";
        if (!isFirst && random.chance(circle === "regulars" ? 0.02 : 0.06)) {
          return random.pick(["anonymous", "anonymous", "bot"]);
        }
        const players = isFirst && circle === "anyone" ? "regulars" : circle;
        return population.seat(random, players, taken) ?? "anonymous";
      });
    return { team, sitters };
  });
}

/** No hero is played twice in a match. */
function seatOf(
  random: Random,
  role: Role,
  patch: string,
  person: Seat["person"],
  sitter: Sitter,
  taken: Set<Hero>,
): Seat {
  let hero: Hero;
  do hero = heroFor(random, role, patch, person?.taste);
  while (taken.has(hero));
  taken.add(hero);
  const skill = person?.skill ?? (sitter === "bot" ? -1.5 : -0.4);
  return { hero, strength: powerOf(hero, patch) + skill, bot: sitter === "bot", person };
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
