/** Groups matches by the day they were played on, in the visitor's time zone. */

import type { Appearance } from "../../match.ts";

export interface Day {
  /** Unique among the groups: "2026-03-14". */
  key: string;
  /** "Today", "Yesterday", "Saturday 14 March". */
  name: string;
  appearances: Appearance[];
}

const DAY = 86_400_000;
const UNKNOWN = "unknown";
const thisYear = new Intl.DateTimeFormat(undefined, {
  weekday: "long",
  day: "numeric",
  month: "long",
});
const anyYear = new Intl.DateTimeFormat(undefined, { dateStyle: "long" });

/** Keeps the order of the matches. `now` is in milliseconds. */
export function byDay(appearances: readonly Appearance[], now: number): Day[] {
  return [...Map.groupBy(appearances, ({ createdAt }) => dayOf(Date.parse(createdAt)))].map(
    ([key, group]) => ({ key, name: nameOf(key, group[0]!, now), appearances: group }),
  );
}

function nameOf(key: string, { createdAt }: Appearance, now: number): string {
  if (key === UNKNOWN) return "Unknown date";
  if (key === dayOf(now)) return "Today";
  if (key === dayOf(now - DAY)) return "Yesterday";
  const date = new Date(createdAt);
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? thisYear : anyYear).format(date);
}

/** The local calendar day. */
function dayOf(time: number): string {
  if (Number.isNaN(time)) return UNKNOWN;
  const date = new Date(time);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const two = (number: number): string => String(number).padStart(2, "0");
