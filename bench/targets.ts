/**
 * Picks random matches, players and teams from the file of a shard, the same at every run. The ids of the demo data are
 * random, so the first ones in their order are a random choice.
 */

import { Database, SQLiteError } from "bun:sqlite";
import { join } from "node:path";
import { type Data, SHARD } from "./data.ts";
import { chance, shuffled } from "./figures.ts";
import { BenchError } from "./processes.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const WINDOW_MS = 28 * DAY_MS;
export const FULL_PAGE = 5;

export class Targets {
  readonly #database: Database;
  readonly #random = chance(20_260_101);
  /** Within the default window, whose start moves during the benchmark. */
  readonly #earliest: number;

  constructor(private readonly data: Data) {
    this.#database = new Database(join(data.folder, `${SHARD}.db`), { readonly: true });
    this.#earliest = data.until - WINDOW_MS + DAY_MS / 2;
  }

  close(): void {
    this.#database.close();
  }

  matchIds(count: number): string[] {
    return this.#some("SELECT id FROM matches ORDER BY id LIMIT ?", count).map(({ id }) => id);
  }

  players(count: number): { id: string; name: string }[] {
    const sql = "SELECT id, name FROM players WHERE name <> '' AND played > 0 ORDER BY id LIMIT ?";
    return this.#some(sql, count);
  }

  /** Players with a full page of matches from any `windowStart()` on. */
  activePlayers(count: number): { id: string; name: string }[] {
    return this.#some(this.#active("players", "player"), count, this.#earliest + DAY_MS);
  }

  activeTeams(count: number): { id: string; name: string }[] {
    return this.#some(this.#active("teams", "team"), count, this.#earliest + DAY_MS);
  }

  #active(table: string, one: string): string {
    return `SELECT id, name FROM ${table} WHERE (SELECT count(*) FROM ${one}_matches
      WHERE ${one} = num AND created_at >= ?2) >= ${FULL_PAGE} ORDER BY id LIMIT ?1`;
  }

  #some(sql: string, ...values: number[]): { id: string; name: string }[] {
    try {
      const rows = this.#database.query(sql).all(...values) as { id: string; name: string }[];
      return shuffled(rows, this.#random);
    } catch (error) {
      if (!(error instanceof SQLiteError)) throw error;
      const hint = "If the schema has changed, update bench/targets.ts.";
      throw new BenchError(`Cannot read the shard's file: ${error.message}. ${hint}`);
    }
  }

  /** Game modes with a full page of matches, and the patches. */
  modes(): string[] {
    const sql = `SELECT game_mode AS id FROM matches GROUP BY 1 HAVING count(*) >= ${FULL_PAGE}`;
    return this.#some(sql).map(({ id }) => id);
  }

  patches(): string[] {
    return this.#some("SELECT DISTINCT patch_version AS id FROM matches").map(({ id }) => id);
  }

  /** The patch of a mode's matches at a time. */
  patchAt(mode: string, time: number): string {
    const row = this.#database
      .query(
        "SELECT patch_version AS patch FROM matches WHERE game_mode = ? AND created_at >= ? ORDER BY created_at LIMIT 1",
      )
      .get(mode, time) as { patch: string } | null;
    return row?.patch ?? "none";
  }

  /** The time after which there are so many matches. */
  timeBefore(following: number): number {
    const row = this.#database
      .query("SELECT created_at AS time FROM matches ORDER BY created_at DESC LIMIT 1 OFFSET ?")
      .get(following) as { time: number } | null;
    return row?.time ?? 0;
  }

  /** The highest offset up to `wanted` that still has matches. */
  offset(wanted: number): number {
    return Math.min(wanted, Math.floor(this.data.matches / 3));
  }

  /** A time in the first two thirds of the window, before `latest`. */
  time(latest = Number.POSITIVE_INFINITY): number {
    const end = Math.min(this.data.until - WINDOW_MS / 3, latest);
    return Math.floor(this.#earliest + this.#random() * Math.max(0, end - this.#earliest));
  }

  /** A time in the first day of the window: different requests that find the same. */
  windowStart(): number {
    return Math.floor(this.#earliest + this.#random() * DAY_MS);
  }

  integer(low: number, high: number): number {
    return low + Math.floor(this.#random() * (high - low + 1));
  }

  one<T>(list: readonly T[]): T {
    if (list.length === 0) throw new BenchError("The shard is too small for this scenario.");
    return list[this.integer(0, list.length - 1)]!;
  }

  /** Some of them, at least one. */
  someOf<T>(list: readonly T[]): T[] {
    return shuffled(list, this.#random).slice(0, this.integer(1, list.length));
  }
}
