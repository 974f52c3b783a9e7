/** Splits comma-separated values. A backslash escapes commas and backslashes. */

export type ListFault = "empty item" | "stray backslash";

/** The items in order, with duplicates; or why the text is not a list. */
export function splitList(text: string): string[] | ListFault {
  if (!ESCAPED.test(text)) return "stray backslash";
  const items = text.includes("\\")
    ? [...text.matchAll(ITEM)].map(([, item]) => item!.replace(/\\(.)/g, "$1"))
    : text.split(",");
  return items.includes("") ? "empty item" : items;
}

const ESCAPED = /^(?:[^\\]|\\[\\,])*$/;
const ITEM = /(?:^|,)((?:[^\\,]|\\.)*)/g;

export function distinct(items: string[]): string[] {
  return items.length === 1 ? items : [...new Set(items)];
}
