/** Similar names: compared with a full table, and found by the index. */

import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { playerName } from "../../src/demo/names.ts";
import { Random } from "../../src/demo/random.ts";
import { findSimilar } from "../../src/features/name-search/find.ts";
import { MAX_NAMES } from "../../src/features/name-search/parameters.ts";
import { indexKeys, lettersOf, RANKS } from "../../src/features/name-search/similar-names.ts";
import { openForReading, openForWriting } from "../../src/store/sqlite/open.ts";
import { SqliteReader } from "../../src/store/sqlite/reader.ts";
import { SqliteWriter } from "../../src/store/sqlite/writer.ts";
import { editDistance } from "../../src/text/nearest.ts";
import { aPlayer, seenAt } from "../conformance/entries.ts";
import { scaled } from "../support/scale.ts";
import { aFolder } from "../support/world.ts";

/** The full edit distance table: insert, delete, replace, and swap neighbours. */
function typosByTable(one: string[], other: string[]): number {
  const table = Array.from({ length: one.length + 1 }, (_, row) => [row]);
  for (let column = 1; column <= other.length; column++) table[0]![column] = column;
  for (let row = 1; row <= one.length; row++) {
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      let least = Math.min(
        table[row - 1]![column - 1]! + (isSame ? 0 : 1),
        table[row - 1]![column]! + 1,
        table[row]![column - 1]! + 1,
      );
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwap && row > 1 && column > 1) {
        least = Math.min(least, table[row - 2]![column - 2]! + 1);
      }
      table[row]![column] = least;
    }
  }
  return table[one.length]![other.length]!;
}

const folder = aFolder();
const file = join(folder.path, "na.db");
const writer = new SqliteWriter(openForWriting(file, "na"));
const reader = new SqliteReader(openForReading(file)!, 0);
afterAll(async () => {
  reader.close();
  await writer.close();
  folder.remove();
});

let stored: string[] = [];

/** A shard with players of these names alone, of whom later ones have later matches. */
async function store(names: readonly string[]): Promise<void> {
  const rows = [...new Set(names)].map((name, at) => aPlayer(`p${at}`, { name, ...seenAt(at) }));
  await writer.write(async (transaction) => {
    await transaction.removePlayers(stored);
    await transaction.putPlayers(rows);
  });
  stored = rows.map(({ id }) => id);
}

/** The names that a search shows. */
async function searched(text: string): Promise<string[]> {
  const found = await findSimilar(text, reader, MAX_NAMES);
  return found
    .filter(({ rank }) => rank < RANKS.nearest)
    .sort(
      (one, other) => one.rank - other.rank || other.player.lastMatchAt! - one.player.lastMatchAt!,
    )
    .slice(0, MAX_NAMES)
    .map(({ player }) => player.name);
}

const LETTERS = [..."abcdeé名😀7$"];
const letter = fc.constantFrom(...LETTERS);
const word = (minLength: number, maxLength: number) =>
  fc.array(letter, { minLength, maxLength }).map((letters) => letters.join(""));

interface Typo {
  kind: "add" | "drop" | "change" | "swap";
  at: number;
  letter: string;
}

const typo: fc.Arbitrary<Typo> = fc.record({
  kind: fc.constantFrom("add" as const, "drop" as const, "change" as const, "swap" as const),
  at: fc.nat(),
  letter,
});

function mistype(name: string, { kind, at, letter: other }: Typo): string {
  const letters = Array.from(name);
  const place = at % letters.length;
  if (kind === "add") letters.splice(place, 0, other);
  else if (kind === "change") letters[place] = other;
  else if (kind === "drop" && letters.length > 1) letters.splice(place, 1);
  else letters.splice(place, 2, ...letters.slice(place, place + 2).reverse());
  return letters.join("");
}

describe("typos", () => {
  test("match a full edit distance table, up to the limit", () => {
    const pair = fc.tuple(word(0, 7), word(0, 7), fc.integer({ min: 0, max: 7 }));
    fc.assert(
      fc.property(pair, ([one, other, most]) => {
        const typos = typosByTable(Array.from(one), Array.from(other));
        expect(editDistance(Array.from(one), Array.from(other), most)).toBe(
          typos <= most ? typos : Number.POSITIVE_INFINITY,
        );
      }),
      { numRuns: scaled(5000) },
    );
  });
});

test("the keys of a name are few, distinct and well-formed, whatever the name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 256 }), (any) => {
      const name = any.replaceAll("\0", "") || "a";
      const keys = indexKeys(name);
      const words = name.length / 4;
      expect(keys.length).toBeLessThanOrEqual(2 + words);
      expect(new Set(keys).size).toBe(keys.length);
      for (const key of keys) {
        expect(key.isWellFormed() && !key.includes("\0")).toBe(true);
        expect(Array.from(key).length).toBeLessThanOrEqual(33);
      }
    }),
    { numRuns: scaled(2000) },
  );
});

/** Names as in the demo data. */
function demoNames(count: number, seed: number): string[] {
  const scripts = [16, 1, 1, 1, 1] as const;
  const names = Array.from({ length: count }, (_, number) =>
    playerName(new Random(seed, number), scripts, number, true),
  );
  return [...new Set(names)];
}

describe("a search finds", () => {
  const crowd = fc.array(word(1, 12), { maxLength: 6 });

  test("a name with one typo anywhere, among a few others", async () => {
    await fc.assert(
      fc.asyncProperty(word(2, 16), typo, crowd, async (name, wrong, others) => {
        const typed = mistype(name, wrong);
        fc.pre(lettersOf(typed).length > 1);
        await store([name, ...others]);
        expect(await searched(typed)).toContain(name);
      }),
      { numRuns: scaled(3000) },
    );
  });

  test("an exact name, always first", async () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((one) => !one.includes("\0"));
    await fc.assert(
      fc.asyncProperty(text, crowd, async (name, others) => {
        await store([name, ...others]);
        expect((await searched(name))[0]).toBe(name);
      }),
    );
  });

  test("a name by its beginning", async () => {
    await fc.assert(
      fc.asyncProperty(word(2, 20), fc.nat(), async (name, length) => {
        const letters = Array.from(name);
        const begun = letters.slice(0, 1 + (length % letters.length)).join("");
        await store([name]);
        expect(await searched(begun)).toEqual([name]);
      }),
    );
  });

  test("nearly all of 4,000 names with one typo, and nine of ten with two", async () => {
    const names = demoNames(4000, 1);
    await store(names);
    const random = new Random(2);
    const any = (): Typo => ({
      kind: random.pick(["add", "drop", "change", "swap"]),
      at: random.int(0, 999),
      letter: random.pick([..."aeiostrn0123456789"]),
    });
    let [byOne, byTwo] = [0, 0];
    const sample = names.slice(0, scaled(1600));
    for (const name of sample) {
      const typed = mistype(name, any());
      if ((await searched(typed)).includes(name)) byOne += 1;
      if ((await searched(mistype(typed, any()))).includes(name)) byTwo += 1;
    }
    expect(byOne / sample.length).toBeGreaterThan(0.99);
    expect(byTwo / sample.length).toBeGreaterThan(0.9);
  });

  /** The names that begin with each text. */
  function byBeginning(names: readonly string[]): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const name of names) {
      const letters = lettersOf(name);
      for (let length = 1; length <= letters.length; length++) {
        const text = letters.slice(0, length).join("");
        found.set(text, [...(found.get(text) ?? []), name]);
      }
    }
    return found;
  }

  const DIGITS_AND_LETTERS = [..."abcdefghijklmnopqrstuvwxyz0123456789"];

  /** The text, and every text that it may be a typo of, from the third letter on. */
  function meant(text: string): Set<string> {
    const found = new Set([text]);
    for (let at = 2; at <= text.length; at++) {
      const [before, after, rest] = [text.slice(0, at), text.slice(at), text.slice(at + 1)];
      found.add(before + rest);
      if (rest !== "") found.add(before + rest[0] + after[0] + rest.slice(1));
      for (const other of DIGITS_AND_LETTERS) found.add(before + other + after);
      for (const other of DIGITS_AND_LETTERS) found.add(before + other + rest);
    }
    return found;
  }

  test("a name of 10,000 with numbers, typed with a typo after the second letter until at most ten names fit", async () => {
    const names = demoNames(16_000, 3)
      .filter((name) => /^[a-z0-9]+\d$/i.test(name))
      .slice(0, 10_000);
    expect(names.length).toBe(10_000);
    const beginning = byBeginning(names);
    const fitting = (text: string) =>
      new Set([...meant(text)].flatMap((other) => beginning.get(other) ?? []));
    await store(names);
    const random = new Random(4);
    const missed: string[] = [];
    const count = scaled(1200);
    for (let sample = 0; sample < count; sample++) {
      const name = random.pick(names);
      const letters = lettersOf(name);
      const typing = mistype(letters.join(""), {
        kind: random.pick(["add", "drop", "change", "swap"]),
        at: random.int(2, letters.length - 1),
        letter: random.pick(DIGITS_AND_LETTERS),
      });
      let length = 3;
      while (length < typing.length && fitting(typing.slice(0, length)).size > MAX_NAMES)
        length += 1;
      const text = typing.slice(0, length);
      if (!(await searched(text)).includes(name)) missed.push(`${text}: ${name}`);
    }
    expect(missed.length / count <= 0.05 || missed).toBe(true);
  });

  test("a later word of four or more letters: the names of the latest matches, after those that begin so", async () => {
    const names = demoNames(10_000, 5);
    await store(names);
    const latestFirst = names.toReversed();
    const words = new Set(
      names.flatMap((name) => /[a-z_ ]([A-Z][a-z]{3,})\d*$/.exec(name)?.[1] ?? []),
    );
    expect(words.size).toBeGreaterThan(30);
    for (const word of words) {
      const inside = new RegExp(`[a-z_ ]${word}`);
      const expected = [
        ...latestFirst.filter((name) => name.toLowerCase().startsWith(word.toLowerCase())),
        ...latestFirst.filter((name) => inside.test(name)),
      ];
      const found = await searched(word.toLowerCase());
      expect(found).toEqual(expected.slice(0, MAX_NAMES));
    }
  });
});
