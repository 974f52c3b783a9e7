/** In charge of lists as a field shows them: items, out of one value and back into it. */

import { splitList } from "../../../query/comma-list.ts";

/** What is no list by the service's rules is shown as one item, to be mended by hand. */
export function itemsIn(value: string | undefined): string[] {
  if (value === undefined || value === "") return [];
  const items = splitList(value);
  return typeof items === "string" ? [value] : items;
}

/** Undefined for no items: then the parameter is left out. */
export function listOf(items: readonly string[]): string | undefined {
  if (items.length === 0) return undefined;
  return items.map((item) => item.replace(/[\\,]/g, "\\$&")).join(",");
}

/** The items that typed text stands for: commas separate, `\,` is a comma, blanks around do not count. */
export function itemsTyped(text: string): string[] {
  const items = splitList(text);
  const parts = items === "stray backslash" || items === "empty item" ? loosely(text) : items;
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Whether the last sign typed is a comma that separates. */
export const endsItem = (text: string): boolean => /(?<!\\),$/.test(text);

/** A comma too many is forgiven; a backslash that escapes nothing is a backslash. */
const loosely = (text: string): string[] =>
  text.split(/(?<!\\),/).map((part) => part.replace(/\\([\\,])/g, "$1"));

/** The items with more at the end, each of them once. */
export const added = (items: readonly string[], more: readonly string[]): string[] => [
  ...new Set([...items, ...more]),
];

/** The items with one more, or without it if it was there. */
export const toggled = (items: readonly string[], item: string): string[] =>
  items.includes(item) ? items.filter((one) => one !== item) : [...items, item];
