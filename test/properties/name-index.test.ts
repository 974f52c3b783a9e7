/** Similar names: compared with a full table, and found by the index. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { playerName } from "../../src/demo/names.ts";
import { Random } from "../../src/demo/random.ts";
import { closestNames, indexKeys, keysToRead, lettersOf } from "../../src/domain/similar-names.ts";
import { editDistance } from "../../src/text/nearest.ts";
import { scaled } from "../support/scale.ts";

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

/** An index of these names, queried like a store. */
class Index {
  readonly #rows: { spot: Buffer; name: string }[];

  constructor(names: Iterable<string>) {
    this.#rows = [...new Set(names)]
      .flatMap((name) => indexKeys(name).map((spot) => ({ spot: Buffer.from(spot), name })))
      .sort(
        (a, b) =>
          Buffer.compare(a.spot, b.spot) ||
          Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
      );
  }

  closestTo(typed: string): string[] {
    const { keys, before, after } = keysToRead(typed);
    const around = new Set<string>();
    for (const spot of keys) {
      const at = this.#placeOf(Buffer.from(spot));
      for (const { name } of this.#rows.slice(Math.max(0, at - before), at + after)) {
        around.add(name);
      }
    }
    return closestNames(typed, around, 10);
  }

  #placeOf(spot: Buffer): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Buffer.compare(this.#rows[middle]!.spot, spot) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
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

  test("are symmetric", () => {
    fc.assert(
      fc.property(word(0, 8), typo, typo, (name, first, second) => {
        const typed = mistype(mistype(name || "a", first), second);
        const [one, other] = [lettersOf(name || "a"), lettersOf(typed)];
        expect(editDistance(one, other, 2)).toBe(editDistance(other, one, 2));
      }),
      { numRuns: scaled(2000) },
    );
  });
});

describe("the keys of a name", () => {
  test("are few, distinct and well-formed, whatever the name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 256 }), (any) => {
        const name = any.replaceAll("\0", "") || "a";
        const spots = indexKeys(name);
        expect(spots.length).toBeGreaterThanOrEqual(3);
        expect(spots.length).toBeLessThanOrEqual(15);
        expect(new Set(spots).size).toBe(spots.length);
        for (const spot of spots) {
          expect(spot.isWellFormed() && !spot.includes("\0")).toBe(true);
          expect(Array.from(spot).length).toBeLessThanOrEqual(33);
        }
      }),
      { numRuns: scaled(2000) },
    );
  });

  test("cause a bounded number of reads, whatever was typed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 64 }), (typed) => {
        const { keys, before, after } = keysToRead(typed);
        expect(keys.length * (before + after)).toBeLessThanOrEqual(144 + 15);
      }),
    );
  });
});

describe("the index finds", () => {
  const crowd = fc.array(word(1, 12), { maxLength: 6 });

  test("a name of up to twelve letters with one typo anywhere, among a few others", () => {
    fc.assert(
      fc.property(word(2, 12), typo, crowd, (name, wrong, others) => {
        const typed = mistype(name, wrong);
        fc.pre(lettersOf(typed).length > 1);
        expect(new Index([name, ...others]).closestTo(typed)).toContain(name);
      }),
      { numRuns: scaled(3000) },
    );
  });

  test("an exact name, always first", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), crowd, (name, others) => {
        expect(new Index([name, ...others]).closestTo(name)[0]).toBe(name);
      }),
    );
  });

  test("a name by its beginning", () => {
    fc.assert(
      fc.property(word(2, 20), fc.nat(), (name, length) => {
        const letters = Array.from(name);
        const begun = letters.slice(0, 1 + (length % letters.length)).join("");
        expect(new Index([name]).closestTo(begun)).toEqual([name]);
      }),
    );
  });

  test("nearly all of 4,000 names with one typo, and nine of ten with two", () => {
    const scripts = [16, 1, 1, 1, 1] as const;
    const names = Array.from({ length: 4000 }, (_, number) =>
      playerName(new Random(1, number), scripts, number, true),
    );
    const index = new Index(names);
    const random = new Random(2);
    const any = (): Typo => ({
      kind: random.pick(["add", "drop", "change", "swap"]),
      at: random.int(0, 999),
      letter: random.pick([..."aeiostrn0123456789"]),
    });
    let [byOne, byTwo] = [0, 0];
    const searched = names.slice(0, scaled(names.length));
    for (const name of searched) {
      const typed = mistype(name, any());
      if (index.closestTo(typed).includes(name)) byOne += 1;
      if (index.closestTo(mistype(typed, any())).includes(name)) byTwo += 1;
    }
    expect(byOne / searched.length).toBeGreaterThan(0.99);
    expect(byTwo / searched.length).toBeGreaterThan(0.9);
  });
});
