/** Chooses requests of every kind, from what the model has at the moment. */

import { parametersOf, query } from "../properties/asking.ts";
import { NAMES } from "../properties/histories.ts";
import type { Chance } from "../support/chance.ts";
import type { ChangeLog } from "./change-log.ts";
import { FEATURES } from "./features.ts";
import { AT, DAY_MS, type ListOf, MODES, pageExpected, pagePath, windowIn } from "./pages.ts";
import { NOT_FOUND, type Question } from "./question.ts";
import { type Filters, projected, type Thing } from "./record.ts";
import type { State } from "./state.ts";
import { MatchWalk } from "./walks.ts";

const PATHS = ["rosters", "rosters.participants", "rosters.participants.player", "rosters.team"];
const TYPES = ["match", "roster", "participant", "player", "team"];
const FIELDS = [
  ...["name", "stats", "createdAt", "gameMode", "rosters", "participants", "player", "actor"],
  ...["won", "extra", "none"],
];
const START = { from: "offset", offset: 0 } as const;

/** Some responses that do not depend on the records: the fuzzing has all of them. */
const WRONG: { path: string; status: number; code: string; headers?: Question["headers"] }[] = [
  { path: `${AT}/matches?page[limit]=6`, status: 400, code: "invalid-parameter" },
  { path: `${AT}/players/a%20b`, status: 404, code: "not-found" },
  { path: "/shards/nowhere/matches", status: 404, code: "unknown-shard" },
  { path: `${AT}/matches`, status: 406, code: "not-acceptable", headers: { Accept: "text/html" } },
  { path: `${AT}/matches`, status: 401, code: "unauthorized", headers: { Authorization: null } },
];

type Make = (state: State) => Question | undefined;

export class Questions {
  readonly #kinds: { weight: number; make: Make }[];

  constructor(
    readonly chance: Chance,
    readonly log: ChangeLog,
    /** The setting leaderboard-depth. */
    readonly depth: number,
    /** PostgreSQL reads the log, and then the matches that it names, which may be more recent. */
    readonly readsLogFirst: boolean,
    /** The clock of the server. */
    readonly now = Date.now,
  ) {
    this.#kinds = [
      { weight: 16, make: (state) => this.#match(state) },
      { weight: 3, make: (state) => this.#missing(state) },
      { weight: 18, make: (state) => this.#page(state) },
      { weight: 4, make: (state) => this.#shaped(state) },
      { weight: 3, make: (state) => this.#defaultWindow(state) },
      { weight: 4, make: (state) => new MatchWalk(this.chance, this.#list(state)).next() },
      { weight: 12, make: (state) => this.#player(state) },
      { weight: 6, make: (state) => this.#players(state) },
      { weight: 3, make: () => this.#wrong() },
      ...FEATURES.flatMap(({ kinds }) =>
        kinds.map(([weight, make]) => ({ weight, make: (state: State) => make(this, state) })),
      ),
    ];
  }

  next(state: State): Question {
    for (;;) {
      const question = this.chance.weigh(this.#kinds).make(state);
      if (question) return question;
    }
  }

  /** One of each kind that features have. */
  ofFeatures(state: State): Question[] {
    return FEATURES.flatMap(({ kinds }) => kinds.map(([, make]) => make(this, state)));
  }

  /** Some are asked for much more often than others. */
  readonly often = <T>(list: readonly T[]): T | undefined => {
    const last = list.length;
    return list[
      this.chance.oneIn(3)
        ? this.chance.below(last)
        : last - 1 - this.chance.below(Math.min(40, last))
    ];
  };

  #match(state: State): Question | undefined {
    const entry = this.often(state.visible);
    return entry && Questions.single(entry.id, "match by id");
  }

  static single(id: string, kind: string): Question {
    return {
      kind,
      path: `${AT}/matches/${id}`,
      expect(state) {
        if (!state.match(id)) return NOT_FOUND;
        const { data, included } = state.document([id]);
        return { status: 200, data: data[0], included };
      },
    };
  }

  /** Withheld, pruned and unknown matches get the same response. */
  #missing(state: State): Question | undefined {
    const withheld = this.often(state.withheld);
    const pruned = this.often(state.contents.pruned);
    const [kind, id] = this.chance.pick([
      ["withheld match", withheld?.id],
      ["pruned match", pruned?.entry.id],
      ["unknown match", "nobody-knows"],
    ] as const);
    return id === undefined ? undefined : Questions.single(id, kind);
  }

  #filters(state: State): Filters {
    const { chance } = this;
    const ids = state.playerIds;
    const names = () =>
      chance.oneIn(2) ? chance.pick(NAMES) : state.nameOf(this.often(ids) ?? ids[0]!);
    const tags = state.once("tags", () => [...state.named("teams").keys()]);
    return {
      ...(chance.oneIn(4) ? { playerIds: this.some(() => this.often(ids) ?? "none") } : {}),
      ...(chance.oneIn(4) ? { playerNames: this.some(names) } : {}),
      ...(chance.oneIn(8) && tags.length > 0
        ? { teamNames: this.some(() => chance.pick(tags)) }
        : {}),
      ...(chance.oneIn(4) ? { gameModes: this.some(() => chance.pick(MODES)) } : {}),
      ...(chance.oneIn(6)
        ? { patchVersions: this.some(() => chance.pick(state.visible)?.patch ?? "0") }
        : {}),
    };
  }

  readonly some = (make: () => string): string[] => [
    ...new Set(Array.from({ length: this.chance.between(1, 3) }, make)),
  ];

  /** A window around a few hours or the whole month. Its ends are round, so that others ask for the same. */
  #list(state: State): ListOf {
    const { chance } = this;
    const newest = state.visible.at(-1)?.at ?? 0;
    const midnight = Math.ceil(newest / DAY_MS) * DAY_MS - chance.pick([0, 0, 1, 3]) * DAY_MS;
    // A window that ends in the future would end now.
    const end = Math.min(midnight, Math.floor(this.now() / 3_600_000) * 3_600_000);
    const window = { start: end - chance.pick([1, 7, 40]) * DAY_MS, end };
    return {
      filters: this.#filters(state),
      window,
      isDescending: chance.oneIn(2),
      limit: chance.between(1, 5),
    };
  }

  #page(state: State): Question {
    const offset = this.chance.pick([0, 0, 0, 1, 3, 10, 40]);
    return Questions.page(this.#list(state), offset);
  }

  static page(list: ListOf, offset: number): Question {
    const { filters, window, limit } = list;
    return {
      kind: `page, ${Object.keys(filters).length === 0 ? "no filter" : "filters"}`,
      path: pagePath(list, { "page[offset]": `${offset}` }),
      list,
      expect(current) {
        const page = current.page(
          current.resolve(filters, list),
          { from: "offset", offset },
          limit,
        );
        return pageExpected(current, page, window);
      },
    };
  }

  /** Chosen paths and fields, of a match alone or of a page: those of every record, and those of this one. */
  #shaped(state: State): Question | undefined {
    const { chance } = this;
    const entry = this.often(state.visible);
    if (!entry) return undefined;
    const own = Object.keys(entry.match.relationships as Thing).filter((one) => one !== "rosters");
    const include = [...PATHS, ...own].filter(() => chance.oneIn(3));
    const fields = Object.fromEntries(
      TYPES.filter(() => chance.oneIn(3)).map((type) => [
        type,
        FIELDS.filter(() => chance.oneIn(3)),
      ]),
    );
    const isWhole = chance.oneIn(4);
    const shape = {
      ...(isWhole ? {} : { include: include.join(",") }),
      ...Object.fromEntries(
        Object.entries(fields).map(([type, names]) => [`fields[${type}]`, names.join(",")]),
      ),
    };
    const page = this.#list(state);
    const isPage = chance.oneIn(3);
    const path = `${AT}/matches/${entry.id}?${query(shape)}`;
    return {
      kind: "include and fields",
      path: isPage ? pagePath(page, shape) : path,
      expect(current) {
        if (!isPage && !current.match(entry.id)) return NOT_FOUND;
        const { window, limit } = page;
        const found = current.page(current.resolve(page.filters, page), START, limit);
        const whole = current.document(isPage ? found.ids : [entry.id]);
        const { data, included } = projected(whole, isWhole ? undefined : include, fields);
        if (!isPage) return { status: 200, data: data[0], included };
        return { ...pageExpected(current, found, window), data, included };
      },
    };
  }

  #defaultWindow(state: State): Question {
    return Questions.recent(this.#list(state), this.now);
  }

  /** The last 28 days: the response states which they are. */
  static recent(list: Omit<ListOf, "window">, now: () => number): Question {
    const { filters, isDescending, limit } = list;
    const page = { sort: `${isDescending ? "-" : ""}createdAt`, "page[limit]": `${limit}` };
    return {
      kind: "page, default window",
      path: `${AT}/matches?${query({ ...parametersOf(filters), ...page })}`,
      isTimed: true,
      expect(current, body) {
        const window = windowIn(body, now());
        if (!window) return { status: 200, check: () => "the window is not the last 28 days" };
        const selection = current.resolve(filters, { window, isDescending });
        return pageExpected(current, current.page(selection, START, limit), window);
      },
    };
  }

  #player(state: State): Question {
    const id = this.chance.oneIn(20) ? "nobody" : (this.often(state.playerIds) ?? "nobody");
    return Questions.player(id);
  }

  static player(id: string): Question {
    return {
      kind: id === "nobody" ? "unknown player" : "player by id",
      path: `${AT}/players/${id}`,
      expect(current) {
        const data = current.player(id);
        return data ? { status: 200, data } : NOT_FOUND;
      },
    };
  }

  #players(state: State): Question {
    const { playerIds, playerNames } = this.#filters(state);
    return Questions.players({
      ...(playerIds ? { playerIds } : {}),
      ...(playerNames ? { playerNames } : {}),
    });
  }

  static players(filters: Pick<Filters, "playerIds" | "playerNames">): Question {
    const { playerIds, playerNames } = filters;
    return {
      kind: playerNames ? "players by names" : playerIds ? "players by ids" : "recent players",
      path: `${AT}/players?${query(parametersOf(filters))}`,
      expect: (current) => ({
        status: 200,
        data: current.players(filters),
        meta: current.omitted(filters),
      }),
    };
  }

  #wrong(): Question {
    const { path, status, code, headers } = this.chance.pick(WRONG);
    return {
      kind: `wrong: ${status} ${code}`,
      path,
      ...(headers ? { headers } : {}),
      expect: () => ({ status, code }),
    };
  }
}
