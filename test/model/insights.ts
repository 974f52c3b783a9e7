/** The model of hero statistics, leaderboards and whom a player played with, counted from the matches. */

import { ACTOR_STATS, type Entry } from "./entry.ts";
import { statsOf } from "./record.ts";
import { byBytes, type State } from "./state.ts";

const DAY_MS = 86_400_000;

export const BOARDS = ["skill-tier", "ranked-wins", "win-rate", "win-streak"] as const;
export type Board = (typeof BOARDS)[number];
export type Period = "all" | "28d";
/** The boards with a period of 28 days. */
export const RECENT_BOARDS: readonly Board[] = ["ranked-wins", "win-rate"];
const MIN_RATED = 20;

export interface Row {
  id: string;
  score: number;
  rank: number;
  played: number;
}

/** The 28 UTC days that end with that of the newest match. */
export function recentDays(state: State): { start: number; end: number } | undefined {
  const newest = state.visible.at(-1);
  if (!newest) return undefined;
  const end = (Math.floor(newest.at / DAY_MS) + 1) * DAY_MS;
  return { start: end - 28 * DAY_MS, end: end - 1 };
}

/** Everybody on a board, best first. */
export function board(state: State, name: Board, period: Period): Row[] {
  const days = recentDays(state);
  const removed = new Set(state.contents.pruned.map(({ entry }) => entry));
  const counts = (entry: Entry) =>
    period === "all" ||
    (!removed.has(entry) && days !== undefined && entry.at >= days.start && entry.at <= days.end);
  const rows = state.playerIds.flatMap((id) => {
    const scored = scoreOf(state, name, id, counts);
    return scored.score === undefined ? [] : [{ id, score: scored.score, played: scored.played }];
  });
  rows.sort((a, b) => b.score - a.score || byBytes(a.id, b.id));
  let rank = 1;
  return rows.map((row, at) => {
    if (row.score !== rows[at - 1]?.score) rank = at + 1;
    return { ...row, rank };
  });
}

function scoreOf(
  state: State,
  name: Board,
  id: string,
  counts: (entry: Entry) => boolean,
): { score: number | undefined; played: number } {
  if (name === "skill-tier") {
    const latest = state.matchesOf(id).at(-1)!.included.get(`player/${id}`)!;
    const tier = statsOf(latest).skillTier;
    const isTier = Number.isSafeInteger(tier) && Number(tier) >= 0;
    return { score: isTier ? Number(tier) : undefined, played: 0 };
  }
  const all = state.played(id);
  if (name === "win-streak") {
    const run = all.length - 1 - all.findLastIndex(({ part }) => !part.won);
    return { score: run > 0 ? run : undefined, played: 0 };
  }
  const ranked = all.filter(({ entry }) => entry.mode === "ranked" && counts(entry));
  const wins = ranked.filter(({ part }) => part.won).length;
  if (name === "ranked-wins") return { score: wins > 0 ? wins : undefined, played: 0 };
  const rate =
    ranked.length < MIN_RATED ? undefined : Math.floor((wins * 1_000_000) / ranked.length);
  return { score: rate, played: ranked.length };
}

/** An entry as it is served. */
export function boardEntry(state: State, name: Board, row: Row, depth: number) {
  const attributes = {
    rank: row.rank <= depth ? row.rank : null,
    name: state.nameOf(row.id),
    value: name === "win-rate" ? Math.round(row.score / 100) / 10_000 : row.score,
    ...(name === "win-rate" ? { matches: row.played } : {}),
  };
  return {
    type: "leaderboard-entry",
    id: row.id,
    attributes,
    relationships: { player: { data: { type: "player", id: row.id } } },
  };
}

export interface HeroFilters {
  gameModes?: string[];
  patchVersions?: string[];
}

/** Hero statistics as they are served, by an attribute (or "hero") and then by name. */
export function heroes(state: State, { gameModes, patchVersions }: HeroFilters, sort: string) {
  const chosen = state.counted.filter(
    ({ mode, patch }) =>
      mode !== "private" &&
      (!gameModes || gameModes.includes(mode)) &&
      (!patchVersions || patchVersions.includes(patch)),
  );
  const sums = state.once(`heroes ${gameModes} ${patchVersions}`, () => sumsOf(chosen));
  const round = (value: number, unit: number) => Math.round(value * unit) / unit;
  const data = [...sums].map(([actor, { matches, wins, stats }]) => ({
    type: "hero",
    id: actor,
    attributes: {
      matches,
      wins,
      winRate: round(wins / matches, 10_000),
      pickRate: round(matches / chosen.length, 10_000),
      ...Object.fromEntries(
        ACTOR_STATS.map((name, at) => [name, round(stats[at]! / 1_000_000 / matches, 100)]),
      ),
    } as Record<string, number>,
  }));
  const name = sort.replace("-", "");
  const sign = sort.startsWith("-") ? -1 : 1;
  data.sort((a, b) => {
    if (name === "hero") return sign * byBytes(a.id, b.id);
    return sign * (a.attributes[name]! - b.attributes[name]!) || byBytes(a.id, b.id);
  });
  return { data, meta: { matches: chosen.length, heroes: data.length, isTruncated: false } };
}

function sumsOf(entries: readonly Entry[]) {
  const sums = new Map<string, { matches: number; wins: number; stats: number[] }>();
  for (const { actors: parts } of entries) {
    for (const { actor, won, stats } of parts) {
      if (actor === "" || actor.length > 128 || actor.includes("\0")) continue;
      const sum = sums.get(actor) ?? { matches: 0, wins: 0, stats: ACTOR_STATS.map(() => 0) };
      sums.set(actor, sum);
      sum.matches += 1;
      sum.wins += won ? 1 : 0;
      for (const [at, value] of stats.entries()) sum.stats[at]! += value;
    }
  }
  return sums;
}

const MOST_MATCHES = 200;

/** With whom a player played in a window, as it is served. */
export function playedWith(
  state: State,
  player: string,
  window: { start: number; end: number },
  limit: number,
) {
  const all = state
    .played(player)
    .map(({ entry }) => entry)
    .filter(
      ({ id, at, mode }) =>
        at >= window.start &&
        at <= window.end &&
        mode !== "private" &&
        state.match(id) !== undefined,
    );
  const counted = all.slice(-MOST_MATCHES);
  const rows = new Map<string, Tally>();
  for (const { at, sides } of counted) {
    const own = sides.find(({ players }) => players.includes(player))!;
    for (const side of sides) {
      for (const id of side.players) {
        if (id === player) continue;
        const row = rows.get(id) ?? { with: none(), against: none(), last: 0 };
        rows.set(id, row);
        const tally = side === own ? row.with : row.against;
        tally.matches += 1;
        tally.wins += own.won ? 1 : 0;
        row.last = Math.max(row.last, at);
      }
    }
  }
  const total = (row: Tally) => row.with.matches + row.against.matches;
  const data = [...rows]
    .sort(([a, one], [b, two]) => total(two) - total(one) || two.last - one.last || byBytes(a, b))
    .slice(0, limit)
    .map(([id, { last, ...row }]) => ({
      type: "played-with",
      id,
      attributes: { name: state.nameOf(id), ...row, lastPlayedAt: written(last) },
      relationships: { player: { data: { type: "player", id } } },
    }));
  return { data, matches: counted.length, isTruncated: all.length > MOST_MATCHES };
}

interface Tally {
  with: { matches: number; wins: number };
  against: { matches: number; wins: number };
  last: number;
}

const none = () => ({ matches: 0, wins: 0 });

/** A time as it is served. */
export const written = (at: number): string => new Date(at).toISOString().replace(".000Z", "Z");
