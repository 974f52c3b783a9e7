/** In charge of reading in threads: the same as reading here, in order, and no more of it than asked for. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ahead } from "../../src/ingest/lookahead.ts";
import { type Parcel, parcels } from "../../src/ingest/parcels.ts";
import { type ReadParcel, readHere, type Wanted } from "../../src/ingest/reading.ts";
import { Readers } from "../../src/ingest/threads.ts";
import { demoLines } from "../support/demo.ts";
import { aMatch } from "../support/records.ts";

const NOW = Date.parse("2026-03-01T00:00:00Z");
const LONGEST = 100_000;
const context = { shard: undefined, shards: undefined, titleId: "matchbook", longest: LONGEST };
const everything: Wanted = async (arrivals) => arrivals.map(() => true);

async function* asFile(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield Buffer.from(`${line}\n`);
}

const parcelsOf = (lines: readonly string[]) =>
  parcels({ name: "file", bytes: asFile(lines) }, LONGEST, () => NOW);

/** All that comes out of a reader, in its order. */
async function contents(lines: readonly string[], read: ReadParcel, wanted = everything) {
  const work = (parcel: Parcel) => read(parcel, wanted);
  const size = ({ bytes }: Parcel) => bytes.length;
  return (await Array.fromAsync(ahead(parcelsOf(lines), work, size, () => 1 << 20))).flat();
}

/** Good and bad ones side by side, in every way in which a document can be bad. */
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
  return demoLines(400, NOW).flatMap((line, at) =>
    at % 40 === 0 ? [line, "", bad[(at / 40) % bad.length]!] : [line],
  );
}

describe("reading threads", () => {
  const readers = new Readers(context, 2);
  // Enough that threads are started; the rest of the tests need them ready.
  beforeAll(async () => {
    await contents(demoLines(250, NOW), readers.read);
    while (readers.room === 0) await new Promise(setImmediate);
  });
  afterAll(() => readers.stop());

  test("give what this thread would, in the order of the documents", async () => {
    const lines = mixed();
    const here = await contents(lines, readHere(context));
    const there = await contents(lines, readers.read);
    expect(here.flatMap(({ rejections }) => rejections).length).toBeGreaterThan(8);
    expect(there.map(({ rejections }) => rejections)).toEqual(
      here.map(({ rejections }) => rejections),
    );
    expect(JSON.stringify(there.flatMap(({ rejections }) => rejections))).toBe(
      JSON.stringify(here.flatMap(({ rejections }) => rejections)),
    );
    expect(there.map(({ arrivals }) => plain(arrivals))).toEqual(
      here.map(({ arrivals }) => plain(arrivals)),
    );
  });

  test("make ready only what is wanted", async () => {
    const odd: Wanted = async (arrivals) =>
      arrivals.map(({ contentHash }) => contentHash[0]! % 2 === 1);
    for (const read of [readHere(context), readers.read]) {
      const arrivals = (await contents(mixed(), read, odd)).flatMap((one) => one.arrivals);
      expect(arrivals.some(({ kept }) => kept)).toBeTrue();
      for (const { kept, contentHash, outline } of arrivals) {
        expect(kept?.stored.id).toBe(contentHash[0]! % 2 === 1 ? outline.id : undefined);
      }
    }
  });

  test("that are stopped fail whoever waits for them", async () => {
    const others = new Readers(context, 1);
    await contents(demoLines(250, NOW), others.read);
    while (others.room === 0) await new Promise(setImmediate);
    const waiting = contents(demoLines(50, NOW), others.read, () => {
      others.stop();
      return everything([]);
    });
    expect(waiting).rejects.toThrow("the reading threads were stopped");
    await waiting.catch(() => {});
  });
});

test("a few records are read without a thread", async () => {
  const readers = new Readers(context, 2);
  expect(await contents(demoLines(50, NOW), readers.read)).toHaveLength(50);
  expect(readers.room).toBe(0);
  readers.stop();
});

/** Pieces of one large memory compare by their bytes. */
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
      ahead(
        weights(0, 1, 2, 3),
        work,
        () => 1,
        () => 9,
      ),
    );
    done[3]!.resolve();
    expect(await results).toEqual([0, 1, 2, 3]);
  });

  test("no more is under way than there is room for, but one always", async () => {
    let underWay = 0;
    let most = 0;
    const work = async (weight: number) => {
      underWay += weight;
      await new Promise(setImmediate);
      return weight;
    };
    const things = weights(3, 3, 3, 50, 3, 3, 3);
    for await (const weight of ahead(
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

  test("a failure comes out where its result would have", async () => {
    const seen: number[] = [];
    const work = async (at: number) => {
      if (at === 2) throw new Error("two failed");
      return at;
    };
    const all = async () => {
      for await (const at of ahead(
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
