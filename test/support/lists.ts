/** In charge of writing lists as callers do: commas between the items, a backslash as the escape. */

export function joinList(items: readonly string[]): string {
  return items.map((item) => item.replace(/[\\,]/g, "\\$&")).join(",");
}
