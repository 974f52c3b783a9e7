/** Damages the text of a document: its JSON, UTF-8, numbers and members. */

import type { Chance } from "../../support/chance.ts";
import { strangeName, strangeText } from "./values.ts";

/** Returns the damaged text, or a Buffer when it is not valid text. The caller removes line feeds. */
export type Defacement = (json: string, chance: Chance) => string | Buffer;

const cut: Defacement = (json, chance) => json.slice(0, chance.below(json.length));

const cutFront: Defacement = (json, chance) => json.slice(chance.between(1, json.length - 1));

const flipBytes: Defacement = (json, chance) => {
  const bytes = Buffer.from(json);
  for (let times = chance.pick([1, 1, 2, 10]); times > 0; times--) {
    bytes[chance.below(bytes.length)]! ^= 1 << chance.below(8);
  }
  return bytes;
};

/** Beginnings, middles and ends of characters of several bytes, and bytes of none. */
const PARTS_OF_UTF8 = [
  0x80, 0x82, 0x90, 0xa0, 0xaf, 0xc0, 0xc3, 0xe0, 0xe2, 0xed, 0xf4, 0xfe, 0xff,
];
const brokenUtf8 = (chance: Chance) =>
  Array.from({ length: chance.between(1, 4) }, () => chance.pick(PARTS_OF_UTF8));

/** Bytes inside some string. */
const intoString =
  (bytesOf: (chance: Chance) => number[]): Defacement =>
  (json, chance) => {
    const bytes = Buffer.from(json);
    const at = bytes.indexOf('":"', chance.below(bytes.length)) + 3;
    const spot = at > 2 ? at : bytes.indexOf('":"') + 3;
    const inserted = Buffer.from(bytesOf(chance));
    return Buffer.concat([bytes.subarray(0, spot), inserted, bytes.subarray(spot)]);
  };

const mark: Defacement = (json, chance) => chance.pick(["\ufeff", "\ufeff\ufeff", "\u0000"]) + json;

const otherEncoding: Defacement = (json, chance) =>
  Buffer.from(json, chance.oneIn(2) ? "utf16le" : "latin1");

const NUMBERS = [
  "1e400",
  "-1e400",
  "1e308",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "9007199254740993.0",
  "900719925474099.3e1",
  "123456789012345678901234567890",
  `1${"0".repeat(400)}`,
  `0.${"0".repeat(400)}1`,
  `1.${"3".repeat(5000)}`,
  "NaN",
  "-0",
  "1e-400",
];

/** The position of a number after a colon (or of the whole text, when there is none). */
function someValue(json: string, chance: Chance): { start: number; end: number } {
  const found = [...json.matchAll(/":(-?\d[\d.]*)/g)];
  const one = found.length > 0 ? chance.pick(found) : undefined;
  if (!one) return { start: 0, end: json.length };
  return { start: one.index + 2, end: one.index + one[0].length };
}

function withValue(json: string, chance: Chance, value: string): string {
  const { start, end } = someValue(json, chance);
  return json.slice(0, start) + value + json.slice(end);
}

const strangeNumber: Defacement = (json, chance) => {
  const number = chance.oneIn(3) ? chance.mistyped("10.5", "01+-.eEx_") : chance.pick(NUMBERS);
  return withValue(json, chance, number);
};

const nesting: Defacement = (json, chance) => {
  const levels = chance.pick([60, 100, 1000, 9000]);
  const [open, close] = chance.pick([
    ["[", "]"],
    ['{"in":', "}"],
  ] as const);
  const isClosed = !chance.oneIn(4);
  return withValue(json, chance, open.repeat(levels) + 1 + (isClosed ? close.repeat(levels) : ""));
};

/** Too deep for any recursive parser. Used rarely: each is a megabyte. */
const abyss: Defacement = (json, chance) => {
  const [open, close] = chance.pick([
    ["[", "]"],
    ['{"in":', "}"],
    ['[{"in":', "}]"],
  ] as const);
  // With digits that make the parser check every value again.
  const core = chance.oneIn(2) ? "9007199254740993" : "1";
  const deep = open.repeat(100_000) + core + close.repeat(100_000);
  return chance.oneIn(3) ? deep : withValue(json, chance, deep);
};

/** Repeats a member in the same object, with the same or another value. */
const repeatedMember: Defacement = (json, chance) => {
  const members = [...json.matchAll(/"([^"\\]+)":(-?\d[\d.]*|true|false|"[^"\\]*")/g)];
  if (members.length === 0) return json;
  const one = chance.pick(members);
  const [whole, name, value] = one as unknown as [string, string, string];
  const space = chance.pick(["", " ", "\t", " \r "]);
  const spelled = chance.oneIn(3)
    ? [...name].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
    : name;
  const twin = `"${spelled}"${space}:${space}${chance.oneIn(3) ? "null" : value}`;
  return `${json.slice(0, one.index)}${twin},${whole}${json.slice(one.index + whole.length)}`;
};

/** Comments, other quotes and separators, and spaces that JSON does not know. */
const badGrammar: Defacement = (json, chance) =>
  chance.mistyped(json, "{}[](),;:='\"/*\\x \r\u0001\u00a0\u2028");

const doubled: Defacement = (json, chance) => json + chance.pick(["", " ", ",", "\u001e"]) + json;

const listed: Defacement = (json, chance) =>
  chance.pick([
    `[${json}]`,
    `[${json},${json}]`,
    `[[${json}]]`,
    `{"data":${json}}`,
    `{"data":[${json}]}`,
    `[${json},null,1,"x",[]]`,
    "[]",
    '{"data":[]}',
  ]);

const noDocument: Defacement = (_json, chance) =>
  chance.oneIn(2)
    ? chance.pick(["null", "true", "0", '""', "{}", "[1,2]", '{"data":null}', '{"included":[]}'])
    : JSON.stringify({ [strangeName(chance)]: strangeText(chance) });

const noise: Defacement = (_json, chance) => chance.bytes(chance.between(1, 400));

export const DEFACEMENTS: readonly { weight: number; make: Defacement }[] = [
  { weight: 10, make: cut },
  { weight: 4, make: cutFront },
  { weight: 16, make: flipBytes },
  { weight: 10, make: intoString(brokenUtf8) },
  { weight: 4, make: intoString((chance) => (chance.oneIn(2) ? [0] : [0, 0, 0])) },
  { weight: 3, make: mark },
  { weight: 3, make: otherEncoding },
  { weight: 16, make: strangeNumber },
  { weight: 6, make: nesting },
  { weight: 1, make: abyss },
  { weight: 16, make: repeatedMember },
  { weight: 10, make: badGrammar },
  { weight: 4, make: doubled },
  { weight: 6, make: listed },
  { weight: 6, make: noDocument },
  { weight: 6, make: noise },
];
