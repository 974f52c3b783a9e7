/** Parses and formats ISO 8601 timestamps. */

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
const ALREADY_CANONICAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;

export const EARLIEST = Date.parse("0000-01-01T00:00:00Z");
export const LATEST = Date.parse("9999-12-31T23:59:59.999Z");

/** How far the clock of a game server may be ahead: matches dated later are rejected. */
export const CLOCK_TOLERANCE_MS = 10 * 60 * 1000;

export const TIMESTAMP_EXAMPLE = "2026-03-01T18:30:00Z";

/** Milliseconds since the epoch; undefined if the format is wrong or the date does not exist. */
export function parseTimestamp(text: string): number | undefined {
  if (!TIMESTAMP.test(text)) return undefined;
  const moment = Date.parse(text);
  // The hour 24, and a day that does not exist, roll over into the next one.
  if (text.startsWith("24", 11)) return undefined;
  const day = Number(text.slice(8, 10));
  if (day > 28 && new Date(text.slice(0, 10)).getUTCDate() !== day) return undefined;
  // The offset can lead beyond four-digit years.
  return moment >= EARLIEST && moment <= LATEST ? moment : undefined;
}

/** UTC, without a fraction for whole seconds. */
export function formatTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(".000Z", "Z");
}

/**
 * The stored form of a record's time. A UTC time with at most milliseconds is stored as it was
 * sent; anything else is converted.
 */
export function canonicalTimestamp(text: string, milliseconds: number): string {
  return ALREADY_CANONICAL.test(text) ? text : formatTimestamp(milliseconds);
}
