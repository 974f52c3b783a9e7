/** Walks along links.next and links.prev, while records change: a walk repeats nothing and misses nothing. */

import type { Chance } from "../support/chance.ts";
import {
  type Board,
  board,
  boardEntry,
  type Period,
  type Row,
  recentDays,
  written,
} from "./insights.ts";
import { AT, type ListOf, pageExpected, pagePath } from "./pages.ts";
import type { Body, Expected, Question } from "./question.ts";

import type { Selection, Start, State } from "./state.ts";

/** A walk ends after so many pages. */
const LONGEST = 8;

export class MatchWalk {
  #path: string;
  #start: Start = { from: "offset", offset: 0 };
  /** The names of the first page stand for the players and teams they stood for then. */
  #selections: Selection[] | undefined;
  #pages = 0;
  readonly #seen = new Set<string>();

  constructor(
    private readonly chance: Chance,
    private readonly list: ListOf,
  ) {
    this.#path = pagePath(list);
  }

  next(): Question {
    const [start, selections, isBack] = [
      this.#start,
      this.#selections,
      this.#start.from === "before",
    ];
    const { filters, window, isDescending, limit } = this.list;
    return {
      kind: this.#pages === 0 ? "walk, first page" : `walk, ${isBack ? "previous" : "next"} page`,
      path: this.#path,
      expect: (state) =>
        (selections ?? [state.resolve(filters, { window, isDescending })]).map((selection) => {
          const expected = pageExpected(state, state.page(selection, start, limit), window);
          return isBack ? expected : { ...expected, check: (body: Body) => this.#repeated(body) };
        }),
      onRight: (body, states) => this.#goOn(body, states),
    };
  }

  #repeated(body: Body): string | undefined {
    const again = body.data.find(({ id }: { id: string }) => this.#seen.has(id));
    return again && `the walk repeats ${again.id}`;
  }

  #goOn(body: Body, states: readonly State[]): Question | undefined {
    const { filters, window, isDescending } = this.list;
    this.#selections ??= distinct(
      states.map((state) => state.resolve(filters, { window, isDescending })),
    );
    this.#pages += 1;
    const isBack = this.#pages > 2 && this.chance.oneIn(5);
    const link = body.links[isBack ? "prev" : "next"];
    const edge = isBack ? body.data[0] : body.data.at(-1);
    if (link === undefined || edge === undefined || this.#pages === LONGEST) return undefined;
    if (isBack) this.#seen.clear();
    else for (const { id } of body.data) this.#seen.add(id);
    this.#path = pathOf(link);
    const side = isBack === isDescending ? "after" : "before";
    const gap = { at: Date.parse(edge.attributes.createdAt), id: edge.id, side } as const;
    this.#start = { from: isBack ? "before" : "after", gap };
    return this.next();
  }
}

const pathOf = (link: string): string => link.slice(new URL(link).origin.length);

function distinct(selections: Selection[]): Selection[] {
  const text = ({ players, teams }: Selection) =>
    JSON.stringify([players, teams].map((sets) => sets.map((ids) => [...ids].sort())));
  return [...new Map(selections.map((one) => [text(one), one])).values()];
}

export class BoardWalk {
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
