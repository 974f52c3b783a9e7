/** Examples of similar names: what counts in a name, and which names are closest. */

import { describe, expect, test } from "bun:test";
import { closestNames, indexKeys, lettersOf } from "../../src/domain/similar-names.ts";

const letters = (name: string) => Array.from(lettersOf(name)).join("");

describe("of a name counts", () => {
  test.each([
    ["no case", "ADA", "ada"],
    ["no blank, wherever it is", "  A d\ta ", "ada"],
    ["no punctuation", "x_X.Ada-X_x", "xxadaxx"],
    ["no accent", "Ádà", "ada"],
    ["no accent written apart", "A\u0301da", "ada"],
    ["no width", "Ａｄａ", "ada"],
    ["nothing invisible", "A\u200bda\u2060", "ada"],
    ["no case, where only capitals have it", "Straße", "strasse"],
    ["no dot that only some have", "İIıi", "iiii"],
    ["no form that letters have at the end of a word", "ΟΔΟΣ", "οδοσ"],
    ["each syllable as one letter", "하늘", "하늘"],
    ["every other script as it is", "名前", "名前"],
    ["a symbol", "$😀", "$😀"],
  ])("%s: %s", (_, name, expected) => {
    expect(letters(name)).toBe(expected);
  });

  test("everything, if there are only spaces and punctuation", () => {
    expect(letters("-_-")).toBe("-_-");
    expect(letters(" ")).toBe(" ");
    expect(letters("\u0301")).toBe("\u0301");
  });

  test("no more than the first 32 letters", () => {
    expect(letters("😀".repeat(40))).toBe("😀".repeat(32));
  });
});

test("the keys of a name are those in existing data folders", () => {
  expect(indexKeys("Zoë 1")).toEqual([
    ...["=zoe1", "<1eoz", "-zoe1", "-oe1", "-ze1", "-zo1", "-zoe"],
  ]);
  expect(indexKeys("aa")).toEqual(["=aa", "<aa", "-aa", "-a"]);
});

describe("close to what was typed come", () => {
  test.each([
    ["the name itself before others of the same letters", "ada", ["Ada", "ada", "A da"], "ada"],
    ["the same letters before one slip", "ad a", ["Adan", "Adda", "ADA"], "ADA"],
    ["one slip before names that begin so", "adda", ["Addams", "Ada"], "Ada"],
    [
      "names that begin so before two slips",
      "gracia",
      ["Grace", "GraciaPatricia"],
      "GraciaPatricia",
    ],
    ["beginnings before slips, where little is typed", "ad", ["Al", "Adalbert"], "Adalbert"],
    ["the same first letter before another", "ada", ["Ida", "Ala"], "Ala"],
    ["a length that fits before one that does not", "adam", ["Adams", "Adan"], "Adan"],
    ["a swap as one slip", "gracee", ["Garcee", "Grxcxe"], "Garcee"],
  ])("%s", (_, typed, names, first) => {
    expect(closestNames(typed, names, 10)[0]).toBe(first);
    expect(closestNames(typed, [...names].reverse(), 10)[0]).toBe(first);
  });
});
