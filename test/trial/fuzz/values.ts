/** JSON values and member names that often break programs. */

import type { Json } from "../../../src/domain/json.ts";
import type { Chance } from "../../support/chance.ts";

const TEXTS = [
  "",
  " ",
  "x",
  "true",
  "a\u0000b",
  "\ud800",
  "\udfff\ud800",
  "\ufeff",
  "\u202eevil",
  "e\u0301",
  "😀👨‍👩‍👧‍👦",
  "\u001b[2J\u0007",
  'quote " backslash \\ newline \n',
  "../../etc/passwd",
  "'; DROP TABLE matches; --",
  "%00%ff",
  "<script>alert(1)</script>",
  "9007199254740993",
] as const;

const NUMBERS = [
  0,
  -0,
  -1,
  0.1,
  1e-7,
  5e-324,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  2 ** 53 + 2,
  2 ** 63,
  1e21,
  1.7976931348623157e308,
];

const NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "toJSON",
  "hasOwnProperty",
  "length",
  "then",
  "",
  " ",
  "0",
  "-1",
  "4294967295",
  "type",
  "id",
  "data",
  "meta",
  "links",
  "attributes",
  "relationships",
  "a.b",
  "a/b",
  "a[b]",
  "a,b",
  "\u0000",
  "\ud800",
  "\u001b[31m",
  "ключ",
  "😀",
] as const;

export function strangeText(chance: Chance): string {
  switch (chance.below(12)) {
    case 0:
      return "long ".repeat(chance.between(50, 2000));
    case 1:
      return "x".repeat(chance.between(255, 258));
    case 2:
      return chance.text(chance.between(1, 20), "abcXYZ019_-");
    default:
      return chance.pick(TEXTS);
  }
}

export function strangeName(chance: Chance): string {
  return chance.oneIn(20) ? "n".repeat(chance.between(100, 5000)) : chance.pick(NAMES);
}

/** Any JSON value, mostly small. */
export function strangeValue(chance: Chance, depth = 3): Json {
  switch (chance.below(depth > 0 ? 10 : 7)) {
    case 0:
      return null;
    case 1:
      return chance.oneIn(2);
    case 2:
    case 3:
      return chance.pick(NUMBERS);
    case 4:
      return chance.between(-1000, 1000) / 8;
    case 5:
    case 6:
      return strangeText(chance);
    case 7:
      return Array.from({ length: chance.below(4) }, () => strangeValue(chance, depth - 1));
    case 8:
      return nested(chance.pick([5, 30, 58, 64, 65, 66, 200]), chance.oneIn(2));
    default:
      return Object.fromEntries(
        Array.from({ length: chance.below(4) }, () => [
          strangeName(chance),
          strangeValue(chance, depth - 1),
        ]),
      );
  }
}

/** This many lists (or objects) inside each other. */
function nested(levels: number, inLists: boolean): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level++) value = inLists ? [value] : { in: value };
  return value;
}
