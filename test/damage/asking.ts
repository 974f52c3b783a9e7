/** Everything a caller can ask of a small shard, and what may come back when it is damaged. */

import { FEATURES as COUNTED } from "../model/features.ts";
import { AT, written } from "../model/pages.ts";
import { type Body, difference, expectedOf, type Question } from "../model/question.ts";
import { Questions } from "../model/questions.ts";
import { type Filters, key, linksOf, type Thing } from "../model/record.ts";
import { State } from "../model/state.ts";
import type { TestClock } from "../support/keys.ts";
import { aMatch, duel, type MatchDocument, onShard, withAsset } from "../support/records.ts";
import type { Reply, World } from "../support/world.ts";
import { FEATURES } from "./features.ts";

const START = Date.UTC(2026, 0, 1);
const MODES = ["ranked", "casual", "blitz_pvp_ranked"];
const NAMES = ["Ada", "Bea", "Ada", "Eve 名前", "Ida", "Uma"];
const TEAMS = ["RED", "BLUE"];

const player = (at: number) => ({ id: `player-${at}`, name: NAMES[at]! });
const IDS = NAMES.map((_, at) => `player-${at}`);

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

export const recordsOf = (shard: string): MatchDocument[] => onShard(shard, RECORDS);

const SELECTIONS: Filters[] = [
  {},
  ...IDS.map((id) => ({ playerIds: [id] })),
  ...[...new Set(NAMES)].map((name) => ({ playerNames: [name] })),
  ...TEAMS.map((name) => ({ teamNames: [name] })),
  ...MODES.map((mode) => ({ gameModes: [mode] })),
  ...["1.0", "1.1"].map((patch) => ({ patchVersions: [patch] })),
  { playerIds: ["player-0", "player-3"], gameModes: ["ranked"] },
];
const WINDOW = { start: START - 30 * 86_400_000, end: START + 18 * 86_400_000 };

export interface Asked {
  /** Lists, each also backwards and from an offset, and single records. */
  records: Question[];
  /** What is counted from records. A record that an index hides is missing in the counts. */
  counted: Question[];
  /** Searches for names, with the ids that they find. */
  searches: Map<string, string[]>;
}

/** The requests to an undamaged shard na. */
export async function questionsFor(world: World, clock: TestClock): Promise<Asked> {
  const depth = world.settings["leaderboard-depth"];
  const lists = SELECTIONS.flatMap((filters) => {
    const list = { filters, window: WINDOW, isDescending: false, limit: 5 };
    return [
      ...[Questions.page(list, 0), Questions.page(list, 3)],
      Questions.page({ ...list, isDescending: true }, 0),
    ];
  });
  const searches = FEATURES.flatMap((one) => one.searches ?? []);
  const idsAt = async (path: string) =>
    (await world.get(path)).body.data.map(({ id }: Thing) => id as string);
  return {
    records: [
      ...lists,
      ...RECORDS.map(({ data }) => Questions.single(String(data.id), "match")),
      ...IDS.map((id) => Questions.player(id)),
      ...[{}, { playerNames: ["Ada", "Uma"] }, { playerIds: ["player-5", "player-1"] }].map(
        (filters) => Questions.players(filters),
      ),
    ],
    counted: COUNTED.flatMap(({ every }) => every?.({ ids: IDS, now: clock.now, depth }) ?? []),
    searches: new Map(
      await Promise.all(
        searches.map(async (path): Promise<[string, string[]]> => [path, await idsAt(path)]),
      ),
    ),
  };
}

/** With `/status`. */
export const countOf = ({ records, counted, searches }: Asked): number =>
  records.length + counted.length + searches.size + 1;

const AT_ONCE = 8;

type Verdict = "right" | "detected" | "omission" | "wrong";

/** Asks everything of a copy of the shard. Returns the paths by verdict. */
export async function askEverything(
  world: World,
  clock: TestClock,
  asked: Asked,
  shard: string,
): Promise<Record<Verdict, string[]>> {
  const found: Record<Verdict, string[]> = { right: [], detected: [], omission: [], wrong: [] };
  const state = State.of(recordsOf(shard) as Thing[]);
  const truth = truthOf(state, shard);
  type Ask = [path: string, judge: (reply: Reply) => Verdict];
  const ask = async ([path, judge]: Ask) => {
    const reply = await world.get(path.replace(AT, `/shards/${shard}`));
    found[reply.status === 503 ? "detected" : judge(reply)].push(path);
  };
  const all = [
    ...asked.records.map((one): Ask => [one.path, (reply) => judge(one, state, reply, truth)]),
    ...asked.counted.map((one): Ask => [one.path, (reply) => judge(one, state, reply)]),
    ...[...asked.searches].map(([path, ids]): Ask => {
      const judge = ({ status, body }: Reply): Verdict => {
        if (status !== 200 || !isTrue(body, truth)) return "wrong";
        return Bun.deepEquals(idsOf(body), ids) ? "right" : "omission";
      };
      return [path, judge];
    }),
  ];
  // The server is in this process, and gives up connections on which nothing happens while replies are judged.
  for (let at = 0; at < all.length; at += AT_ONCE) {
    await Promise.all(all.slice(at, at + AT_ONCE).map(ask));
  }
  // It is read once a second.
  clock.advance(1001);
  await ask(["/status", ({ body }) => judgeStatus(state, body, shard)]);
  return found;
}

/**
 * What differs from the model may be missing. Of records, what is there must be true, and in order; a count that differs
 * lacks a record, or its row is damaged: the check must find either.
 */
function judge(
  question: Question,
  state: State,
  { status, body }: Reply,
  truth?: ReadonlyMap<string, Thing>,
): Verdict {
  const [expected] = expectedOf(question, state, body);
  if (difference(expected!, status, body) === undefined) return "right";
  if (status === 404) return "omission";
  if (status !== 200) return "wrong";
  if (!truth) return "omission";
  const isRight = isTrue(body, truth) && isLinked(body) && isInOrder(question, state, body);
  return isRight ? "omission" : "wrong";
}

/** Every resource that is served, by type and id. */
function truthOf(state: State, shard: string): Map<string, Thing> {
  const { data, included } = state.document(state.servedIds);
  const names = state.playerIds.map((id) => {
    const lastMatchAt = written(state.matchesOf(id).at(-1)!.at);
    const attributes = { name: state.nameOf(id), shardId: shard, lastMatchAt };
    return { type: "player-name", id, attributes };
  });
  return new Map([...data, ...included, ...names].map((one) => [key(one), one]));
}

const primary = ({ data }: Body): Thing[] => [data].flat();
const idsOf = (body: Body): string[] => primary(body).map(({ id }) => id as string);
const resourcesIn = (body: Body): Thing[] => [...primary(body), ...(body.included ?? [])];

const isTrue = (body: Body, truth: ReadonlyMap<string, Thing>): boolean =>
  resourcesIn(body).every((one) => Bun.deepEquals(truth.get(key(one)), one));

/** Whether every resource that matches refer to is included. */
function isLinked(body: Body): boolean {
  if (body.included === undefined) return true;
  const there = new Set(resourcesIn(body).map(key));
  return resourcesIn(body).every((one) => linksOf(one).every((link) => there.has(key(link))));
}

/** Whether the matches of a list are some of those of the whole selection, in their order. */
function isInOrder(question: Question, state: State, body: Body): boolean {
  if (!question.list) return true;
  const selection = state.resolve(question.list.filters, question.list);
  const all = state.page(selection, { from: "offset", offset: 0 }, RECORDS.length).ids;
  let from = 0;
  return idsOf(body).every((id) => {
    from = all.indexOf(id, from) + 1;
    return from > 0;
  });
}

/** The newest match must be one that is served; the newest one may be missing. */
function judgeStatus(state: State, body: Body, shard: string): Verdict {
  const one = body.shards.find(({ id }: { id: string }) => id === shard);
  if (one?.available === false) return "detected";
  if (!one?.newestMatch) return "omission";
  const newest = Date.parse(one.newestMatch);
  const times = state.visible.map(({ at }) => at);
  if (newest === times.at(-1)) return "right";
  return times.includes(newest) ? "omission" : "wrong";
}
