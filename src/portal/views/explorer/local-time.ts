/** Converts times between date-time fields, in local time, and the query, in UTC. */

import { formatTimestamp, parseTimestamp } from "../../../domain/time.ts";

/** The value of a date-time field, in its shortest form. Undefined for an invalid timestamp. */
export function localOf(iso: string): string | undefined {
  const moment = parseTimestamp(iso);
  if (moment === undefined) return undefined;
  const date = new Date(moment);
  const day = `${digits(date.getFullYear(), 4)}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`;
  const time = `${digits(date.getHours())}:${digits(date.getMinutes())}`;
  return `${day}T${time}${fineOf(date)}`;
}

/** The time in UTC; undefined while the field is incomplete. */
export function isoOf(local: string): string | undefined {
  const moment = Date.parse(local);
  return Number.isNaN(moment) ? undefined : formatTimestamp(moment);
}

/** "UTC+02:00": the visitor's UTC offset at that time. */
export function zoneAt(moment: number): string {
  const minutes = -new Date(moment).getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? "-" : "+"}${digits(Math.floor(size / 60))}:${digits(size % 60)}`;
}

/** Omits zero seconds as browsers do: any other spelling would interfere with typing. */
function fineOf(date: Date): string {
  const milliseconds = date.getMilliseconds();
  if (milliseconds > 0) return `:${digits(date.getSeconds())}.${digits(milliseconds, 3)}`;
  return date.getSeconds() > 0 ? `:${digits(date.getSeconds())}` : "";
}

const digits = (number: number, width = 2): string =>
  String(Math.floor(number)).padStart(width, "0");
