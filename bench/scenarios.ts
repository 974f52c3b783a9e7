/** The scenarios: their requests and URLs. */

import { type Ask, askAll, walk } from "./asking.ts";
import { SHARD } from "./places.ts";
import { FULL_PAGE, type Targets } from "./targets.ts";
import type { Address } from "./wrk.ts";

export interface Scenario {
  name: string;
  /** For the report. */
  about: string;
  status: 200 | 304;
  /** The conventional server cannot do it. */
  isOurs?: true;
  /** `ask` fetches what only the server knows: links and entity tags. */
  addresses(targets: Targets, ask: Ask): Address[] | Promise<Address[]>;
}

const MANY = 5000;
const PAGES = 2000;
const TAGS = 1000;
const WALKS = 40;
const STEPS = 25;
const BOARD_PAGES = 4;

const GZIP = { "Accept-Encoding": "gzip" };
const MATCHES = `/shards/${SHARD}/matches`;
const PLAYERS = `/shards/${SHARD}/players`;
const ACTORS = `/shards/${SHARD}/heroes`;
const BOARDS = `/shards/${SHARD}/leaderboards`;
const SPARSE = {
  "fields[match]": "gameMode,createdAt,rosters",
  "fields[roster]": "won,participants",
  "fields[participant]": "actor,player",
  "fields[player]": "name",
};

const gzipped = (path: string): Address => ({ path, headers: GZIP });

const withQuery = (path: string, parameters: Record<string, string | number>): Address =>
  gzipped(
    `${path}?${Object.entries(parameters)
      .map((pair) => pair.map(encodeURIComponent).join("="))
      .join("&")}`,
  );

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

const startAt = (time: number) => ({ "filter[createdAt-start]": new Date(time).toISOString() });

/** Pages of the whole list, each with a different start time. */
const pages = (targets: Targets, more: Record<string, string | number> = {}): Address[] =>
  times(PAGES, () => withQuery(MATCHES, { ...startAt(targets.time()), ...more }));

/** Names with commas would be split. */
const listed = (names: string[]): string =>
  names.map((name) => name.replace(/[\\,]/g, "\\$&")).join(",");

const groupsOfSix = <T>(targets: Targets, things: readonly T[]): T[][] =>
  times(PAGES, () => times(6, () => targets.one(things)));

function walkStarts(targets: Targets): Address[] {
  const players = targets.activePlayers(WALKS / 4);
  const modes = targets.modes();
  return [
    ...times(WALKS / 2, () => withQuery(MATCHES, startAt(targets.time()))),
    ...times(WALKS / 4, () =>
      withQuery(MATCHES, { "filter[gameMode]": targets.one(modes), ...startAt(targets.time()) }),
    ),
    ...players.map((id) => withQuery(MATCHES, { "filter[playerIds]": id, sort: "-createdAt" })),
  ];
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "match by id",
    about: "one match with all related resources",
    status: 200,
    addresses: (targets) => targets.matchIds(MANY).map((id) => gzipped(`${MATCHES}/${id}`)),
  },
  {
    name: "matches page",
    about: "five matches with a start time and no other filter",
    status: 200,
    addresses: (targets) => pages(targets),
  },
  {
    name: "by one player",
    about: "the first five matches of one player in 28 days",
    status: 200,
    addresses: (targets) =>
      targets.activePlayers(MANY).map((id) => withQuery(MATCHES, { "filter[playerIds]": id })),
  },
  {
    name: "by six players",
    about: "the first five matches of any of six players",
    status: 200,
    addresses: (targets) =>
      groupsOfSix(targets, targets.activePlayers(MANY)).map((ids) =>
        withQuery(MATCHES, { "filter[playerIds]": listed(ids) }),
      ),
  },
  {
    name: "by team",
    about: "the first five matches of a team, by its tag",
    status: 200,
    addresses: (targets) =>
      targets
        .activeTeamNames(MANY)
        .map((name) => withQuery(MATCHES, { "filter[teamNames]": listed([name]) })),
  },
  {
    name: "by mode",
    about: "five matches of one game mode after a start time",
    status: 200,
    addresses(targets) {
      const modes = targets.modes();
      return times(PAGES, () =>
        withQuery(MATCHES, { "filter[gameMode]": targets.one(modes), ...startAt(targets.time()) }),
      );
    },
  },
  {
    name: "by mode and patch",
    about: "five matches of one game mode and patch after a start time",
    status: 200,
    addresses(targets) {
      const modes = targets.modes();
      return times(PAGES, () => {
        const mode = targets.one(modes);
        const time = targets.time();
        const patch = targets.patchAt(mode, time) ?? "none";
        const filters = { "filter[gameMode]": mode, "filter[patchVersion]": patch };
        return withQuery(MATCHES, { ...filters, ...startAt(time) });
      });
    },
  },
  {
    name: "latest of a player",
    about: "the newest five matches of one player",
    status: 200,
    addresses: (targets) =>
      targets
        .activePlayers(MANY)
        .map((id) => withQuery(MATCHES, { "filter[playerIds]": id, sort: "-createdAt" })),
  },
  {
    name: "hot page",
    about: "the newest five matches of the shard, the same request again and again",
    status: 200,
    addresses: () => [withQuery(MATCHES, { sort: "-createdAt" })],
  },
  {
    name: "deep page",
    about: "five matches at page[offset]=5000",
    status: 200,
    addresses(targets) {
      const offset = targets.offset(5000);
      const starts = times(PAGES, () => startAt(targets.time(offset + FULL_PAGE)));
      return starts.map((start) => withQuery(MATCHES, { ...start, "page[offset]": offset }));
    },
  },
  {
    name: "following links.next",
    about: "pages reached by links.next, of lists with and without filters",
    status: 200,
    async addresses(targets, ask) {
      const walks = [];
      for (const start of walkStarts(targets)) walks.push(await walk(ask, start, STEPS));
      return walks.flat();
    },
  },
  {
    name: "player by id",
    about: "one player",
    status: 200,
    addresses: (targets) => targets.players(MANY).map(({ id }) => gzipped(`${PLAYERS}/${id}`)),
  },
  {
    name: "players by six names",
    about: "six players by their names",
    status: 200,
    addresses: (targets) =>
      groupsOfSix(targets, targets.players(MANY)).map((six) =>
        withQuery(PLAYERS, { "filter[playerNames]": listed(six.map(({ name }) => name)) }),
      ),
  },
  {
    name: "not modified",
    about: "one match by id with a current entity tag: 304",
    status: 304,
    async addresses(targets, ask) {
      const plain = targets.matchIds(TAGS).map((id) => gzipped(`${MATCHES}/${id}`));
      const replies = await askAll(ask, plain);
      return plain.map(({ path, headers }, at) => ({
        path,
        headers: { ...headers, "If-None-Match": replies[at]!.headers.get("etag") ?? "" },
      }));
    },
  },
  {
    name: "uncompressed",
    about: "the matches page without gzip",
    status: 200,
    addresses: (targets) => pages(targets).map(({ path }) => ({ path, headers: {} })),
  },
  {
    name: "sparse fields",
    about: "the matches page with a few fields of each resource",
    status: 200,
    addresses: (targets) => pages(targets, SPARSE),
  },
  {
    name: "included paths",
    about: "the matches page with include=rosters.participants",
    status: 200,
    isOurs: true,
    addresses: (targets) => pages(targets, { include: "rosters.participants" }),
  },
  {
    name: "hero statistics",
    about: "the statistics of all actors, of all modes and patches or of one mode",
    status: 200,
    isOurs: true,
    addresses: (targets) => [
      gzipped(ACTORS),
      ...targets.modes().map((mode) => withQuery(ACTORS, { "filter[gameMode]": mode })),
    ],
  },
  {
    name: "leaderboard page",
    about:
      "the first pages of the leaderboards of ranked wins and win rates, of all time and of 28 days",
    status: 200,
    isOurs: true,
    async addresses(_targets, ask) {
      const boards = ["ranked-wins", "win-rate"].flatMap((board) => [
        gzipped(`${BOARDS}/${board}`),
        withQuery(`${BOARDS}/${board}`, { "filter[period]": "28d" }),
      ]);
      const more = await Promise.all(boards.map((board) => walk(ask, board, BOARD_PAGES)));
      return [...boards, ...more.flat()];
    },
  },
  {
    name: "rank of a player",
    about: "the place of one player on the leaderboard of ranked wins",
    status: 200,
    isOurs: true,
    addresses: (targets) =>
      targets
        .activePlayers(MANY)
        .map((id) => withQuery(`${BOARDS}/ranked-wins`, { "filter[playerIds]": id })),
  },
  {
    name: "company of a player",
    about: "with and against whom one player played",
    status: 200,
    isOurs: true,
    addresses: (targets) =>
      targets.activePlayers(PAGES).map((id) => gzipped(`${PLAYERS}/${id}/played-with`)),
  },
];
