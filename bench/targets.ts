/**
 * Picks random matches, players and teams from a shard's file, with equal probability. Reads only
 * names and ids from documented tables.
 */

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { GAME_MODES } from "../src/domain/modes.ts";
import type { Data } from "./data.ts";
import { BenchError } from "./failure.ts";
import { SHARD } from "./places.ts";
import { chance } from "./statistics.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const WINDOW_MS = 28 * DAY_MS;
/** Distance from the edge of the window, which moves during the benchmark. */
const MARGIN_MS = DAY_MS / 2;
export const FULL_PAGE = 5;

export class Targets {
  readonly #database: Database;
  readonly #random = chance(20_260_101);
  readonly #until: number;
  readonly #served: number;
  readonly #latest = new Map<number, number>();

  constructor(data: Data) {
    this.#database = new Database(join(data.matchbook, `${SHARD}.db`), { readonly: true });
    this.#until = data.until;
    this.#served = data.served;
  }

  close(): void {
    this.#database.close();
  }

  /** The highest offset up to `wanted` that still has matches. */
  offset(wanted: number): number {
    return Math.min(wanted, Math.floor(this.#served / 2));
  }

  matchIds(count: number): string[] {
    return this.#distinct(count, () => {
      const row = this.#randomRow<{ id: string; reason: string | null }>("records", "id, reason");
      return row?.reason === null ? row.id : undefined;
    });
  }

  /** Players with a full page of matches in the window. */
  activePlayers(count: number): string[] {
    const sql = `SELECT count(*) AS found FROM (SELECT 1 FROM player_matches
      WHERE player = ? AND created_at >= ? LIMIT ${FULL_PAGE})`;
    return this.#distinct(count, () => this.#active("players", "id", sql));
  }

  activeTeamNames(count: number): string[] {
    const sql = `SELECT count(*) AS found FROM (SELECT 1 FROM team_matches
      WHERE team = ? AND created_at >= ? LIMIT ${FULL_PAGE})`;
    return this.#distinct(count, () => this.#active("teams", "name", sql));
  }

  players(count: number): { id: string; name: string }[] {
    const found = this.#distinct(count, () => {
      const row = this.#randomRow<{ id: string; name: string | null; played: number }>(
        "players",
        "id, name, played",
      );
      return row && row.name !== null && row.played > 0
        ? JSON.stringify({ id: row.id, name: row.name })
        : undefined;
    });
    return found.map((text) => JSON.parse(text));
  }

  modes(): string[] {
    const some = this.#database.query(
      `SELECT 1 FROM matches WHERE game_mode = ? LIMIT ${FULL_PAGE}`,
    );
    return GAME_MODES.filter((mode) => some.all(mode).length === FULL_PAGE);
  }

  /** The patch of a mode's matches at a time. */
  patchAt(mode: string, time: number): string | undefined {
    const row = this.#database
      .query(
        "SELECT patch_version AS patch FROM matches WHERE game_mode = ? AND created_at >= ? ORDER BY created_at LIMIT 1",
      )
      .get(mode, time) as { patch: string } | null;
    return row?.patch;
  }

  /** A time in the window, with at least `following` matches after it. */
  time(following = 0): number {
    const earliest = this.#until - WINDOW_MS + MARGIN_MS;
    const latest = Math.min(this.#until - WINDOW_MS / 3, this.#latestBefore(following));
    return Math.floor(earliest + this.#random() * Math.max(0, latest - earliest));
  }

  #latestBefore(following: number): number {
    const known = this.#latest.get(following);
    if (known !== undefined) return known;
    const row = this.#database
      .query("SELECT created_at AS time FROM matches ORDER BY created_at DESC LIMIT 1 OFFSET ?")
      .get(following) as { time: number } | null;
    const time = row?.time ?? 0;
    this.#latest.set(following, time);
    return time;
  }

  one<T>(list: readonly T[]): T {
    if (list.length === 0) throw new BenchError("The shard is too small for this scenario.");
    return list[Math.floor(this.#random() * list.length)]!;
  }

  #active(table: string, column: string, sql: string): string | undefined {
    const row = this.#randomRow<{ num: number; value: string | null }>(
      table,
      `num, ${column} AS value`,
    );
    if (!row || row.value === null) return undefined;
    const since = this.#until - WINDOW_MS + MARGIN_MS;
    const { found } = this.#database.query(sql).get(row.num, since) as { found: number };
    return found >= FULL_PAGE ? row.value : undefined;
  }

  #randomRow<Row>(table: string, columns: string): Row | undefined {
    const { last } = this.#database
      .query(`SELECT coalesce(max(rowid), 0) AS last FROM ${table}`)
      .get() as { last: number };
    const number = 1 + Math.floor(this.#random() * last);
    const row = this.#database
      .query(`SELECT ${columns} FROM ${table} WHERE rowid = ?`)
      .get(number) as Row | null;
    return row ?? undefined;
  }

  /** Draws until there are enough, or hardly any new ones. */
  #distinct(count: number, draw: () => string | undefined): string[] {
    const found = new Set<string>();
    for (let draws = 0; draws < count * 20 && found.size < count; draws++) {
      const one = draw();
      if (one !== undefined) found.add(one);
    }
    return [...found];
  }
}
