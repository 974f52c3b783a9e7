/** Formats times: how long ago, and exactly. */

import { useEffect, useState } from "react";

const STEPS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** "3 hours ago"; both times in milliseconds. */
function ago(then: number, now: number): string {
  const seconds = (then - now) / 1000;
  const [unit, length] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  if (unit === "second" && Math.abs(seconds) < 10) return "just now";
  return words.format(Math.trunc(seconds / length), unit);
}

/** A duration: "2 minutes". */
export function spanOf(seconds: number): string {
  const [unit, length] = STEPS.find(([, length]) => seconds >= length) ?? ["second", 1];
  const count = Math.floor(seconds / length);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** In the visitor's time zone. */
export const localTime = (iso: string): string => exact.format(new Date(iso));

export function Time({ iso, relative = true }: { iso: string; relative?: boolean }) {
  const now = useNow();
  const local = localTime(iso);
  return (
    <time dateTime={iso} title={relative ? `${local} (${iso})` : iso}>
      {relative ? ago(Date.parse(iso), now) : local}
    </time>
  );
}

/** The current time, updated at this interval. */
export function useNow(milliseconds = 30_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
  return now;
}
