/** A small soak, and a check that its comparison finds what is wrong. `npm run soak` makes a large one. */

import { expect, setDefaultTimeout, test } from "bun:test";
import type { Reply } from "../support/callers.ts";
import { bodyOf, type Judge } from "./judge.ts";
import { KEY_STEPS } from "./key-steps.ts";
import { type SoakOptions, soak } from "./soak.ts";
import { STEPS } from "./writer.ts";

// Replacing two workers takes half a minute, and more on a busy machine.
setDefaultTimeout(900_000);

const SMALL: SoakOptions = {
  seed: Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31)),
  workers: 2,
  // Paced, so that it takes little of the machine.
  rate: 60,
  connections: 8,
  matches: 600,
  sampleSeconds: 5,
  // Seconds at most, but a busy machine may take longer.
  keySeconds: 60,
};

/** Every kind of request. */
const KINDS = [
  ...["304", "401 for a key that has ended", "HEAD", "If-None-Match, changed or other content"],
  ...["match by id", "withheld match", "pruned match", "unknown match", "include and fields"],
  ...["page, no filter", "page, filters", "page, default window"],
  ...["walk, first page", "walk, next page", "walk, previous page"],
  ...["player by id", "unknown player", "players by ids", "players by names", "recent players"],
  ...["leaderboard", "leaderboard, next page", "leaderboard, certain players"],
  ...["company", "hero statistics", "changes"],
  ...["wrong: 400 invalid-parameter", "wrong: 401 unauthorized", "wrong: 404 not-found"],
];

const has = ({ kinds }: Pick<Judge, "kinds">) => KINDS.every((kind) => kinds.has(kind));

test("every response equals the model while records, players and keys change and workers are replaced", async () => {
  const { seed } = SMALL;
  const result = await soak({ ...SMALL, rounds: 2, hasEnough: has });
  const mismatches = result.mismatches.map(({ what, exchange }) => [what, exchange.question.path]);
  expect({ seed, mismatches, problems: result.problems }).toEqual({
    ...{ seed, mismatches: [], problems: [] },
  });
  const changes = [...STEPS, ...KEY_STEPS.map((kind) => `key ${kind}`), "restart"];
  expect(changes.filter((kind) => !result.changes.has(kind))).toEqual([]);
  // The connections may all have been with one worker, before it was replaced and afterwards.
  expect(result.processes).toBeGreaterThanOrEqual(2);
});

/** One wrong value in each of these responses. */
const WRONG: Record<string, (body: Record<string, unknown>) => unknown> = {
  "match by id": (body) => JSON.parse(JSON.stringify(body).replace('"duration":', '"duration":1')),
  "player by id": (body) =>
    JSON.parse(JSON.stringify(body).replace('"lossStreak":', '"lossStreak":1')),
  "page, no filter": (body) => ({ ...body, data: (body.data as unknown[]).slice(1) }),
  "page, default window": (body) => ({ ...body, data: (body.data as unknown[]).toReversed() }),
  "hero statistics": (body) => JSON.parse(JSON.stringify(body).replace('"wins":', '"wins":1')),
  changes: (body) => ({ ...body, data: (body.data as unknown[]).slice(0, -1) }),
  "unknown match": () => ({ errors: [{ code: "withheld" }] }),
};

test("a wrong value in a response of any kind is found, and nothing else is", async () => {
  const tampered = new Set<Buffer>();
  const tamper = (kind: string, reply: Reply): Buffer => {
    const change = WRONG[kind];
    const isPlain = reply.body.length > 0 && !reply.headers.has("content-encoding");
    if (!change || !isPlain || reply.status === 401) return reply.body;
    const [before, after] = [JSON.stringify(bodyOf(reply)), JSON.stringify(change(bodyOf(reply)))];
    if (before === after) return reply.body;
    const body = Buffer.from(after);
    tampered.add(body);
    return body;
  };
  const found = ({ mismatches }: Pick<Judge, "mismatches">) =>
    new Set(mismatches.map(({ exchange }) => exchange.question.kind));
  const { mismatches, problems } = await soak({
    ...{ ...SMALL, rounds: 0, tamper },
    hasEnough: (judge) => Object.keys(WRONG).every((kind) => found(judge).has(kind)),
  });
  expect(problems).toEqual([]);
  const bodies = mismatches.map(({ exchange }) => exchange.reply.body);
  expect(bodies.filter((body) => !tampered.has(body))).toEqual([]);
  expect(mismatches.length).toBe(tampered.size);
});
