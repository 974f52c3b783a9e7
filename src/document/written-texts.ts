/**
 * Remembers how players and teams were written, by the checksums of what is stored. The same ones are on many pages, and
 * inflating so many short pieces takes as long as inflating the matches.
 */

import type { Piece } from "./fragment.ts";

interface Written {
  storedCrc: number;
  length: number;
  lastMatchAt: number | undefined;
  text: string;
}

/** Of all texts, with what the map needs for each. When they are more, all are dropped. */
const MAX_BYTES = 8 << 20;
const ENTRY_BYTES = 250;

let bytes = 0;
/** By rule, then by the checksum of the plain text. */
const rules = new Map<string, Map<number, Written>>();

/** `rule` identifies how the text is written. */
export function findWritten(
  rule: string,
  { crc, storedCrc, length }: Piece,
  lastMatchAt: number | undefined,
): string | undefined {
  const found = rules.get(rule)?.get(crc);
  const isSame =
    found?.storedCrc === storedCrc && found.length === length && found.lastMatchAt === lastMatchAt;
  return isSame ? found.text : undefined;
}

export function rememberWritten(
  rule: string,
  { crc, storedCrc, length }: Piece,
  lastMatchAt: number | undefined,
  text: string,
): void {
  // Callers choose the rules, so these take memory too.
  const entryBytes = text.length + ENTRY_BYTES + (rules.has(rule) ? 0 : rule.length);
  bytes += entryBytes;
  if (bytes > MAX_BYTES) {
    rules.clear();
    bytes = entryBytes;
  }
  const texts = rules.get(rule) ?? new Map<number, Written>();
  rules.set(rule, texts.set(crc, { storedCrc, length, lastMatchAt, text }));
}
