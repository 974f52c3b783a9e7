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
  // Every part but the fraction has a fixed place. Reading it there takes a third of the time of capturing it.
  const year = numberIn(text, 0, 4);
  const month = numberIn(text, 5, 7);
  const day = numberIn(text, 8, 10);
  const hour = numberIn(text, 11, 13);
  const minute = numberIn(text, 14, 16);
  const second = numberIn(text, 17, 19);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const zoneAt = text.length - (text.endsWith("Z") ? 1 : 6);
  const offset = offsetMinutes(text, zoneAt);
  if (offset === undefined) return undefined;

  const millisecond =
    zoneAt === FRACTION_AT
      ? 0
      : Number(
          text
            .slice(FRACTION_AT + 1, zoneAt)
            .slice(0, 3)
            .padEnd(3, "0"),
        );
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A nonexistent day (30 February) rolls over into the next month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second, millisecond);
  const moment = date.getTime() - offset * 60_000;
  // The offset can lead beyond four-digit years.
  return moment < EARLIEST || moment > LATEST ? undefined : moment;
}

/** Where a fraction starts, or the zone if there is none. */
const FRACTION_AT = 19;

/** Expects digits. */
function numberIn(text: string, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at++) number = 10 * number + text.charCodeAt(at) - 48;
  return number;
}

function offsetMinutes(text: string, zoneAt: number): number | undefined {
  if (text[zoneAt] === "Z") return 0;
  const hours = numberIn(text, zoneAt + 1, zoneAt + 3);
  const minutes = numberIn(text, zoneAt + 4, zoneAt + 6);
  if (hours > 23 || minutes > 59) return undefined;
  return (text[zoneAt] === "-" ? -1 : 1) * (hours * 60 + minutes);
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
