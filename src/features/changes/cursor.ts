/** Encodes and decodes positions in the change log: `1z4-k3f9x0` is a number and a tag in base 36. */

import type { LogPosition } from "../../query/query.ts";

const TEXT = /^([0-9a-z]{1,11})-([0-9a-z]{1,7})$/;

export const encodeLogCursor = ({ number, tag }: LogPosition): string =>
  `${number.toString(36)}-${tag.toString(36)}`;

/** Undefined for any text that `encodeLogCursor` does not produce. */
export function decodeLogCursor(text: string): LogPosition | undefined {
  const [, number, tag] = TEXT.exec(text) ?? [];
  if (number === undefined || tag === undefined) return undefined;
  const position = { number: Number.parseInt(number, 36), tag: Number.parseInt(tag, 36) };
  const isValid = Number.isSafeInteger(position.number) && encodeLogCursor(position) === text;
  return isValid ? position : undefined;
}
