/** A small soak, and a check that its comparison finds what is wrong. `npm run trial -- soak` makes a large one. */

import { expect, setDefaultTimeout, test } from "bun:test";
import type { RawReply } from "../../support/connection.ts";
import { bodyOf, type Judge } from "./judge.ts";
import { expectNothingWrong, KINDS, SMALL } from "./small.ts";
import { soak } from "./soak.ts";

setDefaultTimeout(900_000);

test("every response equals the model while records and players change", async () => {
  await expectNothingWrong({ ...SMALL, rounds: 1 });
});

/** One wrong value in each of these responses, if there are any. */
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
  const tamper = (kind: string, reply: RawReply): Buffer => {
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
    hasEnough: (judge) => KINDS.every((kind) => !WRONG[kind] || found(judge).has(kind)),
  });
  expect(problems).toEqual([]);
  const bodies = mismatches.map(({ exchange }) => exchange.reply.body);
  expect(bodies.filter((body) => !tampered.has(body))).toEqual([]);
  expect(mismatches.length).toBe(tampered.size);
});
