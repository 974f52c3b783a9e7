/** The model of leaderboards: counted from the matches, and walked page by page. */

import type { Entry } from "./entry.ts";
import type { FeatureQuestions } from "./features.ts";
import { AT, DAY_MS, written } from "./pages.ts";
import type { Body, Expected, Question } from "./question.ts";
import type { Questions } from "./questions.ts";
import { statsOf } from "./record.ts";
import { byBytes, type State } from "./state.ts";
import { LONGEST, pathOf } from "./walks.ts";

export const BOARDS = ["skill-tier", "ranked-wins", "win-rate", "win-streak"] as const;
type Board = (typeof BOARDS)[number];
type Period = "all" | "28d";
/** The boards with a period of 28 days. */
const RECENT_BOARDS: readonly Board[] = ["ranked-wins", "win-rate"];
const MIN_RATED = 20;

interface Row {
  id: string;
  score: number;
  rank: number;
  played: number;
}

/** The 28 UTC days that end with that of the newest match. */
function recentDays(state: State): { start: number; end: number } | undefined {
  const newest = state.visible.at(-1);
  if (!newest) return undefined;
  const end = (Math.floor(newest.at / DAY_MS) + 1) * DAY_MS;
  return { start: end - 28 * DAY_MS, end: end - 1 };
}

/** Everybody on a board, best first. */
function board(state: State, name: Board, period: Period): Row[] {
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
function boardEntry(state: State, name: Board, row: Row, depth: number) {
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

class BoardWalk {
  #path: string;
  #after: Row[] = [];
  #pages = 0;

  constructor(
    private readonly board: Board,
    private readonly period: Period,
    private readonly limit: number,
    private readonly depth: number,
  ) {
    this.#path = `${AT}/leaderboards/${board}?filter[period]=${period}&page[limit]=${limit}`;
  }

  next(): Question {
    const after = this.#after;
    return {
      kind: this.#pages === 0 ? "leaderboard" : "leaderboard, next page",
      path: this.#path,
      expect: (state) =>
        (after.length === 0 ? [undefined] : after).map((row) => this.#page(state, row)),
      onRight: (body, states) => this.#goOn(body, states),
    };
  }

  #page(state: State, after: Row | undefined): Expected {
    const rows = rowsOf(state, this.board, this.period);
    const isPassed = (row: Row) =>
      after !== undefined &&
      (row.score > after.score || (row.score === after.score && row.id <= after.id));
    const start = rows.findIndex((row) => !isPassed(row));
    const first = start < 0 ? rows.length : start;
    const end = Math.min(first + this.limit, this.depth);
    return {
      status: 200,
      data: rows.slice(first, end).map((row) => boardEntry(state, this.board, row, this.depth)),
      meta: metaOf(state, this.board, this.period, this.depth),
      next: end < Math.min(rows.length, this.depth),
    };
  }

  #goOn(body: Body, states: readonly State[]): Question | undefined {
    this.#pages += 1;
    const last = body.data.at(-1)?.id;
    // The score is not shown exactly; that of each state that may have been read will do.
    this.#after = states.flatMap((state) =>
      rowsOf(state, this.board, this.period).filter(({ id }) => id === last),
    );
    const link = body.links.next;
    if (link === undefined || this.#after.length === 0 || this.#pages === LONGEST) return undefined;
    this.#path = pathOf(link);
    return this.next();
  }

  /** The entries of certain players. */
  static ofPlayers(name: Board, ids: string[], depth: number): Question {
    return {
      kind: "leaderboard, certain players",
      path: `${AT}/leaderboards/${name}?filter[playerIds]=${ids.join(",")}`,
      expect(state) {
        const rows = rowsOf(state, name, "all");
        const data = rows.flatMap((row) =>
          ids.includes(row.id) ? [boardEntry(state, name, row, depth)] : [],
        );
        return { status: 200, data, meta: metaOf(state, name, "all", depth) };
      },
    };
  }
}

function metaOf(state: State, name: Board, period: Period, depth: number) {
  const days = period === "28d" ? recentDays(state) : undefined;
  const window = days && { start: written(days.start), end: written(days.end) };
  return { board: name, period, ...(window ? { window } : {}), depth };
}

const rowsOf = (state: State, name: Board, period: Period): Row[] =>
  state.once(`board ${name} ${period}`, () => board(state, name, period));

function walk({ chance, depth }: Questions): Question {
  const name = chance.pick(BOARDS);
  const period = RECENT_BOARDS.includes(name) ? chance.pick(["all", "28d"] as const) : "all";
  return new BoardWalk(name, period, chance.pick([5, 20, 100]), depth).next();
}

function ofSome({ chance, often, some, depth }: Questions, { playerIds }: State): Question {
  const ids = some(() => often(playerIds) ?? "nobody");
  return BoardWalk.ofPlayers(chance.pick(BOARDS), ids, depth);
}

export const leaderboards: FeatureQuestions = {
  named: ["leaderboard", "leaderboard, next page", "leaderboard, certain players"],
  kinds: [
    [2, walk],
    [2, ofSome],
  ],
  every: ({ depth }) => [
    ...BOARDS.map((name) => new BoardWalk(name, "all", 20, depth).next()),
    new BoardWalk("ranked-wins", "28d", 20, depth).next(),
    BoardWalk.ofPlayers("ranked-wins", ["player-1", "player-4"], depth),
  ],
};
