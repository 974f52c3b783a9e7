/** In charge of times in date-time fields: the visitor's own time there, UTC in the query. */

import { formatTimestamp, parseTimestamp } from "../../../domain/time.ts";

/** What a date-time field shows, in its own shortest spelling; undefined for no time of the service's form. */
export function localOf(iso: string): string | undefined {
  const moment = parseTimestamp(iso);
  if (moment === undefined) return undefined;
  const date = new Date(moment);
  const day = `${digits(date.getFullYear(), 4)}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`;
  const time = `${digits(date.getHours())}:${digits(date.getMinutes())}`;
  return `${day}T${time}${fineOf(date)}`;
}

/** The moment in UTC; undefined as long as the field is not filled in. */
export function isoOf(local: string): string | undefined {
  const moment = Date.parse(local);
  return Number.isNaN(moment) ? undefined : formatTimestamp(moment);
}

/** "UTC+02:00": the visitor's zone at that moment. */
export function zoneAt(moment: number): string {
  const minutes = -new Date(moment).getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? "-" : "+"}${digits(Math.floor(size / 60))}:${digits(size % 60)}`;
}

/** A field leaves out seconds that are nought: what differs from its own spelling disturbs typing. */
function fineOf(date: Date): string {
  const milliseconds = date.getMilliseconds();
  if (milliseconds > 0) return `:${digits(date.getSeconds())}.${digits(milliseconds, 3)}`;
  return date.getSeconds() > 0 ? `:${digits(date.getSeconds())}` : "";
}

const digits = (number: number, width = 2): string =>
  String(Math.floor(number)).padStart(width, "0");
