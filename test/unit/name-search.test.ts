/** Examples of similar names: what counts in a name, and which names are closest. */

import { describe, expect, test } from "bun:test";
import { indexKeys, lettersOf, NameSearch } from "../../src/features/name-search/similar-names.ts";

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

describe("the keys of a name are its letters, its letters reversed, and those from each later word on:", () => {
  test.each([
    ["no later word", "Zoë 1", ["=zoe1", "<1eoz"]],
    ["at a capital after a small letter", "StormGecko139", ["+gecko139"]],
    ["every one", "xX_DarkKnight_Xx", ["+darkknightxx", "+knightxx"]],
    ["after a digit", "abc123defg", ["+defg"]],
    ["after a space or punctuation", "iron wolf-pack", ["+wolfpack", "+pack"]],
    ["with an accent", "ÉtoileÉtrange", ["+etrange"]],
    ["in another script", "лисаВитязь77", ["+витязь77"]],
    ["at a change of script", "名前Gecko", ["+gecko"]],
    ["at a change within Japanese, with a long vowel", "桜月カキクケコー", ["+カキクケコー"]],
    ["at a change from a rare script", "ԱԲԳԴGecko", ["+gecko"]],
    ["not of fewer than four letters", "StormFox99", []],
    ["not after capitals", "ABCDefgh", []],
    ["not the first one, after punctuation", "_Darkling", []],
    ["each once", "Gecko_Gecko Gecko", ["+geckogecko", "+gecko"]],
  ])("%s: %s", (_, name, expected) => {
    const keys = indexKeys(name);
    expect(keys.slice(expected[0]?.startsWith("=") ? 0 : 2)).toEqual(expected);
  });
});

describe("names fit in this order:", () => {
  test.each([
    ["the name itself before others of the same letters", "ada", ["Ada", "ada", "A da"], "ada"],
    ["the same letters before a longer name", "ad a", ["Adan", "ADA"], "ADA"],
    ["a beginning before a later word", "gecko", ["StormGecko", "Geckos"], "Geckos"],
    ["the beginning of a later word before a typo", "geck", ["Gexk", "StormGecko"], "StormGecko"],
    ["one typo before a mistyped beginning", "adda", ["Adxans", "Ada"], "Ada"],
    ["a beginning before one typo", "adda", ["Ada", "Addams"], "Addams"],
    [
      "a mistyped beginning before two typos",
      "stormgexk",
      ["Stormgexyz", "StormGecko1"],
      "StormGecko1",
    ],
    [
      "a typo inside before a wrong last letter",
      "stomgex",
      ["StomGeorge", "StormGexa"],
      "StormGexa",
    ],
    ["a swap as one typo", "gracee", ["Grxcxe", "Garcee"], "Garcee"],
  ])("%s", (_, typed, names, first) => {
    const search = new NameSearch(typed);
    const ranks = names.map((name) => search.rankOf(name));
    expect(names.filter((_, at) => ranks[at] === Math.min(...ranks))).toEqual([first]);
  });
});
