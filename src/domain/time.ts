/** Parses and formats ISO 8601 timestamps. */

const TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;
const ALREADY_CANONICAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;

const EARLIEST = Date.parse("0000-01-01T00:00:00Z");
const LATEST = Date.parse("9999-12-31T23:59:59.999Z");

export const TIMESTAMP_EXAMPLE = "2026-03-01T18:30:00Z";

/** Milliseconds since the epoch; undefined if the format is wrong or the date does not exist. */
export function parseTimestamp(text: string): number | undefined {
  const parts = TIMESTAMP.exec(text);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = offsetMinutes(parts[8] as string);
  if (offset === undefined) return undefined;

  const millisecond = Number((parts[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A nonexistent day (30 February) rolls over into the next month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second, millisecond);
  const moment = date.getTime() - offset * 60_000;
  // The offset can lead beyond four-digit years.
  return moment < EARLIEST || moment > LATEST ? undefined : moment;
}

function offsetMinutes(zone: string): number | undefined {
  if (zone === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone[0] === "-" ? -1 : 1) * (hours * 60 + minutes);
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
