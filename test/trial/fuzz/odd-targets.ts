/** Texts for paths and query strings that are encoded in every wrong way, and targets that are too long. */

import type { Chance } from "../../support/chance.ts";

const URL_CHARACTERS =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?%[]|^`{}\\\"<>#";

export const escapedAll = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

const oddEscape = (chance: Chance) =>
  chance.oneIn(4)
    ? chance.pick(["%", "%%", "%u0041", "%2525", "+", ";", "#"])
    : chance.mistyped(
        escapedAll(chance.pick([..."ü😀\ufeff\0%/.&=[]+ ", "..", "\n\r", "../"])),
        "%0123456789abcdefCDEFz",
      );

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
      return oddEscape(chance).repeat(chance.between(1, 30));
    case 3:
      return chance.pick(["__proto__", "constructor", "toString", "null", "undefined", "NaN"]);
    case 4:
      return chance.pick(["..", ".", "../..", "..\\..", "....//", "%2e%2e/%2e%2e", "a/../b", "//"]);
    default:
      return Array.from({ length: chance.between(1, 6) }, () =>
        chance.oneIn(2) ? oddEscape(chance) : chance.text(3, "abcXYZ019"),
      ).join("");
  }
}

/** Beyond our own limit, or beyond that of the runtime. */
export function tooLong(target: string, chance: Chance): string {
  const size = chance.pick([8_000, 8_200, 12_000, 16_000, 17_000, 60_000, 300_000]);
  return `${target}${target.includes("?") ? "&" : "?"}${"x".repeat(size)}`;
}
