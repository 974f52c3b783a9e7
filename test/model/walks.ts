/** Walks along links.next and links.prev, while records change: a walk repeats nothing and misses nothing. */

import type { Chance } from "../support/chance.ts";
import { type ListOf, pageExpected, pagePath } from "./pages.ts";
import type { Body, Question } from "./question.ts";
import type { Selection, Start, State } from "./state.ts";

/** A walk ends after so many pages. */
export const LONGEST = 8;

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

export const pathOf = (link: string): string => link.slice(new URL(link).origin.length);

function distinct(selections: Selection[]): Selection[] {
  const text = ({ players, teams }: Selection) =>
    JSON.stringify([players, teams].map((sets) => sets.map((ids) => [...ids].sort())));
  return [...new Map(selections.map((one) => [text(one), one])).values()];
}
