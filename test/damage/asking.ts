/** Everything a caller can ask of a small shard, and what may come back when its file is damaged. */

import { createHash } from "node:crypto";
import type { JsonObject } from "../../src/domain/json.ts";
import { PAGE_SIZE } from "../../src/query/parameters.ts";
import type { TestClock } from "../support/keys.ts";
import { aMatch, duel, withAsset } from "../support/records.ts";
import type { Reply, World } from "../support/world.ts";

const START = Date.UTC(2026, 0, 1);
const MODES = ["ranked", "casual", "blitz_pvp_ranked"];
const NAMES = ["Ada", "Bea", "Ada", "Eve 名前", "Ida", "Uma"];
const TEAMS = ["RED", "BLUE"];

const player = (at: number) => ({ id: `player-${at}`, name: NAMES[at]! });

/** A dozen matches of six players and two teams, two of them withheld, and private ones, of which one is served. */
export const RECORDS = [
  ...Array.from({ length: 12 }, (_, at) =>
    aMatch({
      id: `match-${String(at).padStart(2, "0")}`,
      createdAt: START + at * 60_000,
      mode: at % 6 === 5 ? "practice" : MODES[at % 3]!,
      patch: `1.${at % 2}`,
      winner: at % 2 === 0 ? 0 : 1,
      rosters: [
        {
          members: [player(at % 6), player((at + 1) % 6)],
          ...(at % 2 === 0 && { team: { id: `team-${at % 4}`, name: TEAMS[(at % 4) / 2]! } }),
        },
        { members: [player((at + 3) % 6)] },
      ],
    }),
  ),
  aMatch({
    ...{ id: "match-12", createdAt: START + 12 * 60_000, mode: "private", patch: "1.0" },
    ...withAsset,
    rosters: duel(player(0), player(3)),
  }),
  aMatch({
    ...{ id: "match-13", createdAt: START + 13 * 60_000, mode: "private", patch: "1.0" },
    rosters: duel({ id: "new-1" }, { id: "new-2" }),
  }),
];

/** The same of another shard: a shard with the records of another one is not served. */
export const recordsOf = (shard: string): typeof RECORDS =>
  JSON.parse(JSON.stringify(RECORDS).replaceAll('"shardId":"na"', `"shardId":"${shard}"`));

const WINDOW =
  "filter[createdAt-start]=2025-12-01T00:00:00Z&filter[createdAt-end]=2026-02-01T00:00:00Z";

const SELECTIONS = [
  "",
  ...NAMES.flatMap((_, at) => `filter[playerIds]=player-${at}`),
  ...new Set(NAMES.map((name) => `filter[playerNames]=${encodeURIComponent(name)}`)),
  ...TEAMS.map((name) => `filter[teamNames]=${name}`),
  ...MODES.map((mode) => `filter[gameMode]=${mode}`),
  "filter[patchVersion]=1.0",
  "filter[patchVersion]=1.1",
  "filter[playerIds]=player-0,player-3&filter[gameMode]=ranked",
];

/** Lists of matches; each is also asked for backwards and from an offset. */
const LISTS = SELECTIONS.flatMap((selection) =>
  ["sort=createdAt", "sort=-createdAt", "sort=createdAt&page[offset]=3"].map((order) => ({
    selection,
    path: `/matches?${[WINDOW, selection, order].filter(Boolean).join("&")}`,
    isReversed: order === "sort=-createdAt",
    offset: order.includes("offset") ? 3 : 0,
  })),
);

const SINGLES = [
  ...RECORDS.map(({ data }) => `/matches/${data.id}`),
  ...NAMES.map((_, at) => `/players/player-${at}`),
  "/players",
  "/players?filter[playerNames]=Ada,Uma",
  "/players?filter[playerIds]=player-5,player-1",
  "/player-names?filter[near]=Aba",
  "/player-names?filter[near]=ida",
];

/** What is counted from records. A record that an index hides is missing in the counts. */
export const COUNTED = [
  "/heroes",
  "/heroes?filter[gameMode]=ranked&filter[patchVersion]=1.0",
  ...NAMES.map((_, at) => `/players/player-${at}/played-with`),
  "/leaderboards/skill-tier",
  "/leaderboards/win-rate",
  "/leaderboards/win-streak",
  "/leaderboards/ranked-wins",
  "/leaderboards/ranked-wins?filter[period]=28d",
  "/leaderboards/ranked-wins?filter[playerIds]=player-1,player-4",
];

/** These, and `/status`. */
export const QUESTIONS = LISTS.length + SINGLES.length + COUNTED.length + 1;

type Resource = JsonObject & { type: string; id: string };
type Body = { data: Resource | Resource[]; included?: Resource[] };

const keyOf = ({ type, id }: Resource) => `${type}/${id}`;
const listOf = (body: Body): Resource[] => (Array.isArray(body.data) ? body.data : [body.data]);
/** Without the name of the copy, which is the shard of its resources. */
const print = (value: unknown) =>
  createHash("sha1")
    .update(JSON.stringify(value).replaceAll(/copy-\d+/g, "na"))
    .digest("hex");

/** What the undamaged shard returns. */
export interface Truth {
  /** The ids of all matches of each selection, in order. */
  lists: Map<string, string[]>;
  singles: Map<string, Reply>;
  /** The data of each. */
  counted: Map<string, string>;
  /** When the served matches were created, in order. */
  times: number[];
  /** Every resource that is served, by type and id. */
  resources: Map<string, string>;
}

export async function truthOf(world: World, shard: string): Promise<Truth> {
  const lists = new Map<string, string[]>();
  const resources = new Map<string, string>();
  const note = (body: Body) => {
    for (const resource of [...listOf(body), ...(body.included ?? [])]) {
      resources.set(keyOf(resource), print(resource));
    }
  };
  for (const selection of SELECTIONS) {
    const ids: string[] = [];
    const first = `/shards/${shard}/matches?${[WINDOW, selection, "sort=createdAt"].filter(Boolean).join("&")}`;
    for (let next: string | undefined = first; next; ) {
      const { body } = await world.get(next);
      note(body);
      ids.push(...body.data.map(({ id }: Resource) => id));
      next = body.links.next?.slice(world.url.length);
    }
    lists.set(selection, ids);
  }
  const singles = new Map<string, Reply>();
  for (const path of SINGLES) {
    const reply = await world.get(`/shards/${shard}${path}`);
    if (reply.status === 200) note(reply.body);
    singles.set(path, reply);
  }
  // With a damaged index, a search may find others.
  for (const name of NAMES) {
    note((await world.get(`/shards/${shard}/player-names?filter[near]=${name}`)).body);
  }
  const counted = new Map<string, string>();
  for (const path of COUNTED) {
    counted.set(path, print((await world.get(`/shards/${shard}${path}`)).body.data));
  }
  const times = lists
    .get("")!
    .map((id) => Date.parse(singles.get(`/matches/${id}`)!.body.data.attributes.createdAt));
  return { lists, singles, counted, times, resources };
}

type Verdict = "right" | "detected" | "omission" | "wrong";

/** Asks everything of a copy of the shard. Returns the paths by verdict. */
export async function askEverything(
  world: World,
  clock: TestClock,
  truth: Truth,
  shard: string,
): Promise<Record<Verdict, string[]>> {
  const found: Record<Verdict, string[]> = { right: [], detected: [], omission: [], wrong: [] };
  const lists = LISTS.map(async ({ selection, path, isReversed, offset }) => {
    const all = truth.lists.get(selection)!;
    const reply = await world.get(`/shards/${shard}${path}`);
    found[judgeList(truth, reply, isReversed ? all.toReversed() : all, offset)].push(path);
  });
  const singles = SINGLES.map(async (path) => {
    const reply = await world.get(`/shards/${shard}${path}`);
    found[judgeSingle(truth, reply, truth.singles.get(path)!)].push(path);
  });
  const counted = COUNTED.map(async (path) => {
    const reply = await world.get(`/shards/${shard}${path}`);
    found[judgeCounted(reply, truth.counted.get(path)!)].push(path);
  });
  await Promise.all([...lists, ...singles, ...counted]);
  // It is read once a second.
  clock.advance(1001);
  found[judgeStatus(truth, await world.get("/status"), shard)].push("/status");
  return found;
}

/**
 * Judges a list of matches from a damaged copy. What it has must be true and in order; something may be
 * missing. `all` are the ids of the whole selection.
 */
function judgeList(truth: Truth, reply: Reply, all: readonly string[], offset: number): Verdict {
  const verdict = judgeResources(truth, reply);
  if (verdict !== "right") return verdict;
  const ids = listOf(reply.body).map(({ id }) => id);
  if (ids.join() === all.slice(offset, offset + PAGE_SIZE).join()) return "right";
  return isPart(ids, all) ? "omission" : "wrong";
}

/** The same for any other response. */
function judgeSingle(truth: Truth, reply: Reply, expected: Reply): Verdict {
  const verdict = judgeResources(truth, reply);
  if (expected.status === 404) return verdict === "omission" ? "right" : verdict;
  if (verdict !== "right") return verdict;
  const ids = (body: Body) => listOf(body).map(keyOf).join();
  return ids(reply.body) === ids(expected.body) ? "right" : "omission";
}

/** A count that differs lacks a record, or its row is damaged: the check must find either. */
function judgeCounted({ status, body }: Reply, expected: string): Verdict {
  if (status === 503) return "detected";
  if (status === 404) return "omission";
  if (status !== 200) return "wrong";
  return print(body.data) === expected ? "right" : "omission";
}

/** The newest match must be one that is served; the newest one may be missing. */
function judgeStatus({ times }: Truth, { body }: Reply, shard: string): Verdict {
  const state = body.shards.find(({ id }: { id: string }) => id === shard);
  if (state?.available === false) return "detected";
  if (!state?.newestMatch) return "omission";
  const newest = Date.parse(state.newestMatch);
  if (newest === times.at(-1)) return "right";
  return times.includes(newest) ? "omission" : "wrong";
}

/** Whether every resource is as it should be. */
function judgeResources(truth: Truth, { status, body }: Reply): Verdict {
  if (status === 503) return "detected";
  if (status === 404) return "omission";
  if (status !== 200) return "wrong";
  const found = listOf(body);
  const included: Resource[] = body.included ?? [];
  const isTrue = [...found, ...included].every(
    (resource) => truth.resources.get(keyOf(resource)) === print(resource),
  );
  return isTrue && isLinked(found, included) ? "right" : "wrong";
}

/** Whether every resource that the matches refer to is included. */
function isLinked(found: readonly Resource[], included: readonly Resource[]): boolean {
  if (found[0]?.type !== "match") return true;
  const there = new Set(included.map(keyOf));
  const linked = [...found, ...included].flatMap(({ relationships = {} }) =>
    Object.values(relationships as Record<string, { data: Resource | Resource[] }>).flatMap(
      ({ data }) => data ?? [],
    ),
  );
  return linked.every((reference) => there.has(keyOf(reference)));
}

/** Whether the ids are some of the others, in their order. */
function isPart(ids: readonly string[], all: readonly string[]): boolean {
  let from = 0;
  return ids.every((id) => {
    const at = all.indexOf(id, from);
    from = at + 1;
    return at >= 0;
  });
}
