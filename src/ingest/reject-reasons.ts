/** Makes the reasons for rejections readable: one line each, not too long and not too many. */

const LONGEST_REASON = 400;
const MOST_REASONS = 200;

/** Enough for anybody; whoever collects reasons may stop there. */
export const ENOUGH_REASONS = 1000;

// Also those that turn the direction of writing, with which a text can hide what it says.
const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be printed.
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Each reason once. Records quote themselves in them, and may hold anything. */
export function readable(reasons: readonly string[]): string[] {
  const distinct = [...new Set(reasons)];
  const shown = distinct.slice(0, MOST_REASONS).map(oneLine);
  const more = distinct.length - shown.length;
  return more > 0 ? [...shown, `… and ${more} more reasons like these`] : shown;
}

/** A text that does nothing to a terminal but stand there. */
export function oneLine(text: string): string {
  const cut = text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON - 1)}…` : text;
  return cut
    .toWellFormed()
    .replace(
      UNPRINTABLE,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}

/** A document that asks for far more work or room than any real one. The message is the reason. */
export class Excess extends Error {
  override name = "Excess";
}
