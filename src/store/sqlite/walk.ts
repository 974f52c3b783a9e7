/** In charge of finding a selection's matches: along the shortest road, checked against the others. */

import type { Direction, Range } from "../places.ts";
import type { Selection } from "../store.ts";
import { EVERY_MATCH, type Lanes, type Road, roadLength } from "./roads.ts";
import { merged, Stream } from "./streams.ts";

/** How far ahead roads are compared. Beyond that, any is long, and the first is taken. */
const COMPARED_ROWS = 64;

/** Walks one selection. The keys of players and teams are the adapter's numbers. */
export class Walk {
  readonly #lanes: Lanes;
  readonly #roads: Road[];

  constructor(
    lanes: Lanes,
    selection: Pick<Selection, "gameModes" | "patchVersions">,
    players: number[][],
    teams: number[][],
  ) {
    this.#lanes = lanes;
    // In the order of how selective they usually are.
    this.#roads = [
      ...players.map((keys): Road => ({ index: "player", keys })),
      ...teams.map((keys): Road => ({ index: "team", keys })),
      ...asRoad("patch", selection.patchVersions),
      ...asRoad("mode", selection.gameModes),
    ];
    if (this.#roads.length === 0) this.#roads.push(EVERY_MATCH);
  }

  /** The numbers of the matches of a range from one end on, after `skip` of them, at most `take`. */
  matches(range: Range, direction: Direction, skip: number, take: number): number[] {
    if (this.#roads.some(({ keys }) => keys.length === 0)) return [];
    const road = this.#shortestRoad(range);
    const others = this.#roads.filter((other) => other !== road);
    const lists = others.map(({ keys }) => JSON.stringify(keys));
    if (road.keys.length === 1) {
      const lane = this.#lanes.get(road, others, direction, "num");
      return lane.read(road.keys[0]!, lists, range, take, skip).map(([num]) => num!);
    }
    const lane = this.#lanes.get(road, others, direction, "created_at, num");
    // Mostly a page takes a few matches of each key.
    const chunk = Math.ceil((skip + take) / road.keys.length) + 2;
    const idOf = (num: number) => this.#idOf(num);
    const streams = road.keys.map((key) => {
      return new Stream(
        (part, most) => lane.read(key, lists, part, most, 0),
        idOf,
        range,
        direction,
        chunk,
      );
    });
    return merged(streams, skip, take);
  }

  #shortestRoad(range: Range): Road {
    let best = this.#roads[0]!;
    if (this.#roads.length === 1) return best;
    let shortest = COMPARED_ROWS;
    for (const road of this.#roads) {
      const length = roadLength(this.#lanes.statements, road, range, shortest);
      if (length < shortest) [best, shortest] = [road, length];
    }
    return best;
  }

  #idOf(num: number): string {
    const statement = this.#lanes.statements.get("SELECT id FROM matches WHERE num = ?");
    return statement.values(num)[0]![0] as string;
  }
}

function asRoad(index: Road["index"], keys: string[] | undefined): Road[] {
  return keys === undefined ? [] : [{ index, keys }];
}
