/** Examples of similar names: what counts in a name, and which names are closest. */

import { describe, expect, test } from "bun:test";
import { closestNames, indexKeys, lettersOf } from "../../src/domain/similar-names.ts";

const letters = (name: string) => Array.from(lettersOf(name)).join("");

describe("the letters of a name", () => {
  test.each([
    ["ignore case", "ADA", "ada"],
    ["ignore spaces, wherever they are", "  A d\ta ", "ada"],
    ["ignore punctuation", "x_X.Ada-X_x", "xxadaxx"],
    ["ignore accents", "Ádà", "ada"],
    ["ignore combining accents", "A\u0301da", "ada"],
    ["ignore width", "Ａｄａ", "ada"],
    ["ignore invisible characters", "A\u200bda\u2060", "ada"],
    ["ignore case, where only capitals differ", "Straße", "strasse"],
    ["ignore the dots of i", "İIıi", "iiii"],
    ["ignore final forms of letters", "ΟΔΟΣ", "οδοσ"],
    ["count each syllable as one letter", "하늘", "하늘"],
    ["keep every other script", "名前", "名前"],
    ["keep symbols", "$😀", "$😀"],
  ])("%s: %s", (_, name, expected) => {
    expect(letters(name)).toBe(expected);
  });

  test("are everything, if there are only spaces and punctuation", () => {
    expect(letters("-_-")).toBe("-_-");
    expect(letters(" ")).toBe(" ");
    expect(letters("\u0301")).toBe("\u0301");
  });

  test("are at most the first 32", () => {
    expect(letters("😀".repeat(40))).toBe("😀".repeat(32));
  });
});

test("the keys of a name are those in existing data folders", () => {
  expect(indexKeys("Zoë 1")).toEqual([
    ...["=zoe1", "<1eoz", "-zoe1", "-oe1", "-ze1", "-zo1", "-zoe"],
  ]);
  expect(indexKeys("aa")).toEqual(["=aa", "<aa", "-aa", "-a"]);
});

describe("the closest names are, in this order,", () => {
  test.each([
    ["the name itself before others of the same letters", "ada", ["Ada", "ada", "A da"], "ada"],
    ["the same letters before one typo", "ad a", ["Adan", "Adda", "ADA"], "ADA"],
    ["one typo before names with this prefix", "adda", ["Addams", "Ada"], "Ada"],
    [
      "names with this prefix before two typos",
      "gracia",
      ["Grace", "GraciaPatricia"],
      "GraciaPatricia",
    ],
    ["prefixes before typos, where little is typed", "ad", ["Al", "Adalbert"], "Adalbert"],
    ["the same first letter before another", "ada", ["Ida", "Ala"], "Ala"],
    ["a length that fits before one that does not", "adam", ["Adams", "Adan"], "Adan"],
    ["a swap as one typo", "gracee", ["Garcee", "Grxcxe"], "Garcee"],
  ])("%s", (_, typed, names, first) => {
    expect(closestNames(typed, names, 10)[0]).toBe(first);
    expect(closestNames(typed, [...names].reverse(), 10)[0]).toBe(first);
  });
});
