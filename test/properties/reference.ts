/**
 * A reference implementation of the rules, as simple as possible: it keeps all records in memory,
 * recomputes nearly everything for each request, and shares no code with the real one. The model of the soak
 * (test/soak) has the same rules, with indexes.
 */

type Value = string | number | boolean | null | Value[] | Thing;
type Thing = { [member: string]: Value };

/** Anything with members. */
export type { Thing };

const MODES = [
  "ranked",
  "casual",
  "private",
  "private_party_draft_match",
  "private_party_aral_match",
  "private_party_blitz_match",
  "casual_aral",
  "blitz_pvp_ranked",
];
const VOID = ["exitpractice", "notenoughplayers"];

export interface Filters {
  playerNames?: string[];
  playerIds?: string[];
  teamNames?: string[];
  gameModes?: string[];
  patchVersions?: string[];
}

export interface Answer {
  data: Thing[];
  included: Thing[];
}

export interface Entry {
  id: string;
  at: number;
  match: Thing;
  included: Map<string, Thing>;
}

export const key = (one: Thing) => `${one.type}/${one.id}`;
export const attributesOf = (one: Thing) => (one.attributes ?? {}) as Thing;
export const statsOf = (one: Thing) => (attributesOf(one).stats ?? {}) as Thing;
export const isPerson = (one: Thing) => one.type === "player" || one.type === "team";

/** The references under one relationship, or under all of them. */
export function linksOf(one: Thing, name?: string): Thing[] {
  const relationships = (one.relationships ?? {}) as { [name: string]: Thing };
  const chosen = name === undefined ? Object.values(relationships) : [relationships[name]];
  return chosen.flatMap((relationship) => {
    const data = relationship?.data ?? [];
    return (Array.isArray(data) ? data : [data]) as Thing[];
  });
}

export class Reference {
  /** All records and the served ones, by time and id. */
  readonly #entries: Entry[];
  readonly #served: Entry[];

  constructor(documents: readonly Thing[], title: string) {
    this.#entries = documents
      .map((document) => read(structuredClone(document), title))
      .sort(inOrder);
    this.#served = this.#entries.filter((entry) => this.#isServed(entry));
  }

  get servedIds(): string[] {
    return this.#served.map(({ id }) => id);
  }

  /** The served matches that satisfy all filters, by time and id. */
  list(filters: Filters, sort: "createdAt" | "-createdAt"): string[] {
    return this.keys(filters, sort).map(({ id }) => id);
  }

  /** The same, with their times. */
  keys(filters: Filters, sort: "createdAt" | "-createdAt"): { id: string; at: number }[] {
    const found = this.#served.filter((entry) => this.#fits(entry, filters));
    return (sort === "createdAt" ? found : found.toReversed()).map(({ id, at }) => ({ id, at }));
  }

  /**
   * The document of these matches: the matches, their included resources, players and teams in
   * their current state, each resource once (the first one counts), and nothing that is not linked.
   */
  document(ids: string[]): Answer {
    const entries = ids.map((id) => this.#served.find((entry) => entry.id === id)!);
    const people = entries.flatMap(({ included }) => [...included.values()].filter(isPerson));
    const related = [
      ...entries.flatMap(ownOf),
      ...people.map((person) => this.#current(person).resource),
      ...people.flatMap((person) => this.#current(person).companions),
    ];
    const once = new Map<string, Thing>();
    for (const one of related) if (!once.has(key(one))) once.set(key(one), one);
    for (const { match } of entries) once.set(key(match), match);
    const data = entries.map(({ match }) => match);
    return { data, included: linkedFrom(data, once).filter((one) => !data.includes(one)) };
  }

  player(id: string): Thing | undefined {
    const person = { type: "player", id };
    return this.#naming(person).length > 0 ? this.#current(person).resource : undefined;
  }

  /** At most six players: those of the filters in order, or the most recent ones. */
  players({ playerIds, playerNames }: Pick<Filters, "playerIds" | "playerNames">): Thing[] {
    const everybody = this.#everybody("player");
    const nameOf = (player: Thing) => attributesOf(player).name as string;
    let found: Thing[];
    if (playerIds) {
      found = playerIds.flatMap((id) => everybody.filter((player) => player.id === id));
      if (playerNames) found = found.filter((player) => playerNames.includes(nameOf(player)));
    } else if (playerNames) {
      found = playerNames.flatMap((name) => everybody.filter((player) => nameOf(player) === name));
    } else {
      const seen = (player: Thing) => this.#naming(player).at(-1)!.at;
      found = everybody.toSorted((a, b) => seen(b) - seen(a));
    }
    return found.slice(0, 6);
  }

  /** All served players or teams in their current state, by id. */
  #everybody(type: string): Thing[] {
    const named = this.#served.flatMap(({ included }) => [...included.values()]);
    const ids = new Set(named.filter((one) => one.type === type).map((one) => one.id as string));
    return [...ids]
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .map((id) => this.#current({ type, id }).resource);
  }

  #isServed({ match, included }: Entry): boolean {
    if (isOutright(match)) return false;
    if (attributesOf(match).gameMode !== "private") return true;
    return playingIn({ match, included }).some(({ id }) => this.#isRanked(id));
  }

  /** In a served ranked match, or ranked according to any record. */
  #isRanked(id: string): boolean {
    return this.#entries.some(({ match, included }) => {
      const player = included.get(`player/${id}`);
      if (!player) return false;
      const isServedRanked = attributesOf(match).gameMode === "ranked" && !isOutright(match);
      return isServedRanked || Number(statsOf(player).played_ranked ?? 0) >= 1;
    });
  }

  #fits(entry: Entry, filters: Filters): boolean {
    const players = playingIn(entry).map(({ id }) => id);
    const teams = linksOf(entry.match, "rosters")
      .flatMap((roster) => linksOf(entry.included.get(key(roster))!, "team"))
      .map(({ id }) => id as string);
    const { gameMode, patchVersion } = attributesOf(entry.match) as Record<string, string>;
    const hasName = (type: string, ids: string[], names: string[]) =>
      this.#everybody(type).some(
        (one) => ids.includes(one.id as string) && names.includes(attributesOf(one).name as string),
      );
    return (
      (!filters.playerIds || players.some((id) => filters.playerIds!.includes(id))) &&
      (!filters.playerNames || hasName("player", players, filters.playerNames)) &&
      (!filters.teamNames || hasName("team", teams, filters.teamNames)) &&
      (!filters.gameModes || filters.gameModes.includes(gameMode!)) &&
      (!filters.patchVersions || filters.patchVersions.includes(patchVersion!))
    );
  }

  /** The served matches with a player or team, oldest first. */
  #naming(person: Thing): Entry[] {
    return this.#served.filter(({ included }) => included.has(key(person)));
  }

  /** A player or team in its current state, with the resources that only it links to. */
  #current(person: Thing): { resource: Thing; companions: Thing[] } {
    const latest = this.#naming(person).at(-1)!;
    const carried = latest.included.get(key(person))!;
    const own = new Set(ownOf(latest));
    return {
      resource: carried.type === "team" ? carried : this.#lifetime(carried),
      companions: reach([carried], latest.included).filter((one) => !own.has(one)),
    };
  }

  #lifetime(carried: Thing): Thing {
    const parts = this.#served.flatMap((entry) => {
      const part = playingIn(entry).find(({ id }) => id === carried.id);
      return part ? [{ ...part, ranked: attributesOf(entry.match).gameMode === "ranked" }] : [];
    });
    const newestFirst = parts.toReversed();
    const run = (won: boolean) => {
      const end = newestFirst.findIndex((part) => part.won !== won);
      return end < 0 ? newestFirst.length : end;
    };
    const stats = statsOf(carried);
    const hasCounts = ["played", "wins", "played_ranked"].every((name) => name in stats);
    const computed: Thing = {
      winStreak: run(true),
      lossStreak: run(false),
      lifetimeGold: sumOf(parts.map(({ gold }) => gold)),
    };
    const counts: Thing = {
      played: parts.length,
      wins: parts.filter(({ won }) => won).length,
      played_ranked: parts.filter(({ ranked }) => ranked).length,
    };
    const all = { ...computed, ...stats, ...(hasCounts ? {} : counts) };
    return { ...carried, attributes: { ...attributesOf(carried), stats: all } };
  }
}

/** `include` and `fields` applied to a whole document. */
export function projected(
  whole: Answer,
  include: string[] | undefined,
  fields: Record<string, string[]>,
): { data: Thing[]; included: Thing[] } {
  const everything = new Map([...whole.data, ...whole.included].map((one) => [key(one), one]));
  const wanted = new Set<string>();
  for (const path of include ?? []) {
    let level = whole.data;
    for (const name of path.split(".")) {
      const keys = level.flatMap((one) => linksOf(one, name)).map(key);
      level = keys.map((one) => everything.get(one)).filter((one) => one !== undefined);
      for (const one of level) wanted.add(key(one));
    }
  }
  const trimmed = (one: Thing): Thing => {
    const names = fields[one.type as string];
    if (!names) return one;
    const members = Object.entries(one).map(([member, value]): [string, Value] => {
      if (member !== "attributes" && member !== "relationships") return [member, value];
      const kept = Object.entries(value as Thing).filter(([name]) => names.includes(name));
      return [member, Object.fromEntries(kept)];
    });
    const isEmpty = (value: Value) => Object.keys(value as Thing).length === 0;
    return Object.fromEntries(
      members.filter(
        ([member, value]) => !/^(attributes|relationships)$/.test(member) || !isEmpty(value),
      ),
    );
  };
  const data = whole.data.map(trimmed);
  const chosen = whole.included.filter((one) => !include || wanted.has(key(one)));
  return { data, included: chosen.map(trimmed) };
}

/** Normalises a record. */
export function read({ data, included }: Thing, title: string): Entry {
  const match = data as Thing;
  const attributes = attributesOf(match);
  const at = Date.parse((attributes.createdAt as string).replace(/(\.\d{3})\d+/, "$1"));
  if (!/T[\d:]+(\.\d{1,3})?Z$/.test(attributes.createdAt as string)) {
    attributes.createdAt = new Date(at).toISOString().replace(".000Z", "Z");
  }
  if (typeof attributes.stats === "string") {
    const pairs = attributes.stats.split(", ").map((pair) => pair.split(": ") as [string, string]);
    attributes.stats = Object.fromEntries(
      pairs.map(([name, text]) => [name, /^[\d.]+$/.test(text) ? Number(text) : text]),
    );
  }
  for (const one of [match, ...(included as Thing[])]) {
    if (attributesOf(one).shardId === "") delete attributesOf(one).shardId;
  }
  const titles = [attributes.titleID, attributes.titleId].filter((one) => typeof one === "string");
  for (const one of included as Thing[]) tidy(one, attributes, titles[0] ?? title);
  const index = new Map((included as Thing[]).map((one) => [key(one), one]));
  return { id: match.id as string, at, match, included: index };
}

function tidy(one: Thing, around: Thing, title: string): void {
  const attributes = attributesOf(one);
  if (["roster", "player", "team"].includes(one.type as string)) {
    attributes.shardId ??= around.shardId!;
  }
  if (one.type === "roster") {
    attributes.won = String(attributes.won);
    dropEmpty(one, "team");
  }
  if (one.type === "participant") dropEmpty(one, "player");
  if (one.type === "player") {
    attributes.titleID ??= attributes.titleId ?? title;
    attributes.patchVersion ??= around.patchVersion!;
  }
}

/** A reference to nothing is no relationship. */
function dropEmpty(one: Thing, name: string): void {
  const relationships = (one.relationships ?? {}) as { [name: string]: Thing };
  if (relationships[name]?.data !== null) return;
  delete relationships[name];
  if (Object.keys(relationships).length === 0) delete one.relationships;
}

/** Never served, whatever its players. */
export function isOutright(match: Thing): boolean {
  return (
    !MODES.includes(attributesOf(match).gameMode as string) ||
    VOID.includes(statsOf(match).endGameReason as string)
  );
}

/** The registered players of the two rosters. */
export function playingIn({ match, included }: Pick<Entry, "match" | "included">) {
  return linksOf(match, "rosters").flatMap((reference) => {
    const roster = included.get(key(reference))!;
    return linksOf(roster, "participants").flatMap((seat) => {
      const participant = included.get(key(seat))!;
      return linksOf(participant, "player").map(({ id }) => ({
        id: id as string,
        won: attributesOf(roster).won === "true",
        gold: Number(statsOf(participant).gold ?? 0),
      }));
    });
  });
}

/** What a match includes, apart from players, teams and their links. */
export function ownOf({ match, included }: Entry): Thing[] {
  return reach([match], included);
}

/** All resources reachable by references, except players, teams and beyond. */
export function reach(from: Thing[], index: Map<string, Thing>): Thing[] {
  const found = new Set<Thing>();
  const open = [...from];
  for (let one = open.shift(); one; one = open.shift()) {
    for (const reference of linksOf(one)) {
      const target = index.get(key(reference));
      if (!target || isPerson(target) || found.has(target)) continue;
      found.add(target);
      open.push(target);
    }
  }
  return [...found];
}

/** All linked resources; a compound document contains no others. */
export function linkedFrom(data: Thing[], index: Map<string, Thing>): Thing[] {
  const found = new Set(data);
  for (const one of found) {
    for (const reference of linksOf(one)) {
      const target = index.get(key(reference));
      if (target) found.add(target);
    }
  }
  return [...found];
}

/** An exact sum of decimal numbers, by their digits. */
export function sumOf(numbers: number[]): number {
  const millionths = numbers.map((number) => {
    const [whole, fraction = ""] = number.toFixed(6).split(".");
    return BigInt(`${whole}${fraction}`);
  });
  const sum = millionths
    .reduce((total, one) => total + one, 0n)
    .toString()
    .padStart(7, "0");
  return Number(`${sum.slice(0, -6)}.${sum.slice(-6)}`);
}

export function inOrder(a: Entry, b: Entry): number {
  return a.at - b.at || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}
