/**
 * In charge of the one look at everything in a document, for the many that have nothing odd in them.
 * Those that do are looked at again, by whoever can say what it is.
 */

import { nameEnds } from "./repeats.ts";

/** Shallower than what is allowed: a resource lies a few levels down in its document. */
const DEEPEST = 60;
/** From here on, whole numbers may have been rounded. */
const LARGEST = 2 ** 53;

/**
 * Whether the content of a text is just what the text says, and can be kept: no member was there
 * twice, no number is corrupted, no text is broken, nothing is nested too deeply.
 */
export function isSound(json: string, content: unknown): boolean {
  // Decoded text is well-formed; only what is written with escapes may be half a surrogate pair.
  return nameEnds(json) === soundMembers(content, json.includes("\\u"), 0);
}

/** How many members there are in all objects of the content; NaN when something is not sound. */
function soundMembers(content: unknown, hasEscapes: boolean, depth: number): number {
  if (typeof content === "number") {
    return content < LARGEST && content > -LARGEST ? 0 : Number.NaN;
  }
  if (typeof content === "string") return !hasEscapes || content.isWellFormed() ? 0 : Number.NaN;
  if (typeof content !== "object" || content === null) return 0;
  if (depth === DEEPEST) return Number.NaN;
  let count = 0;
  if (Array.isArray(content)) {
    for (const item of content) count += soundMembers(item, hasEscapes, depth + 1);
    return count;
  }
  for (const name in content) {
    if (hasEscapes && !name.isWellFormed()) return Number.NaN;
    const member = (content as Record<string, unknown>)[name];
    count += 1 + soundMembers(member, hasEscapes, depth + 1);
  }
  return count;
}
