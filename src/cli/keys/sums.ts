/** In charge of adding up what was counted for keys. */

import type { KeyDay } from "../../access/usage.ts";

const sum = (numbers: Iterable<number>): number => {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
};

export const requestsOf = ({ requests }: KeyDay): number => sum(requests.values());
export const requestsIn = (days: readonly KeyDay[]): number => sum(days.map(requestsOf));
export const recordsIn = (days: readonly KeyDay[]): number =>
  sum(days.map(({ records }) => records));

/** Requests of some days that were answered with an error: the caller's (4xx), the server's (5xx). */
export function errorsIn(days: readonly KeyDay[]): { refused: number; failed: number } {
  const counts = days.flatMap(({ requests }) => [...requests]);
  const between = (least: number, end: number) =>
    sum(counts.filter(([status]) => status >= least && status < end).map(([, count]) => count));
  return { refused: between(400, 500), failed: between(500, 600) };
}

/** The days of each key. */
export function byKey(days: readonly KeyDay[]): Map<string, KeyDay[]> {
  return Map.groupBy(days, ({ keyId }) => keyId);
}
