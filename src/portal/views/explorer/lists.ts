/** Converts between comma-separated values and lists of items. */

import { splitList } from "../../../query/comma-list.ts";

/** An invalid list is shown as one item, so that the visitor can fix it. */
export function itemsIn(value: string | undefined): string[] {
  if (value === undefined || value === "") return [];
  const items = splitList(value);
  return typeof items === "string" ? [value] : items;
}

/** Undefined for no items, which removes the parameter. */
export function listOf(items: readonly string[]): string | undefined {
  if (items.length === 0) return undefined;
  return items.map((item) => item.replace(/[\\,]/g, "\\$&")).join(",");
}

/** Splits typed text into items: commas separate, `\,` is a comma, surrounding spaces are ignored. */
export function itemsTyped(text: string): string[] {
  const items = splitList(text);
  const parts = items === "stray backslash" || items === "empty item" ? loosely(text) : items;
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Whether the text ends with a separating comma. */
export const endsItem = (text: string): boolean => /(?<!\\),$/.test(text);

/** Tolerates extra commas and stray backslashes. */
const loosely = (text: string): string[] =>
  text.split(/(?<!\\),/).map((part) => part.replace(/\\([\\,])/g, "$1"));

/** Appends items, without duplicates. */
export const added = (items: readonly string[], more: readonly string[]): string[] => [
  ...new Set([...items, ...more]),
];

/** Adds the item, or removes it if present. */
export const toggled = (items: readonly string[], item: string): string[] =>
  items.includes(item) ? items.filter((one) => one !== item) : [...items, item];
