/**
 * What is served is a function of the accepted records and of what operators did: whatever arrives, in any order, batches
 * and repetitions, is replaced, redacted or pruned, every response is that of the model, in both stores, and a copy from an
 * export serves the same bytes.
 */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonObject } from "../../src/domain/json.ts";
import { ChangeLog } from "../model/change-log.ts";
import { DAY_MS } from "../model/pages.ts";
import {
  type Body,
  difference,
  type Expected,
  expectedOf,
  type Question,
} from "../model/question.ts";
import { Questions } from "../model/questions.ts";
import { type Filters, key, type Thing } from "../model/record.ts";
import { NOTHING, Shard } from "../model/shard.ts";
import { State } from "../model/state.ts";
import { MatchWalk } from "../model/walks.ts";
import { Chance } from "../support/chance.ts";
import { ENGINES, type Engine, engineWorlds } from "../support/engine-worlds.ts";
import { exportedFrom } from "../support/exported.ts";
import { TestClock } from "../support/keys.ts";
import { pruneAt, withWriter } from "../support/prune.ts";
import { aMatch, duel, type MatchDocument } from "../support/records.ts";
import { redactIn, storedText } from "../support/redact.ts";
import { scaled } from "../support/scale.ts";
import { verified } from "../support/verify.ts";
import { getAs, type World } from "../support/world.ts";
import { ask, PUBLIC_URL, take } from "./asking.ts";
import { type Arrival, arrival, MATCH_IDS, PLAYER_IDS, SHARD, TAGS, TITLE } from "./histories.ts";

const worldIn = engineWorlds();

/** The newest records are two minutes ahead. */
const NOW = Date.parse("2024-06-30T23:58:00Z");
/** The newest records come, and others leave the last 28 days. */
const WAITS = [1000, 119_000, 120_000, DAY_MS, DAY_MS + 120_000, 5 * DAY_MS, 28 * DAY_MS];
const CUTOFFS = ["2024-03-10T12:00:00Z", "2024-03-10T12:00:00.001Z", "2024-06-10T00:00:00Z"];
/** Random requests after each step, besides those for every match and player, and these lists. */
const QUESTIONS = 12;
const SELECTED: Filters[] = [
  {},
  { playerNames: ["Ana", "ana"] },
  { playerNames: ["a,b", "Ana ", "名 前"] },
  { playerNames: ["back\\slash", "50%+&=?"], gameModes: ["private", "ranked"] },
  { playerIds: PLAYER_IDS.slice(0, 3) },
  { teamNames: TAGS.slice(0, 2) },
];
const LISTS = SELECTED.flatMap((filters, at) =>
  [1 + (at % 2), 3].map((limit) => ({ filters, isDescending: (at + limit) % 2 === 0, limit })),
);
/** How many of the responses are compared with those of a copy. */
const MOST_COPIED = 150;
/** With all but the matches that are ahead of the clock. */
const WINDOW = {
  start: Date.parse("2024-01-01T00:00:00Z"),
  end: Date.parse("2024-06-30T00:00:00Z"),
};

const ACTORS = ["*Ana*", "*ana*", "名 前", "x".repeat(128), "x".repeat(129), "", "nul\0"];
const VALUES = [0, 3, 0.1, 0.2, 1e-7, 4.5, 1234.567891, "5", null, undefined];

/** The same record, with other actors and stats of its participants for another seed. */
function cast(document: MatchDocument, seed: number): MatchDocument {
  const pick = <T>(from: readonly T[], what: string): T =>
    from[Number(Bun.hash.wyhash(`${seed} ${what}`) % BigInt(from.length))]!;
  const included = document.included.map((one) => {
    if (one.type !== "participant") return one;
    const { stats, ...attributes } = one.attributes as JsonObject & { stats: JsonObject };
    const numbers = Object.fromEntries(
      ["kills", "gold"].map((name) => [name, pick(VALUES, `${one.id} ${name}`)]),
    );
    const actor = pick(ACTORS, String(one.id));
    return { ...one, attributes: { ...attributes, actor, stats: { ...stats, ...numbers } } };
  });
  return JSON.parse(JSON.stringify({ ...document, included }));
}

type Step =
  | { ingest: Arrival["calls"][number] }
  | { replace: number[]; seed: number; batch: number }
  | { redact: string }
  | { prune: string; size: number }
  | { wait: number };

const pruning = fc.record({
  prune: fc.constantFrom(...CUTOFFS),
  size: fc.integer({ min: 1, max: 5 }),
});
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      replace: fc.array(fc.nat(), { minLength: 3, maxLength: 8 }),
      seed: fc.nat(),
      batch: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ redact: fc.constantFrom(...PLAYER_IDS) }) },
  { weight: 1, arbitrary: pruning },
  {
    weight: 2,
    arbitrary: fc.record({ wait: fc.constantFrom(...WAITS) }),
  },
);

/** The calls of an arrival in their order, with operations anywhere between them, and at last a prune. */
const scenario = fc.record({
  given: arrival,
  operations: fc.array(fc.tuple(fc.nat(), operation), { minLength: 3, maxLength: 6, size: "max" }),
  last: pruning,
});

const clocks = new WeakMap<World, TestClock>();

async function aWorld(engine: Engine, seed = 0): Promise<World> {
  const flags = {
    ...{ "public-url": PUBLIC_URL, "title-id": TITLE, "matches-per-day": "0" },
    // The first joins stored pieces; the other compresses each response as a whole.
    compression: seed % 2 === 0 ? "fast" : "small",
  };
  const clock = new TestClock(NOW);
  const world = await worldIn(engine, [], clock, "", flags);
  clocks.set(world, clock);
  return world;
}

describe.each(ENGINES)("%s", (engine) => {
  const runs = engine === "SQLite" ? scaled(40, 4) : scaled(20, 2);
  test("every response is that of the model, after any steps, also for a client with a cache", async () => {
    let unchanged = 0;
    await fc.assert(
      fc.asyncProperty(scenario, fc.nat(), async ({ given, operations, last }, seed) => {
        const steps: Step[] = given.calls.map((ingest) => ({ ingest }));
        for (const [at, one] of operations) steps.splice(at % (steps.length + 1), 0, one);
        steps.push(last);
        const world = await aWorld(engine, seed);
        const copy = await aWorld(ENGINES.find((other) => other !== engine)!, seed);
        try {
          const followed = new Followed(world, given.documents, seed);
          for (const step of steps) await followed.take(step);
          unchanged += followed.unchanged;
          await followed.endsAs(copy);
        } finally {
          await world.stop();
          await copy.stop();
        }
      }),
      { numRuns: runs, endOnFailure: true },
    );
    expect(unchanged).toBeGreaterThan(10);
  }, 600_000);
});

/** A shard and its model, changed alike. */
class Followed {
  readonly #shard = new Shard(TITLE);
  readonly #redacted: string[] = [];
  readonly #chance: Chance;
  #state = new State(0, { ...NOTHING, cutoff: Number.NEGATIVE_INFINITY });
  /** Walks that go on after the next step, and requests that are then repeated, because they may be cached. */
  #open: Question[] = [];
  /** What a client with a cache has. */
  readonly #kept = new Map<string, { tag: string; body: Body }>();
  /** How many responses were 304. */
  unchanged = 0;

  constructor(
    private readonly world: World,
    private readonly documents: readonly MatchDocument[],
    private readonly seed: number,
  ) {
    this.#chance = new Chance(seed);
  }

  async take(step: Step): Promise<void> {
    const { settings } = this.world;
    if ("ingest" in step) await this.#ingest(step.ingest.documents, this.seed, step.ingest.batch);
    else if ("replace" in step) {
      const some = new Set(step.replace.map((at) => this.documents[at % this.documents.length]!));
      await this.#ingest([...some], step.seed, step.batch, true);
    } else if ("redact" in step) {
      this.#state = this.#shard.redact(this.#state, step.redact);
      this.#redacted.push(step.redact);
      await redactIn(settings, SHARD, step.redact);
    } else if ("wait" in step) clocks.get(this.world)!.advance(step.wait);
    else {
      const cutoff = Date.parse(step.prune);
      this.#state = this.#shard.prune(this.#state, cutoff).after;
      await pruneAt(settings, SHARD, cutoff, step.size);
    }
    await this.#compare(this.world, Object.keys(step)[0]!);
  }

  async #ingest(
    documents: readonly MatchDocument[],
    seed: number,
    batch: number,
    replace = false,
  ): Promise<void> {
    const sent = documents.map((one) => cast(one, seed));
    const { after, report } = this.#shard.ingest(this.#state, sent as Thing[], replace);
    this.#state = after;
    const { released: _, ...found } = (await this.world.ingest(sent, { replace, batch })).report;
    const { released: __, ...expected } = report;
    // Batches decide whether a private match is withheld first and then released.
    const kept = Object.values(found.withheld).reduce((sum, one) => sum + one, found.stored);
    expect({ ...found, stored: kept, withheld: 0 }).toEqual({
      ...{ ...expected, withheld: { ...found.withheld } },
      ...{ stored: report.stored + report.withheld, withheld: 0 },
    } as never);
  }

  /** Compares responses, in all encodings, with the model. */
  async #compare(world: World, after: string): Promise<void> {
    const state = this.#state;
    const depth = world.settings["leaderboard-depth"];
    const clock = clocks.get(world)!;
    // Hero statistics from PostgreSQL may be a second old.
    clock.advance(1001);
    const questions = new Questions(this.#chance, new ChangeLog(), depth, false, clock.now);
    const asked: Question[] = [
      ...MATCH_IDS.map((id) => Questions.single(id, "match by id")),
      ...PLAYER_IDS.map((id) => Questions.player(id)),
    ];
    for (const list of LISTS) {
      asked.push(Questions.recent(list, clock.now));
      asked.push(new MatchWalk(this.#chance, { ...list, window: WINDOW }).next());
    }
    const some = () => [
      ...Array.from({ length: QUESTIONS }, () => questions.next(state)),
      ...[...questions.ofFeatures(state), ...questions.ofFeatures(state)],
    ];
    const random = state.playerIds.length > 0 ? some() : [];
    asked.push(...this.#open, ...random.filter(({ needsLog, headers }) => !needsLog && !headers));
    this.#open = [];
    for (const question of asked) {
      const { status, body } = await this.#fetch(world, question);
      const wrong = expectedOf(question, state, body).map((one) => difference(one, status, body));
      if (wrong.includes(undefined)) {
        const next = question.onRight?.(body, [state]);
        if (next && this.#chance.oneIn(4)) asked.push(next);
        else if (next) this.#open.push(next);
        // What a request may include depends on the records.
        else if (random.includes(question) && question.kind !== "include and fields") {
          this.#open.push(question);
        }
        continue;
      }
      const [{ data, included, meta }] = expectedOf(question, state, body) as [Expected];
      expect([after, question.path, sorted(body)]).toEqual([
        ...[after, question.path, sorted({ data, included, meta })],
      ]);
      throw new Error(`after ${after}, ${question.path}: ${wrong}`);
    }
    this.#open.splice(3 * QUESTIONS);
  }

  /** As a client that keeps what it gets, and goes on with it after 304. */
  async #fetch(world: World, { path }: Question): Promise<{ status: number; body: Body }> {
    const { status, plain, tags } = await ask(world, path);
    const body = JSON.parse(plain.toString());
    const known = this.#kept.get(path);
    if (known) {
      const headers = { "If-None-Match": known.tag, "Accept-Encoding": "identity" };
      if ((await getAs(world, path, { headers })).status === 304) {
        this.unchanged += 1;
        const { window } = body.meta ?? {};
        return { status, body: { ...known.body, ...(window ? { meta: body.meta } : {}) } };
      }
    }
    if (status === 200 && tags[0]) this.#kept.set(path, { tag: tags[0], body });
    return { status, body };
  }

  /** Verify finds nothing, nothing of redacted players is left, and another store that takes an export, twice, is the same. */
  async endsAs(copy: World): Promise<void> {
    const { settings } = this.world;
    const exported = await withWriter(settings, SHARD, (writer) => exportedFrom(writer));
    for (let times = 0; times < 2; times++) await take(copy, exported, 3);
    clocks.get(copy)!.advance(clocks.get(this.world)!.now() - clocks.get(copy)!.now());
    for (const path of [...this.#kept.keys()].slice(-MOST_COPIED)) {
      const [here, there] = [await ask(this.world, path), await ask(copy, path)];
      // Errors contain the id of the request.
      const shown = ({ status, tags, plain }: typeof here) => [
        path,
        status,
        tags,
        status === 200 && `${plain}`,
      ];
      expect(shown(there)).toEqual(shown(here));
    }
    // Walks go on by the cursors of the original, and by its clock.
    clocks.get(this.world)!.advance(1001);
    await this.#compare(copy, "a copy");
    for (const one of [this.world, copy]) {
      expect(await verified(one.settings, SHARD)).toMatchObject({ damage: [], isComplete: true });
      const text = await withWriter(one.settings, SHARD, storedText);
      expect(this.#redacted.filter((id) => text.includes(`title of ${id}`))).toEqual([]);
    }
  }
}

/** For the report of a difference. */
const sorted = ({
  data,
  included,
  meta,
}: {
  data?: unknown;
  included?: Thing[] | undefined;
  meta?: unknown;
}) => ({
  ...{ data, meta, included: included?.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)) },
});

/** Streaks that are longer than one read of the history. */
const manyResults = fc
  .array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 70 })), { minLength: 1, maxLength: 4 })
  .map((runs) => runs.flatMap(([won, length]) => Array.from({ length }, () => won)));

test("a streak of any length counts fully, whatever the order of arrival", async () => {
  const counts = fc.asyncProperty(manyResults, fc.nat(), async (results, seed) => {
    const documents = results.map((won, index) =>
      aMatch({
        id: `m${index}`,
        shard: SHARD,
        createdAt: NOW - DAY_MS + index,
        rosters: won ? duel({ id: "p1" }, { id: "q" }) : duel({ id: "q" }, { id: "p1" }),
      }),
    );
    const chance = new Chance(seed);
    const keyed = documents.map((one) => [chance.unit(), one] as const);
    const world = await aWorld("SQLite");
    try {
      const shuffled = keyed.sort(([a], [b]) => a - b).map(([, one]) => one);
      await take(world, shuffled, 40);
      const { plain } = await ask(world, `/shards/${SHARD}/players/p1`);
      const expected = State.of(documents as Thing[], TITLE).player("p1");
      expect(JSON.parse(plain.toString()).data).toEqual(expected);
    } finally {
      await world.stop();
    }
  });
  await fc.assert(counts, { numRuns: scaled(12) });
}, 600_000);
