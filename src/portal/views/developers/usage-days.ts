/** Computes what the usage page shows from the response of `/usage`. */

import type { Schemas } from "../../../../client/src/index.ts";

export type Usage = Schemas.Usage;

const DAY_MS = 86_400_000;
const SHOWN_DAYS = 30;

/** The last 30 days, oldest first. Days without requests are in it too. */
export function daysOf({ today, days }: Usage) {
  const known = new Map(days.map((one) => [one.day, one]));
  const end = Date.parse(`${today.day}T00:00:00Z`);
  return Array.from({ length: SHOWN_DAYS }, (_, at) => {
    const day = new Date(end - (SHOWN_DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10);
    const counts = Object.entries(known.get(day)?.requests ?? {});
    const sum = (isCounted: (status: number) => boolean) =>
      counts.reduce((total, [status, count]) => total + (isCounted(Number(status)) ? count : 0), 0);
    return {
      /** `2026-03-14` */
      day,
      requests: sum(() => true),
      errors: sum((status) => status >= 400),
      /** Matches and players in responses. */
      records: known.get(day)?.records ?? 0,
    };
  });
}

/** Whether the key can read no more matches today. */
export const isOverQuota = ({ today }: Usage): boolean => today.matchesLeft === 0;
