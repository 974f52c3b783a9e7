/** In charge of finding a selection's matches: ordered walks over the indexes, merged and checked. */

import type { Database, Statement } from "bun:sqlite";
import type { Gap } from "../../query/query.ts";
import type { Selection } from "../store.ts";

/** A match as the indexes know it. */
export interface Spot {
  createdAt: number;
  id: string;
  num: number;
}

/** Places in the order (createdAt, id): `from` is included, `to` is not. */
export interface Range {
  from: readonly [createdAt: number, id: string];
  to: readonly [createdAt: number, id: string];
}

export type Direction = "up" | "down";

/**
 * The place right before or right after a match. No id contains "!", and it sorts before every
 * character an id may contain, so `id!` lies between an id and the next one.
 */
export function placeAt(gap: Gap): readonly [number, string] {
  return [gap.createdAt, gap.side === "before" ? gap.id : `${gap.id}!`];
}

export function laterPlace(a: Range["from"], b: Range["from"]): Range["from"] {
  return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]) ? a : b;
}

export function earlierPlace(a: Range["from"], b: Range["from"]): Range["from"] {
  return laterPlace(a, b) === a ? b : a;
}

interface Index {
  /** Whether a row of this table may be listed at all. */
  source: string;
  key: string | undefined;
  id: string;
  num: string;
}

const INDEXES = {
  time: { source: "matches", key: undefined, id: "id", num: "num" },
  mode: { source: "matches", key: "game_mode", id: "id", num: "num" },
  patch: { source: "matches", key: "patch_version", id: "id", num: "num" },
  player: { source: "player_matches", key: "player", id: "match_id", num: "match" },
  team: { source: "team_matches", key: "team", id: "match_id", num: "match" },
} as const satisfies Record<string, Index>;

/** Entries under players and teams that are mere mentions are no matches of theirs. */
const TAKES_PART: Partial<Record<keyof typeof INDEXES, string>> = {
  player: "result < 2 AND",
  team: "plays = 1 AND",
};

type Key = string | number;
type Bounds = [number, string, number, string];

/** One way to answer a selection: the index that is walked, for each of these keys. */
interface Road {
  index: keyof typeof INDEXES;
  keys: Key[];
}

/** How far ahead roads are compared. Beyond that, any is long, and the first is taken. */
const COMPARED_ROWS = 256;
const LONGEST_CHUNK = 1024;

/** Walks one selection. The keys of players and teams are the adapter's numbers. */
export class Walk {
  readonly #database: Database;
  readonly #roads: Road[];

  constructor(
    database: Database,
    selection: Pick<Selection, "gameModes" | "patchVersions">,
    players: number[][],
    teams: number[][],
  ) {
    this.#database = database;
    // In the order of how selective they usually are.
    this.#roads = [
      ...players.map((keys): Road => ({ index: "player", keys })),
      ...teams.map((keys): Road => ({ index: "team", keys })),
      ...asRoad("patch", selection.patchVersions),
      ...asRoad("mode", selection.gameModes),
    ];
  }

  /** The matches of a range from one end on, after `skip` of them, at most `take`. */
  spots(range: Range, direction: Direction, skip: number, take: number): Spot[] {
    const bounds: Bounds = [...range.from, ...range.to];
    const road = this.#shortestRoad(bounds);
    const others = this.#roads.filter((other) => other !== road);
    if (road.keys.length === 1 && others.length === 0) {
      return this.#rows(road.index, direction, road.keys[0]!, bounds, take, skip);
    }
    const found: Spot[] = [];
    for (const spot of this.#merged(road, bounds, direction, skip + take)) {
      if (!others.every((other) => this.#lies(spot, other))) continue;
      if (skip > 0) skip -= 1;
      else if (found.push(spot) === take) break;
    }
    return found;
  }

  #shortestRoad(bounds: Bounds): Road {
    const [first = { index: "time", keys: [""] } satisfies Road, ...others] = this.#roads;
    let best = first;
    if (others.length === 0) return best;
    let shortest = this.#length(best, bounds);
    for (const road of others) {
      const length = this.#length(road, bounds);
      if (length < shortest) [best, shortest] = [road, length];
    }
    return best;
  }

  #length(road: Road, bounds: Bounds): number {
    const { source, key, id } = INDEXES[road.index];
    const statement = this.#database.query<{ rows: number }, [Key, ...Bounds]>(
      `SELECT count(*) AS rows FROM (SELECT 1 FROM ${source} WHERE ${key} = ?
         AND (created_at, ${id}) >= (?, ?) AND (created_at, ${id}) < (?, ?) LIMIT ${COMPARED_ROWS})`,
    );
    let length = 0;
    for (const value of road.keys) length += statement.get(value, ...bounds)!.rows;
    return Math.min(length, COMPARED_ROWS);
  }

  /** The walks of all keys as one, in order, each match once. */
  *#merged(road: Road, bounds: Bounds, direction: Direction, wanted: number): Generator<Spot> {
    const streams = road.keys
      .map(
        (key) =>
          new Stream(
            (within, take) => this.#rows(road.index, direction, key, within, take, 0),
            bounds,
            direction,
            wanted,
          ),
      )
      .filter((stream) => stream.head !== undefined);
    let last: Spot | undefined;
    while (streams.length > 0) {
      let next = streams[0]!;
      for (const stream of streams) {
        if (comesFirst(stream.head!, next.head!, direction)) next = stream;
      }
      const spot = next.head!;
      next.advance();
      if (next.head === undefined) streams.splice(streams.indexOf(next), 1);
      if (spot.num !== last?.num) yield spot;
      last = spot;
    }
  }

  #rows(
    index: keyof typeof INDEXES,
    direction: Direction,
    key: Key,
    bounds: Bounds,
    take: number,
    skip: number,
  ): Spot[] {
    const { source, key: column, id, num } = INDEXES[index];
    const order = direction === "up" ? "ASC" : "DESC";
    const statement = this.#database.query(
      `SELECT created_at, ${id}, ${num} FROM ${source}
       WHERE ${TAKES_PART[index] ?? ""} ${column === undefined ? "? = ''" : `${column} = ?`}
         AND (created_at, ${id}) >= (?, ?) AND (created_at, ${id}) < (?, ?)
       ORDER BY created_at ${order}, ${id} ${order} LIMIT ? OFFSET ?`,
    ) as Statement<unknown, [Key, ...Bounds, number, number]>;
    const rows = statement.values(key, ...bounds, take, skip) as [number, string, number][];
    return rows.map(([createdAt, matchId, match]) => ({ createdAt, id: matchId, num: match }));
  }

  /** Whether a match is found on another road too. */
  #lies(spot: Spot, road: Road): boolean {
    if (road.index === "mode" || road.index === "patch") {
      const column = INDEXES[road.index].key;
      const row = this.#database
        .query<{ value: string }, [number]>(`SELECT ${column} AS value FROM matches WHERE num = ?`)
        .get(spot.num);
      return row !== null && road.keys.includes(row.value);
    }
    const { source, key } = INDEXES[road.index];
    const statement = this.#database.query<unknown, [Key, number, string]>(
      `SELECT 1 FROM ${source} WHERE ${TAKES_PART[road.index]} ${key} = ? AND created_at = ? AND match_id = ?`,
    );
    return road.keys.some((value) => statement.get(value, spot.createdAt, spot.id) !== null);
  }
}

/** One ordered walk, read in growing chunks so that a page costs no more than it needs. */
class Stream {
  head: Spot | undefined;
  #chunk: Spot[] = [];
  #at = 0;
  #size: number;
  #exhausted = false;

  constructor(
    private readonly read: (bounds: Bounds, take: number) => Spot[],
    private bounds: Bounds,
    private readonly direction: Direction,
    wanted: number,
  ) {
    this.#size = Math.min(wanted, LONGEST_CHUNK);
    this.#fill();
  }

  advance(): void {
    this.#at += 1;
    this.head = this.#chunk[this.#at];
    if (this.head === undefined && !this.#exhausted) this.#fill();
  }

  #fill(): void {
    const last = this.#chunk.at(-1);
    if (last) {
      const [fromAt, fromId, toAt, toId] = this.bounds;
      this.bounds =
        this.direction === "up"
          ? ([...placeAt({ ...last, side: "after" }), toAt, toId] as Bounds)
          : ([fromAt, fromId, ...placeAt({ ...last, side: "before" })] as Bounds);
    }
    this.#chunk = this.read(this.bounds, this.#size);
    this.#exhausted = this.#chunk.length < this.#size;
    this.#size = Math.min(this.#size * 4, LONGEST_CHUNK);
    this.#at = 0;
    this.head = this.#chunk[0];
  }
}

function asRoad(index: keyof typeof INDEXES, keys: string[] | undefined): Road[] {
  return keys === undefined ? [] : [{ index, keys }];
}

/** Compares as the indexes do; ids are ASCII, so code units are bytes. */
function comesFirst(a: Spot, b: Spot, direction: Direction): boolean {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt === (direction === "up");
  if (a.id === b.id) return false;
  return a.id < b.id === (direction === "up");
}
