/** The text form of a position in the change log of a shard. Clients treat it as opaque. */

/** As in src/store/store.ts, which this part may not import. */
interface LogPosition {
  number: number;
  tag: number;
}

const CURSOR = /^([0-9a-z]{1,11})-([0-9a-z]{1,7})$/;
const BASE = 36;

export const formatCursor = ({ number, tag }: LogPosition): string =>
  `${number.toString(BASE)}-${tag.toString(BASE)}`;

/** Undefined if the text is no cursor. */
export function parseCursor(text: string): LogPosition | undefined {
  const parts = CURSOR.exec(text);
  if (!parts) return undefined;
  const position = {
    number: Number.parseInt(parts[1]!, BASE),
    tag: Number.parseInt(parts[2]!, BASE),
  };
  // Each position has one text: no leading zeros, nothing beyond exact integers.
  return Number.isSafeInteger(position.number) && formatCursor(position) === text
    ? position
    : undefined;
}
