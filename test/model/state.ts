/**
 * The model of a shard at one moment, records in and responses out, with indexes, so that it keeps up with a server. It
 * shares no code with the service. States do not change: every step of a writer makes a new one.
 */

import { type Entry, entryOf, inOrder } from "./entry.ts";
import {
  type Answer,
  attributesOf,
  type Filters,
  key,
  linkedFrom,
  reach,
  statsOf,
  sumOf,
  type Thing,
} from "./record.ts";

/** What a shard consists of. */
export interface Contents {
  entries: ReadonlyMap<string, Entry>;
  /** What was pruned, and whether it was served then. */
  pruned: readonly { entry: Entry; wasServed: boolean }[];
  /** Older matches are not served any more, although they may not have been removed yet. */
  cutoff: number;
}

/** What a list selects, with names resolved to ids. Each set of ids must be met. */
export interface Selection {
  players: ReadonlySet<string>[];
  teams: ReadonlySet<string>[];
  modes?: string[];
  patches?: string[];
  window: { start: number; end: number };
  isDescending: boolean;
}

/** A position before or after a match, in order of time, whether or not the match exists. */
export interface Gap {
  at: number;
  id: string;
  side: "before" | "after";
}

/** Where a page begins or, with `before`, ends. */
export type Start = { from: "offset"; offset: number } | { from: "after" | "before"; gap: Gap };

export interface Page {
  ids: string[];
  hasBefore: boolean;
  hasAfter: boolean;
}

const FEW_PLAYERS = 10;
/** What a response has, and what its meta counts beyond that. */
const [MOST_PLAYERS, MOST_OMITTED] = [6, 50];

export class State {
  /** The matches that have their part in boards and players, by time and id. */
  readonly served: Entry[];
  /** Those that can be read: without those that are about to be removed by a prune. */
  readonly visible: Entry[];
  readonly withheld: Entry[];
  /** Served matches and those that were served when they were pruned, oldest first. */
  readonly counted: Entry[];
  readonly #computed = new Map<string, unknown>();
  readonly #byId: Map<string, Entry>;
  /** The matches of each player, also pruned ones, oldest first. */
  readonly #ofPlayer = new Map<string, Entry[]>();
  readonly #ofTeam = new Map<string, Entry[]>();
  readonly #current = new Map<string, { resource: Thing; companions: Thing[] }>();
  #playerIds: string[] | undefined;
  #named: { players: Map<string, string[]>; teams: Map<string, string[]> } | undefined;

  constructor(
    readonly version: number,
    readonly contents: Contents,
  ) {
    const entries = [...contents.entries.values()];
    const pruned = contents.pruned.map(({ entry }) => entry);
    const ranked = new Set([...entries, ...pruned].flatMap((entry) => entry.ranked));
    const isServed = (entry: Entry) =>
      !entry.isOutright &&
      (entry.mode !== "private" || entry.parts.some(({ id }) => ranked.has(id)));
    this.served = entries.filter(isServed).sort(inOrder);
    this.withheld = entries.filter((entry) => !isServed(entry));
    this.visible = this.served.filter(({ at }) => at >= contents.cutoff);
    const kept = contents.pruned.filter(({ wasServed }) => wasServed);
    this.counted = [...kept.map(({ entry }) => entry), ...this.served].sort(inOrder);
    this.#byId = new Map(this.visible.map((entry) => [entry.id, entry]));
    for (const entry of this.counted) {
      for (const id of entry.players) add(this.#ofPlayer, id, entry);
      for (const id of entry.teams) add(this.#ofTeam, id, entry);
    }
  }

  /** Of a shard that has these records and nothing else. */
  static of(documents: readonly Thing[], title?: string): State {
    const entries = documents.map((one) => entryOf(one, undefined, title));
    const byId = new Map(entries.map((one) => [one.id, one]));
    return new State(0, { entries: byId, pruned: [], cutoff: Number.NEGATIVE_INFINITY });
  }

  get servedIds(): string[] {
    return this.visible.map(({ id }) => id);
  }

  match(id: string): Entry | undefined {
    return this.#byId.get(id);
  }

  get playerIds(): readonly string[] {
    this.#playerIds ??= [...this.#ofPlayer.keys()];
    return this.#playerIds;
  }

  /** What is computed once for a state, on demand. */
  once<T>(what: string, compute: () => T): T {
    const known = this.#computed.get(what);
    if (known !== undefined) return known as T;
    const computed = compute();
    this.#computed.set(what, computed);
    return computed;
  }

  /** The matches that name a player, oldest first. */
  matchesOf(id: string): readonly Entry[] {
    return this.#ofPlayer.get(id) ?? [];
  }

  player(id: string): Thing | undefined {
    return this.#ofPlayer.has(id) ? this.#person("player", id).resource : undefined;
  }

  nameOf(id: string): string {
    return attributesOf(this.#latest("player", id)).name as string;
  }

  players(filters: Filters): Thing[] {
    return this.#found(filters)
      .slice(0, MOST_PLAYERS)
      .map((id) => this.player(id)!);
  }

  /** How many more players filters find than a response has, as its meta says. */
  omitted(filters: Filters, limit = MOST_PLAYERS): { omitted: number } | undefined {
    if (!filters.playerIds && !filters.playerNames) return undefined;
    const more = Math.min(this.#found(filters).length - limit, MOST_OMITTED);
    return more > 0 ? { omitted: more } : undefined;
  }

  #found({ playerIds, playerNames }: Filters): string[] {
    let found: string[];
    if (playerIds) {
      found = [...new Set(playerIds)].filter((id) => this.#ofPlayer.has(id));
      if (playerNames) found = found.filter((id) => playerNames.includes(this.nameOf(id)));
    } else if (playerNames) {
      found = [...new Set(playerNames)].flatMap((name) => this.named("players").get(name) ?? []);
    } else {
      const seen = (id: string) => this.#ofPlayer.get(id)!.at(-1)!.at;
      // The newest matches have the players seen last.
      const recent = new Set(this.counted.slice(-60).flatMap((entry) => entry.players));
      found = [...recent].sort((a, b) => seen(b) - seen(a) || byBytes(a, b));
    }
    return found;
  }

  /** The ids by current name, in order. */
  named(kind: "players" | "teams"): Map<string, string[]> {
    this.#named ??= {
      players: this.#namesOf("player", this.#ofPlayer),
      teams: this.#namesOf("team", this.#ofTeam),
    };
    return this.#named[kind];
  }

  resolve(filters: Filters, rest: Pick<Selection, "window" | "isDescending">): Selection {
    const ids = (kind: "players" | "teams", names: string[]) =>
      new Set(names.flatMap((name) => this.named(kind).get(name) ?? []));
    return {
      ...rest,
      players: [
        ...(filters.playerIds ? [new Set(filters.playerIds)] : []),
        ...(filters.playerNames ? [ids("players", filters.playerNames)] : []),
      ],
      teams: filters.teamNames ? [ids("teams", filters.teamNames)] : [],
      ...(filters.gameModes ? { modes: filters.gameModes } : {}),
      ...(filters.patchVersions ? { patches: filters.patchVersions } : {}),
    };
  }

  page(selection: Selection, start: Start, limit: number): Page {
    const found = this.#list(selection);
    let [first, end] = [0, 0];
    if (start.from === "offset") {
      first = Math.min(start.offset, found.length);
      end = first + limit;
    } else {
      const { gap } = start;
      const passed = found.filter((entry) => {
        const order = inOrder(entry, gap);
        const isBelow = order < 0 || (order === 0 && gap.side === "after");
        return isBelow !== selection.isDescending;
      }).length;
      first = start.from === "after" ? passed : Math.max(0, passed - limit);
      end = start.from === "after" ? passed + limit : passed;
    }
    const ids = found.slice(first, end).map(({ id }) => id);
    return { ids, hasBefore: first > 0, hasAfter: end < found.length };
  }

  #list({ players, teams, modes, patches, window, isDescending }: Selection): Entry[] {
    const found = this.#candidates(players).filter(
      (entry) =>
        entry.at >= window.start &&
        entry.at <= window.end &&
        (!modes || modes.includes(entry.mode)) &&
        (!patches || patches.includes(entry.patch)) &&
        players.every((ids) => entry.parts.some(({ id }) => ids.has(id))) &&
        teams.every((ids) => entry.entered.some((id) => ids.has(id))),
    );
    return isDescending ? found.reverse() : found;
  }

  /** The matches to look through, in order: with few players only theirs. */
  #candidates(players: Selection["players"]): Entry[] {
    const ids = players.find(({ size }) => size <= FEW_PLAYERS);
    if (!ids) return this.visible;
    const theirs = new Set([...ids].flatMap((id) => this.matchesOf(id)));
    return [...theirs].filter((entry) => this.#byId.get(entry.id) === entry).sort(inOrder);
  }

  /** The document of these matches, as in the reference. */
  document(ids: readonly string[]): Answer {
    const entries = ids.map((id) => this.#byId.get(id)!);
    const people = entries.flatMap(({ players, teams }) => [
      ...players.map((id) => this.#person("player", id)),
      ...teams.map((id) => this.#person("team", id)),
    ]);
    const once = new Map<string, Thing>();
    const related = [
      ...entries.flatMap(({ own }) => own),
      ...people.map(({ resource }) => resource),
      ...people.flatMap(({ companions }) => companions),
    ];
    for (const one of related) if (!once.has(key(one))) once.set(key(one), one);
    for (const { match } of entries) once.set(key(match), match);
    const data = entries.map(({ match }) => match);
    return { data, included: linkedFrom(data, once).filter((one) => !data.includes(one)) };
  }

  #latest(type: "player" | "team", id: string): Thing {
    const matches = (type === "player" ? this.#ofPlayer : this.#ofTeam).get(id)!;
    return matches.at(-1)!.included.get(`${type}/${id}`)!;
  }

  /** A player or team in its current state, with the resources that only it links to. */
  #person(type: "player" | "team", id: string): { resource: Thing; companions: Thing[] } {
    const known = this.#current.get(`${type}/${id}`);
    if (known) return known;
    const carried = this.#latest(type, id);
    const latest = (type === "player" ? this.#ofPlayer : this.#ofTeam).get(id)!.at(-1)!;
    const own = new Set(latest.own);
    const person = {
      resource: type === "team" ? carried : this.#lifetime(carried),
      companions: reach([carried], latest.included).filter((one) => !own.has(one)),
    };
    this.#current.set(`${type}/${id}`, person);
    return person;
  }

  #lifetime(carried: Thing): Thing {
    const played = this.played(carried.id as string);
    const run = (won: boolean) => {
      const other = played.findLastIndex(({ part }) => part.won !== won);
      return played.length - 1 - other;
    };
    const stats = statsOf(carried);
    const hasCounts = ["played", "wins", "played_ranked"].every((name) => name in stats);
    const counts = {
      played: played.length,
      wins: played.filter(({ part }) => part.won).length,
      played_ranked: played.filter(({ entry }) => entry.mode === "ranked").length,
    };
    const all = {
      winStreak: run(true),
      lossStreak: run(false),
      lifetimeGold: sumOf(played.map(({ part }) => part.gold)),
      ...stats,
      ...(hasCounts ? {} : counts),
    };
    return { ...carried, attributes: { ...attributesOf(carried), stats: all } };
  }

  /** The matches that a player took part in, oldest first. */
  played(id: string) {
    return this.matchesOf(id).flatMap((entry) => {
      const part = entry.parts.find((one) => one.id === id);
      return part ? [{ entry, part }] : [];
    });
  }

  #namesOf(type: "player" | "team", all: Map<string, Entry[]>): Map<string, string[]> {
    const named = new Map<string, string[]>();
    for (const id of [...all.keys()].sort(byBytes)) {
      add(named, attributesOf(this.#latest(type, id)).name as string, id);
    }
    return named;
  }
}

export const byBytes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function add<K, V>(map: Map<K, V[]>, at: K, value: V): void {
  const known = map.get(at);
  if (known) known.push(value);
  else map.set(at, [value]);
}
