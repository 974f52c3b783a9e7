/**
 * Remembers how stored pieces were written for chosen fields, by their checksums. The same players and recent matches are on
 * many pages, and inflating and searching them takes most of the time of such a page.
 */

import type { Piece } from "./fragment.ts";

interface Written {
  storedCrc: number;
  length: number;
  lastMatchAt: number | undefined;
  text: string;
}

/** Of all texts, with what the map needs for each. When they are more, all are dropped. */
const MAX_BYTES = 32 << 20;
const ENTRY_BYTES = 250;

let bytes = 0;
/** By rule, then by the checksum of the plain text. */
const rules = new Map<string, Map<number, Written>>();

/**
 * The checksums of pieces that were written lately. A piece is remembered the second time: remembering those of a large
 * shard, of which few come again soon, would take longer than it saves.
 */
const seen = new Int32Array(1 << 16);

function isSeenAgain(crc: number): boolean {
  const slot = crc & (seen.length - 1);
  const isAgain = seen[slot] === (crc | 0);
  seen[slot] = crc;
  return isAgain;
}

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

/** `text` has a character for each byte. */
export function rememberWritten(
  rule: string,
  { crc, storedCrc, length }: Piece,
  lastMatchAt: number | undefined,
  text: string,
): void {
  if (!isSeenAgain(crc)) return;
  // Callers choose the rules, so these take memory too.
  const entryBytes = text.length + ENTRY_BYTES + (rules.has(rule) ? 0 : rule.length);
  bytes += entryBytes;
  if (bytes > MAX_BYTES) {
    rules.clear();
    bytes = entryBytes;
  }
  const texts = rules.get(rule) ?? new Map<number, Written>();
  // A copy, because parts of a text keep the whole page in memory.
  const copy = Buffer.from(text, "latin1").toString("latin1");
  rules.set(rule, texts.set(crc, { storedCrc, length, lastMatchAt, text: copy }));
}
