/** One record in the model: as the reference reads it, with everything that is asked of it often. */

import {
  attributesOf,
  inOrder,
  isOutright,
  isPerson,
  key,
  linkedFrom,
  linksOf,
  ownOf,
  playingIn,
  type Entry as ReadEntry,
  read,
  statsOf,
  type Thing,
} from "./record.ts";

export const TITLE = "soak";
/** What is added up for hero statistics. */
export const ACTOR_STATS = ["kills", "deaths", "assists", "gold", "farm"] as const;
const MILLION = 1_000_000;

export interface Part {
  id: string;
  won: boolean;
  gold: number;
}

export interface ActorPart {
  actor: string;
  won: boolean;
  /** In millionths, which are integers. */
  stats: number[];
}

export interface Entry extends ReadEntry {
  mode: string;
  patch: string;
  /** Never served, whatever its players. */
  isOutright: boolean;
  /** The registered players of each roster. */
  sides: { won: boolean; players: string[] }[];
  parts: Part[];
  players: string[];
  teams: string[];
  /** The teams of the rosters. */
  entered: string[];
  /** Those whom this record shows to be ranked. */
  ranked: string[];
  actors: ActorPart[];
  own: Thing[];
}

/** Only numbers count. */
const millionths = (value: unknown) =>
  typeof value === "number" ? Math.round(value * MILLION) : 0;

/** A record without some players, as after their redaction. */
export function entryOf(
  document: Thing,
  redacted: ReadonlySet<string> = new Set(),
  title = TITLE,
): Entry {
  const whole = read(structuredClone(document), title);
  const entry = redacted.size === 0 ? whole : without(whole, redacted);
  const { match, included } = entry;
  const { gameMode, patchVersion } = attributesOf(match) as Record<string, string>;
  const people = [...included.values()].filter(isPerson);
  const players = people.filter(({ type }) => type === "player");
  const isRanked = gameMode === "ranked" && !isOutright(match);
  const rosters = linksOf(match, "rosters").map((one) => included.get(key(one))!);
  const seatsOf = (roster: Thing) =>
    linksOf(roster, "participants").map((one) => included.get(key(one))!);
  const wonBy = (roster: Thing) => attributesOf(roster).won === "true";
  return {
    ...entry,
    mode: gameMode!,
    patch: patchVersion!,
    isOutright: isOutright(match),
    parts: playingIn(entry),
    sides: rosters.map((roster) => ({
      won: wonBy(roster),
      players: seatsOf(roster).flatMap((one) => linksOf(one, "player").map(({ id }) => String(id))),
    })),
    players: players.map(({ id }) => id as string),
    teams: people.filter(({ type }) => type === "team").map(({ id }) => id as string),
    entered: rosters.flatMap((roster) => linksOf(roster, "team")).map(({ id }) => id as string),
    ranked: players
      .filter((player) => isRanked || Number(statsOf(player).played_ranked ?? 0) >= 1)
      .map(({ id }) => id as string),
    actors: rosters.flatMap((roster) =>
      seatsOf(roster).map((one) => ({
        actor: attributesOf(one).actor as string,
        won: wonBy(roster),
        stats: ACTOR_STATS.map((name) => millionths(statsOf(one)[name])),
      })),
    ),
    own: ownOf(entry),
  };
}

/** A redacted player is gone with every reference, and with what only the player linked to; the participant stays. */
export function without(entry: ReadEntry, redacted: ReadonlySet<string>): ReadEntry {
  const match = unlinked(entry.match, redacted);
  const included = others(entry, redacted);
  const own = ownOf(entry).map((one) => included.get(key(one))!);
  const linked = new Set(linkedFrom([match, ...own], included));
  const isLinked = ([, one]: [string, Thing]) => linked.has(one);
  return { ...entry, match, included: new Map([...included].filter(isLinked)) };
}

/** What a record includes besides redacted players, without references to them. */
export function others(entry: ReadEntry, redacted: ReadonlySet<string>): Map<string, Thing> {
  const left = [...entry.included.values()].filter((one) => !isAny(one, redacted));
  return new Map(left.map((one) => [key(one), unlinked(one, redacted)]));
}

const isAny = ({ type, id }: Thing, players: ReadonlySet<string>) =>
  type === "player" && players.has(id as string);

function unlinked(one: Thing, players: ReadonlySet<string>): Thing {
  if (!linksOf(one).some((each) => isAny(each, players))) return one;
  const kept: [string, Thing][] = [];
  for (const [name, link] of Object.entries(one.relationships as { [name: string]: Thing })) {
    const { data } = link;
    if (Array.isArray(data)) {
      kept.push([name, { ...link, data: data.filter((each) => !isAny(each as Thing, players)) }]);
    } else if (!isAny(data as Thing, players)) kept.push([name, link]);
  }
  const { relationships: _, ...rest } = one;
  return kept.length === 0 ? rest : { ...rest, relationships: Object.fromEntries(kept) };
}

/** What a pruned record leaves behind: its players and what they did, and nothing of the match. */
export function remains(entry: Entry): Entry {
  const people = [...entry.included].filter(([, one]) => one.type === "player");
  const match = { type: "match", id: entry.id };
  return { ...entry, match, included: new Map(people), own: [], teams: [], entered: [] };
}

export { inOrder };
