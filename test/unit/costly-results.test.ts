/** What costs more than a page is read at most once a second from a store that does not know its state. */

import { expect, test } from "bun:test";
import { contentOf } from "../../src/document/content.ts";
import { literalPiece } from "../../src/document/fragment.ts";
import { ResultCache } from "../../src/endpoint/result-cache.ts";

const REMOTE = { reader: {}, shard: "na", query: "sort=wins" };

function counting() {
  let reads = 0;
  const read = async () => {
    reads += 1;
    return { content: contentOf([literalPiece(String(reads))]), reads };
  };
  return { read, reads: () => reads };
}

test("a result is used for a second, and by requests at the same time", async () => {
  const results = new ResultCache(1 << 20);
  const { read, reads } = counting();
  const at = async (now: number, request = REMOTE) =>
    (await results.findCostly(request, "heroes", now, read)).reads;
  expect(await Promise.all([at(0), at(0), at(999)])).toEqual([1, 1, 1]);
  expect(await at(1000)).toBe(2);
  expect(await at(1500)).toBe(2);
  // A clock that was set back.
  expect(await at(100)).toBe(3);
  expect(await at(100, { ...REMOTE, query: "" })).toBe(4);
  expect(await at(100, { ...REMOTE, shard: "eu" })).toBe(5);
  expect(await at(100)).toBe(3);
  expect(reads()).toBe(5);
});

test("an error is not kept, and the number of results is bounded", async () => {
  const results = new ResultCache(1 << 20);
  const failing = async () => {
    throw new Error("unavailable");
  };
  const failed = results.findCostly(REMOTE, "heroes", 0, failing) as Promise<unknown>;
  await expect(failed).rejects.toThrow("unavailable");
  const { read } = counting();
  expect((await results.findCostly(REMOTE, "heroes", 0, read)).reads).toBe(1);
  for (let at = 0; at < 100; at++) {
    await results.findCostly({ ...REMOTE, query: String(at) }, "heroes", 0, read);
  }
  expect((await results.findCostly(REMOTE, "heroes", 0, read)).reads).toBe(102);
});
