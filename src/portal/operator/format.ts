/** Numbers and times as the operator's page shows them. */

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

export const whole = (value: number | null): string => (value === null ? "–" : WHOLE.format(value));

export const perSecond = (value: number): string =>
  value === 0 ? "0" : value < 0.01 ? "<0.01" : SHORT.format(value);

export function milliseconds(value: number | undefined): string {
  if (value === undefined) return "–";
  return value < 0.01 ? "<0.01" : SHORT.format(value);
}

export const sum = (counts: Record<string, number> | null): number =>
  Object.values(counts ?? {}).reduce((total, count) => total + count, 0);

const UNITS = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
] as const;

/** A duration in its largest unit and, unless `isRough`, the next, e.g. 2 d 3 h. */
export function duration(ms: number, isRough = false): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const at = UNITS.findIndex(([length]) => seconds >= length);
  if (at === -1) return `${seconds} s`;
  const [length, unit] = UNITS[at]!;
  const next = UNITS[at + 1];
  const rest = seconds % length;
  const more =
    !isRough && next && rest >= next[0] ? ` ${Math.floor(rest / next[0])} ${next[1]}` : "";
  return `${Math.floor(seconds / length)} ${unit}${more}`;
}

export const ago = (time: string | null, now: string): string =>
  time === null ? "never" : `${duration(Date.parse(now) - Date.parse(time), true)} ago`;
