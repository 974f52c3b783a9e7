/** Texts for paths and query strings that are encoded in every wrong way, and targets that are too long. */

import type { Chance } from "../../support/chance.ts";

const URL_CHARACTERS =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?%[]|^`{}\\\"<>#";

const ODD_ESCAPES = [
  "%",
  "%%",
  "%2",
  "%zz",
  "%u0041",
  "%00",
  "%0a%0d",
  "%ff",
  "%c0%af",
  "%e0%80%af",
  "%ed%a0%80",
  "%ed%a0%80%ed%b0%80",
  "%f4%90%80%80",
  "%C3%28",
  "%c3%bc",
  "%C3%bC",
  "%25",
  "%2525",
  "%252e%252e%252f",
  "%2e%2e",
  "%2F",
  "%5c",
  "%EF%BB%BF",
  "%F0%9F%98%80",
  "%26",
  "%3D",
  "%5B",
  "%5d",
  "+",
  "%2B",
  "%20",
  ";",
  "#",
];

/** Non-ASCII bytes; the text is sent as latin1, byte for byte. */
const rawBytes = (chance: Chance, length: number) =>
  Array.from({ length }, () => String.fromCharCode(chance.between(0x80, 0xff))).join("");

export function oddText(chance: Chance): string {
  switch (chance.below(8)) {
    case 0:
      return chance.text(chance.between(0, 40), URL_CHARACTERS);
    case 1:
      return rawBytes(chance, chance.between(1, 20));
    case 2:
      return chance.pick(ODD_ESCAPES).repeat(chance.between(1, 30));
    case 3:
      return chance.pick(["__proto__", "constructor", "toString", "null", "undefined", "NaN"]);
    case 4:
      return chance.pick(["..", ".", "../..", "..\\..", "....//", "%2e%2e/%2e%2e", "a/../b", "//"]);
    default:
      return Array.from({ length: chance.between(1, 6) }, () =>
        chance.oneIn(2) ? chance.pick(ODD_ESCAPES) : chance.text(3, "abcXYZ019"),
      ).join("");
  }
}

/** Beyond our own limit, or beyond that of the runtime. */
export function tooLong(target: string, chance: Chance): string {
  const size = chance.pick([8_000, 8_200, 12_000, 16_000, 17_000, 60_000, 300_000]);
  return `${target}${target.includes("?") ? "&" : "?"}${"x".repeat(size)}`;
}
