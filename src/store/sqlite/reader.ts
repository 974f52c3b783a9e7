/** In charge of the read path over a shard's SQLite file. */

import type { Database } from "bun:sqlite";
import type {
  Bundle,
  NamedFragments,
  Page,
  PlayerListing,
  Reader,
  Selection,
  ServedMatch,
  Vocabulary,
} from "../store.ts";
import { unpackNumbers } from "./packing.ts";
import {
  type Direction,
  earlierPlace,
  laterPlace,
  placeAt,
  type Range,
  type Spot,
  Walk,
} from "./walk.ts";

type MatchColumns = [string, number, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
const MATCH = "SELECT id, created_at, resource, included, digest, players, teams FROM matches";
const PLAYER = "SELECT id, name, resource, companions FROM players";

interface PlayerColumns {
  id: string;
  name: string;
  resource: Uint8Array;
  companions: Uint8Array | null;
}

export class SqliteReader implements Reader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  match(id: string): Bundle | undefined {
    return this.#atOnce(() => {
      const rows = this.#database.query(`${MATCH} WHERE id = ?`).values(id) as MatchColumns[];
      return rows.length === 0 ? undefined : this.#bundle(rows);
    });
  }

  matches(selection: Selection): Page {
    return this.#atOnce(() => {
      const players = selection.players.map((ids) => this.#numbers("players", ids));
      const teams = selection.teams.map((ids) => this.#numbers("teams", ids));
      const { spots, more } = pageOf(
        selection,
        new Walk(this.#database, selection, players, teams),
      );
      const byNumber = this.#database.query(`${MATCH} WHERE num = ?`);
      return {
        ...this.#bundle(spots.map((spot) => byNumber.values(spot.num)[0] as MatchColumns)),
        more,
      };
    });
  }

  players(ids: string[]): PlayerListing[] {
    const byId = this.#database.query<PlayerColumns, [string]>(`${PLAYER} WHERE id = ?`);
    const read = () => ids.flatMap((id) => byId.get(id) ?? []).map(listing);
    return ids.length === 1 ? read() : this.#atOnce(read);
  }

  playersNamed(name: string, limit: number): PlayerListing[] {
    return this.#database
      .query<PlayerColumns, [string, number]>(`${PLAYER} WHERE name = ? ORDER BY id LIMIT ?`)
      .all(name, limit)
      .map(listing);
  }

  recentPlayers(limit: number): PlayerListing[] {
    return this.#database
      .query<PlayerColumns, [number]>(`${PLAYER} ORDER BY seen_at DESC, id LIMIT ?`)
      .all(limit)
      .map(listing);
  }

  playerIdsNamed(names: string[]): string[] {
    return this.#idsNamed("players", names);
  }

  teamIdsNamed(names: string[]): string[] {
    return this.#idsNamed("teams", names);
  }

  newestMatch(): number | undefined {
    const row = this.#database
      .query<{ newest: number | null }, []>("SELECT max(created_at) AS newest FROM matches")
      .get();
    return row?.newest ?? undefined;
  }

  vocabulary(): Vocabulary {
    const words = this.#database
      .query<{ word: string }, []>("SELECT word FROM vocabulary")
      .all()
      .map((row) => row.word);
    const after = (prefix: string) =>
      new Set(
        words.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length)),
      );
    return { includePaths: after("path:"), types: after("type:") };
  }

  close(): void {
    this.#database.close();
  }

  /** Several statements, one state of the shard. */
  #atOnce<T>(read: () => T): T {
    this.#database.query("BEGIN").run();
    try {
      return read();
    } finally {
      this.#database.query("COMMIT").run();
    }
  }

  #bundle(rows: MatchColumns[]): Bundle {
    const matches: ServedMatch[] = [];
    const players = new Set<number>();
    const teams = new Set<number>();
    for (const [id, createdAt, resource, included, digest, playerList, teamList] of rows) {
      matches.push({ id, createdAt, resource, included, digest });
      for (const num of unpackNumbers(playerList)) players.add(num);
      for (const num of unpackNumbers(teamList)) teams.add(num);
    }
    return {
      matches,
      players: this.#named("players", players),
      teams: this.#named("teams", teams),
    };
  }

  #named(table: "players" | "teams", numbers: Iterable<number>): NamedFragments[] {
    const byNumber = this.#database.query(
      `SELECT resource, companions FROM ${table} WHERE num = ?`,
    );
    return Array.from(numbers, (num) => {
      const [resource, companions] = byNumber.values(num)[0] as [Uint8Array, Uint8Array | null];
      return { resource, companions: companions ?? undefined };
    });
  }

  #numbers(table: "players" | "teams", ids: string[]): number[] {
    const byId = this.#database.query<{ num: number }, [string]>(
      `SELECT num FROM ${table} WHERE id = ?`,
    );
    return ids.flatMap((id) => byId.get(id)?.num ?? []);
  }

  #idsNamed(table: "players" | "teams", names: string[]): string[] {
    const byName = this.#database.query<{ id: string }, [string]>(
      `SELECT id FROM ${table} WHERE name = ? ORDER BY id`,
    );
    return this.#atOnce(() => names.flatMap((name) => byName.all(name).map((row) => row.id)));
  }
}

/** Walks a page's worth of matches, and looks whether there is more on either side. */
function pageOf(selection: Selection, walk: Walk): { spots: Spot[]; more: Page["more"] } {
  const { window, place, limit } = selection;
  const forward: Direction = selection.sort === "createdAt" ? "up" : "down";
  const whole: Range = { from: [window.start, ""], to: [window.end + 1, ""] };

  if (place.from === "offset") {
    const spots = walk.spots(whole, forward, place.offset, limit + 1);
    return {
      spots: spots.slice(0, limit),
      more: { before: place.offset > 0 && spots.length > 0, after: spots.length > limit },
    };
  }

  const gap = placeAt(place.gap);
  const below: Range = { from: whole.from, to: earlierPlace(whole.to, gap) };
  const above: Range = { from: laterPlace(whole.from, gap), to: whole.to };
  const [ahead, behind] = forward === "up" ? [above, below] : [below, above];
  const backward: Direction = forward === "up" ? "down" : "up";
  if (place.from === "after") {
    const spots = walk.spots(ahead, forward, 0, limit + 1);
    const before = walk.spots(behind, backward, 0, 1).length > 0;
    return { spots: spots.slice(0, limit), more: { before, after: spots.length > limit } };
  }
  const spots = walk.spots(behind, backward, 0, limit + 1);
  const after = walk.spots(ahead, forward, 0, 1).length > 0;
  return {
    spots: spots.slice(0, limit).reverse(),
    more: { before: spots.length > limit, after },
  };
}

function listing(row: PlayerColumns): PlayerListing {
  return { ...row, companions: row.companions ?? undefined };
}
