/** Reading in threads gives the same as reading in the calling thread, in order. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chunks, type DocumentChunk } from "../../src/ingest/chunks.ts";
import { readAhead } from "../../src/ingest/read-ahead.ts";
import { type DocumentContent, readChunk } from "../../src/ingest/read-chunk.ts";
import { ReaderPool } from "../../src/ingest/reader-pool.ts";
import { demoLines } from "../support/demo.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";

const NOW = Date.parse("2026-03-01T00:00:00Z");
const LONGEST = 100_000;
const context = { shard: undefined, shards: undefined, titleId: "matchbook", longest: LONGEST };

async function* asFile(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield Buffer.from(`${line}\n`);
}

type Read = (chunk: DocumentChunk) => Promise<DocumentContent[]>;

const here: Read = async (chunk) => readChunk(chunk, context);

/** All results of a reader, in order. */
async function contents(lines: readonly string[], read: Read) {
  const all = chunks({ name: "file", bytes: asFile(lines) }, LONGEST, () => NOW);
  const size = (chunk: DocumentChunk) => chunk.size;
  return (await Array.fromAsync(readAhead(all, read, size, () => 1 << 20))).flat();
}

/** Valid documents mixed with ones that are invalid in every possible way. */
function mixed(): string[] {
  const numbers = `{"data":${JSON.stringify(aMatch({ id: "digits" }).data).replace('"duration":', '"big":12345678901234567890.5,"duration":')}}`;
  const bad = [
    "this is no JSON",
    JSON.stringify({ data: [] }),
    JSON.stringify({ data: { type: "match" } }),
    JSON.stringify({ ...aMatch({ id: "stray" }), included: [{ type: "asset", id: "a" }] }),
    `{"data":"${"x".repeat(LONGEST)}"}`,
    '{"data":{"a":1,"a":2}}',
    '{"data":"\\ud800"}',
    numbers,
    JSON.stringify([aMatch({ id: "one" }), { data: 7 }, aMatch({ id: "two" })]),
  ];
  // Several chunks for each thread.
  return demoLines(200, NOW).flatMap((line, at) =>
    at % 20 === 0 ? [line, "", bad[(at / 20) % bad.length]!] : [line],
  );
}

/** A pool whose threads are started and ready. */
async function readyPool(threads: number): Promise<ReaderPool> {
  const pool = new ReaderPool(context, threads);
  await contents(demoLines(250, NOW), (chunk) => pool.read(chunk));
  await until("a thread is ready", () => pool.room > 0);
  return pool;
}

describe("reading threads", () => {
  let pool: ReaderPool;
  beforeAll(async () => {
    pool = await readyPool(2);
  });
  afterAll(() => pool.stop());

  test("give the same results as this thread, in the order of the documents", async () => {
    const lines = mixed();
    const expected = await contents(lines, here);
    const found = await contents(lines, (chunk) => pool.read(chunk));
    expect(expected.flatMap(({ rejections }) => rejections).length).toBeGreaterThan(8);
    expect(JSON.stringify(found.map(({ rejections }) => rejections))).toBe(
      JSON.stringify(expected.map(({ rejections }) => rejections)),
    );
    expect(found.map(({ incoming }) => plain(incoming))).toEqual(
      expected.map(({ incoming }) => plain(incoming)),
    );
  });

  test("that are stopped reject pending reads", async () => {
    const other = await readyPool(1);
    const waiting = contents(demoLines(50, NOW), (chunk) => {
      const read = other.read(chunk);
      other.stop();
      return read;
    });
    await expect(waiting).rejects.toThrow("stopped");
  });
});

test("a few records are read without a thread", async () => {
  const pool = new ReaderPool(context, 2);
  expect(await contents(demoLines(50, NOW), (chunk) => pool.read(chunk))).toHaveLength(50);
  expect(pool.room).toBe(0);
  pool.stop();
});

/** Bytes compare by their content, whatever their class. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}

describe("working ahead", () => {
  async function* weights(...all: number[]) {
    yield* all;
  }

  test("results come in order, however long each takes", async () => {
    const done = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const work = async (at: number) => {
      await done[at]!.promise;
      done[at - 1]?.resolve();
      return at;
    };
    const results = Array.fromAsync(
      readAhead(
        weights(0, 1, 2, 3),
        work,
        () => 1,
        () => 9,
      ),
    );
    done[3]!.resolve();
    expect(await results).toEqual([0, 1, 2, 3]);
  });

  test("no more is in progress than there is room for, but always one", async () => {
    let underWay = 0;
    let most = 0;
    const work = async (weight: number) => {
      underWay += weight;
      await new Promise(setImmediate);
      return weight;
    };
    const things = weights(3, 3, 3, 50, 3, 3, 3);
    for await (const weight of readAhead(
      things,
      work,
      (one) => one,
      () => 6,
    )) {
      if (underWay < 50) most = Math.max(most, underWay);
      underWay -= weight;
    }
    expect(most).toBeGreaterThan(3);
    expect(most).toBeLessThanOrEqual(9);
  });

  test("a failure is thrown where its result would have been", async () => {
    const seen: number[] = [];
    const work = async (at: number) => {
      if (at === 2) throw new Error("two failed");
      return at;
    };
    const all = async () => {
      for await (const at of readAhead(
        weights(0, 1, 2, 3),
        work,
        () => 1,
        () => 9,
      ))
        seen.push(at);
    };
    await expect(all()).rejects.toThrow("two failed");
    expect(seen).toEqual([0, 1]);
  });
});
