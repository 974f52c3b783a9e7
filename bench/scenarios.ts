/**
 * The scenarios: their requests. Each has so many different URLs that none is requested again while its result would
 * still be in the cache (`response-cache-mib`), except for the hot page and on small shards.
 */

import { SHARD } from "./data.ts";
import { type Address, type Fetch, followLinks, inGroups } from "./requests.ts";
import { FULL_PAGE, type Targets } from "./targets.ts";

export interface Scenario {
  name: string;
  status: 200 | 304;
  /** The conventional server cannot do it. */
  isOurs: boolean;
  /** `from` fetches what only the server knows: links and entity tags. */
  addresses(targets: Targets, from: Fetch): Address[] | Promise<Address[]>;
}

const MANY = 30_000;
const TAGS = 1000;
const WALKS = 100;
const STEPS = 20;
const DEEP = 5000;

const GZIP = { "Accept-Encoding": "gzip" };
const MATCHES = `/shards/${SHARD}/matches`;
const PLAYERS = `/shards/${SHARD}/players`;
const NAMES = `/shards/${SHARD}/player-names`;
const HEROES = `/shards/${SHARD}/heroes`;
const BOARDS = `/shards/${SHARD}/leaderboards`;
const SPARSE = {
  "fields[match]": "gameMode,createdAt,rosters",
  "fields[roster]": "won,participants",
  "fields[participant]": "actor,player",
  "fields[player]": "name",
};
const HERO_ORDERS = ["matches", "wins", "winRate", "pickRate", "hero"].flatMap((name) => [
  name,
  `-${name}`,
]);

const gzipped = (path: string): Address => ({ path, headers: GZIP });

const withQuery = (path: string, parameters: Record<string, string | number>): Address =>
  gzipped(
    `${path}?${Object.entries(parameters)
      .map((pair) => pair.map(encodeURIComponent).join("="))
      .join("&")}`,
  );

const many = <T>(make: () => T): T[] => Array.from({ length: MANY }, make);

const startAt = (time: number) => ({ "filter[createdAt-start]": new Date(time).toISOString() });

/** Pages of the whole list, each with a different start time. */
const pages = (targets: Targets, more: Record<string, string> = {}): Address[] =>
  many(() => withQuery(MATCHES, { ...startAt(targets.time()), ...more }));

/** Names with commas would be split. */
const listed = (names: string[]): string =>
  names.map((name) => name.replace(/[\\,]/g, "\\$&")).join(",");

const six = (targets: Targets, players: { id: string; name: string }[], of: "id" | "name") =>
  listed(Array.from({ length: 6 }, () => targets.one(players)[of]));

/** The first letters of a name. */
const beginning = (targets: Targets, name: string): string[] =>
  [...name].slice(0, targets.integer(4, 12));

/** The same with one letter after the second that is wrong. */
function mistyped(targets: Targets, name: string): string {
  const letters = beginning(targets, name);
  letters[targets.integer(2, Math.max(2, letters.length - 1))] = targets.one([
    ..."abcdefghijklmnopqrstuvwxyz",
  ]);
  return letters.join("");
}

/** Searches for names, with what `typed` makes of them. */
function searches(targets: Targets, typed: (name: string) => string): Address[] {
  const players = targets.players(MANY);
  return many(() => withQuery(NAMES, { "filter[near]": typed(targets.one(players).name) }));
}

/** Pages that links.next leads to, of lists with and without filters. */
function linkedPages(targets: Targets, from: Fetch): Promise<Address[]> {
  const modes = targets.modes();
  const newest = targets
    .activePlayers(WALKS / 4)
    .map(({ id }) => withQuery(MATCHES, { "filter[playerIds]": id, sort: "-createdAt" }));
  const others = Array.from({ length: WALKS - newest.length }, (_, at) => {
    const filter = at % 3 === 0 ? { "filter[gameMode]": targets.one(modes) } : {};
    return withQuery(MATCHES, { ...filter, ...startAt(targets.time()) });
  });
  const starts = [...newest, ...others];
  return inGroups(starts, (start) => followLinks(from, start, STEPS)).then((all) => all.flat());
}

/** The first pages of the leaderboards of ranked wins and win rates, of all time and of 28 days, in several sizes. */
async function boardPages(targets: Targets, from: Fetch): Promise<Address[]> {
  const boards = ["ranked-wins", "win-rate"].flatMap((board) =>
    ["all", "28d"].map((period) => ({ path: `${BOARDS}/${board}`, period })),
  );
  const found = await inGroups(boards, async ({ path, period }) => {
    const start = withQuery(path, { "filter[period]": period });
    return (await followLinks(from, start, STEPS)).map((next) => {
      const after = new URL(next.path, "http://localhost").searchParams.get("page[after]")!;
      return { path, query: { "filter[period]": period, "page[after]": after } };
    });
  });
  const cursors = found.flat();
  return many(() => {
    const { path, query } = targets.one(cursors);
    return withQuery(path, { ...query, "page[limit]": targets.integer(20, 100) });
  });
}

function scenario(
  name: string,
  addresses: Scenario["addresses"],
  more: Partial<Scenario> = {},
): Scenario {
  return { name, status: 200, isOurs: false, ...more, addresses };
}

const OURS = { isOurs: true };

export const SCENARIOS: readonly Scenario[] = [
  scenario("match by id", (targets) =>
    targets.matchIds(MANY).map((id) => gzipped(`${MATCHES}/${id}`)),
  ),
  scenario("matches page", (targets) => pages(targets)),
  scenario("by one player", (targets) => {
    const players = targets.activePlayers(MANY);
    return many(() => {
      const { id } = targets.one(players);
      return withQuery(MATCHES, { "filter[playerIds]": id, ...startAt(targets.windowStart()) });
    });
  }),
  scenario("by six players", (targets) => {
    const players = targets.activePlayers(MANY);
    return many(() => withQuery(MATCHES, { "filter[playerIds]": six(targets, players, "id") }));
  }),
  scenario("by team", (targets) => {
    const teams = targets.activeTeams(MANY);
    return many(() => {
      const name = listed([targets.one(teams).name]);
      return withQuery(MATCHES, { "filter[teamNames]": name, ...startAt(targets.windowStart()) });
    });
  }),
  scenario("by mode", (targets) => {
    const modes = targets.modes();
    return many(() =>
      withQuery(MATCHES, { "filter[gameMode]": targets.one(modes), ...startAt(targets.time()) }),
    );
  }),
  scenario("by mode and patch", (targets) => {
    const modes = targets.modes();
    return many(() => {
      const [mode, time] = [targets.one(modes), targets.time()];
      const patch = { "filter[patchVersion]": targets.patchAt(mode, time) };
      return withQuery(MATCHES, { "filter[gameMode]": mode, ...patch, ...startAt(time) });
    });
  }),
  scenario("latest of a player", (targets) => {
    const players = targets.activePlayers(MANY);
    return many(() => {
      const order = { sort: "-createdAt", ...startAt(targets.windowStart()) };
      return withQuery(MATCHES, { "filter[playerIds]": targets.one(players).id, ...order });
    });
  }),
  // The same request again and again, which the cache of results is for.
  scenario("hot page", () => [withQuery(MATCHES, { sort: "-createdAt" })]),
  scenario("deep page", (targets) => {
    const offset = targets.offset(DEEP);
    const latest = targets.timeBefore(offset + FULL_PAGE);
    return many(() =>
      withQuery(MATCHES, { ...startAt(targets.time(latest)), "page[offset]": offset }),
    );
  }),
  scenario("following links.next", linkedPages),
  scenario("player by id", (targets) =>
    targets.players(MANY).map(({ id }) => gzipped(`${PLAYERS}/${id}`)),
  ),
  scenario("players by six names", (targets) => {
    const players = targets.players(MANY);
    return many(() => withQuery(PLAYERS, { "filter[playerNames]": six(targets, players, "name") }));
  }),
  scenario(
    "not modified",
    async (targets, from) => {
      const plain = targets.matchIds(TAGS).map((id) => gzipped(`${MATCHES}/${id}`));
      const replies = await inGroups(plain, from);
      return plain.map(({ path, headers }, at) => {
        const tag = replies[at]!.headers.get("etag") ?? "";
        return { path, headers: { ...headers, "If-None-Match": tag } };
      });
    },
    { status: 304 },
  ),
  scenario("uncompressed", (targets) => pages(targets).map(({ path }) => ({ path, headers: {} }))),
  scenario("sparse fields", (targets) => pages(targets, SPARSE)),
  scenario(
    "included paths",
    (targets) => pages(targets, { include: "rosters.participants" }),
    OURS,
  ),
  scenario(
    "name search",
    (targets) => searches(targets, (name) => beginning(targets, name).join("")),
    OURS,
  ),
  scenario(
    "mistyped name",
    (targets) => searches(targets, (name) => mistyped(targets, name)),
    OURS,
  ),
  scenario(
    "hero statistics",
    (targets) => {
      const [modes, patches] = [targets.modes(), targets.patches()];
      return many(() =>
        withQuery(HEROES, {
          "filter[gameMode]": listed(targets.someOf(modes)),
          "filter[patchVersion]": listed(targets.someOf(patches)),
          sort: targets.one(HERO_ORDERS),
        }),
      );
    },
    OURS,
  ),
  scenario("leaderboard page", boardPages, OURS),
  scenario(
    "rank of a player",
    (targets) => {
      const players = targets.activePlayers(MANY);
      return many(() => {
        const period = { "filter[period]": targets.one(["all", "28d"]) };
        const player = { "filter[playerIds]": targets.one(players).id };
        return withQuery(`${BOARDS}/ranked-wins`, { ...player, ...period });
      });
    },
    OURS,
  ),
  scenario(
    "played with",
    (targets) => {
      const players = targets.activePlayers(MANY);
      return many(() => {
        const path = `${PLAYERS}/${targets.one(players).id}/played-with`;
        return withQuery(path, { "page[limit]": targets.integer(20, 50) });
      });
    },
    OURS,
  ),
];
