/** Formats the figures of the player page. */

const DASH = "–";
const oneDigit = new Intl.NumberFormat("en", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** 3.25 is "3.3". */
export const decimal = (value: number | undefined): string =>
  value === undefined ? DASH : oneDigit.format(value);

/** 0.625 is "63%". */
export const percent = (rate: number | undefined): string =>
  rate === undefined ? DASH : `${Math.round(rate * 100)}%`;
