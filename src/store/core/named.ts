/** Reads and writes players and teams within a transaction, and notes what changes. */

import { winRate } from "../../domain/rank.ts";
import { get, put, query, remove, type Steps, select } from "../steps.ts";
import {
  DamagedData,
  type NamedPlayer,
  type NamedTable,
  type PlayerRow,
  type Standing,
  type TeamRow,
} from "../store.ts";
import { NAMED_TABLES, PLAYERS, type PlayerColumns, TEAMS, type TeamColumns } from "../tables.ts";
import type { TransactionState } from "./transaction-state.ts";

export function named({ numbers, changed, added, names: changedNames }: TransactionState) {
  /** Names read so far, to avoid another lookup when the players are written. */
  const names = new Map<string, string>();

  /** Reads the names of existing players that are not known yet. */
  function* readNames(ids: readonly string[]): Steps<void> {
    const unread = ids.filter((id) => !names.has(id) && !numbers.players.isNew(id));
    if (unread.length === 0) return;
    const rows = yield* query<{ id: string; name: string }>(
      "SELECT id, name FROM {players} WHERE id = ANY($1::text[])",
      [unread],
    );
    for (const { id, name } of rows) names.set(id, name);
  }

  function rename(id: string, name: string | undefined): void {
    const before = names.get(id);
    if (before === name) return;
    if (before !== undefined) changedNames.add(before);
    if (name === undefined) names.delete(id);
    else {
      changedNames.add(name);
      names.set(id, name);
    }
  }

  /** Notes that rows with these ids were written. */
  function note(table: NamedTable, ids: readonly string[]): void {
    for (const id of ids) {
      if (numbers[table].isNew(id)) added[table] += 1;
      numbers[table].settle(id);
      changed[table].add(numbers[table].of(id));
    }
  }

  function* removeAll(table: NamedTable, ids: string[]): Steps<void> {
    const rows = yield* get(
      NAMED_TABLES[table],
      ids.map((id) => ({ id })),
    );
    yield* remove(NAMED_TABLES[table], rows);
    for (const { num } of rows) changed[table].add(num);
    for (const id of ids) numbers[table].forget(id);
    added[table] -= rows.length;
    if (table === "teams") return;
    for (const { id, name } of rows) {
      names.set(id, name);
      rename(id, undefined);
    }
  }

  return {
    *standings(playerIds: string[]): Steps<Map<string, Standing>> {
      const rows = yield* get(
        PLAYERS,
        playerIds.map((id) => ({ id })),
      );
      for (const { id, num, name } of rows) {
        names.set(id, name);
        numbers.players.note(id, num);
      }
      return new Map(rows.map((row) => [row.id, standingOf(row)]));
    },

    *putPlayers(rows: PlayerRow[]): Steps<void> {
      const ids = rows.map(({ id }) => id);
      yield* numbers.players.find(ids);
      yield* readNames(ids);
      yield* put(
        PLAYERS,
        rows.map((row) => playerColumns(numbers.players.of(row.id), row)),
      );
      for (const { id, name } of rows) rename(id, name);
      note("players", ids);
    },

    *putTeams(rows: TeamRow[]): Steps<void> {
      const ids = rows.map(({ id }) => id);
      yield* numbers.teams.find(ids);
      yield* put(
        TEAMS,
        rows.map((row) => teamColumns(numbers.teams.of(row.id), row)),
      );
      note("teams", ids);
    },

    removePlayers: (ids: string[]) => removeAll("players", ids),
    removeTeams: (ids: string[]) => removeAll("teams", ids),
  };
}

/** The players or teams with these numbers. The function throws DamagedData for one that does not exist. */
export function* numbered(
  table: NamedTable,
  nums: Iterable<number>,
): Steps<(num: number) => NamedPlayer> {
  const rows = yield* select(NAMED_TABLES[table], `WHERE ${table}.num = ANY($1::integer[])`, [
    [...new Set(nums)],
  ]);
  const known = new Map(rows.map(({ num, id, name }) => [num, { id, name }]));
  return (num) => {
    const found = known.get(num);
    if (!found) throw new DamagedData(table, `number ${num}`);
    return found;
  };
}

export const standingOf = (row: ReturnType<typeof standingColumns>): Standing => ({
  totals: {
    played: row.played,
    wins: row.wins,
    playedRanked: row.played_ranked,
    rankedWins: row.ranked_wins,
    gold: BigInt(row.gold),
  },
  run: row.streak,
  latest: { createdAt: row.last_match_at, matchId: row.last_match_id },
});

export const standingColumns = ({ totals, run, latest }: Standing) => ({
  last_match_at: latest.createdAt,
  last_match_id: latest.matchId,
  streak: run,
  played: totals.played,
  wins: totals.wins,
  played_ranked: totals.playedRanked,
  ranked_wins: totals.rankedWins,
  gold: totals.gold.toString(),
});

const teamColumns = (num: number, { id, name, resource, companions }: TeamRow): TeamColumns => ({
  num,
  id,
  name,
  resource,
  linked: companions ?? null,
});

const playerColumns = (num: number, player: PlayerRow): PlayerColumns => {
  const { totals, skillTier } = player;
  return {
    ...teamColumns(num, player),
    ...standingColumns(player),
    skill_tier: skillTier ?? null,
    win_rate: winRate({ played: totals.playedRanked, wins: totals.rankedWins }) ?? null,
  };
};
