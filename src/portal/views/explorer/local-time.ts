/** Converts times between date-time fields, in local time, and the query, in UTC. */

import { formatTimestamp, parseTimestamp } from "../../../domain/time.ts";

/**
 * The value of a date-time field. Undefined for an invalid timestamp. It omits zero seconds as browsers do: any other
 * spelling would interfere with typing.
 */
export function localOf(iso: string): string | undefined {
  const moment = parseTimestamp(iso);
  if (moment === undefined) return undefined;
  const shifted = new Date(moment - new Date(moment).getTimezoneOffset() * 60_000);
  return shifted.toISOString().replace(/(?:(?::00)?\.000)?Z$/, "");
}

/** The time in UTC; undefined while the field is incomplete. */
export function isoOf(local: string): string | undefined {
  const moment = Date.parse(local);
  return Number.isNaN(moment) ? undefined : formatTimestamp(moment);
}

/** "UTC+02:00": the visitor's UTC offset at that time. */
export function zoneAt(moment: number): string {
  const parts = new Intl.DateTimeFormat("en", { timeZoneName: "longOffset" }).formatToParts(moment);
  const zone = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  return zone.replace("GMT", "UTC").replace("+00:00", "");
}
