/** Makes the reasons of rejections readable: one line each, limited in length and number. */

const LONGEST_REASON = 400;
const MOST_REASONS = 200;

/** Whoever collects reasons may stop here. */
export const ENOUGH_REASONS = 1000;

// Including those that change the writing direction, with which a text can hide its content.
const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be printed.
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Each reason once. Reasons quote records, which may contain anything. */
export function readable(reasons: readonly string[]): string[] {
  const distinct = [...new Set(reasons)];
  const shown = distinct.slice(0, MOST_REASONS).map(oneLine);
  const more = distinct.length - shown.length;
  return more > 0 ? [...shown, `… and ${more} more problems`] : shown;
}

/** A text that is safe to print on a terminal. */
export function oneLine(text: string): string {
  const cut = text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON - 1)}…` : text;
  return cut
    .toWellFormed()
    .replace(
      UNPRINTABLE,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}

/** A document that needs far more work or memory than any real one. The message is the reason. */
export class Excess extends Error {
  override name = "Excess";
}
