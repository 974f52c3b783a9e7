/** Splits comma-separated values. A backslash escapes commas and backslashes. */

export type ListFault = "empty item" | "stray backslash";

/** The items in order, with duplicates; or why the text is not a list. */
export function splitList(text: string): string[] | ListFault {
  const items = text.includes("\\") ? splitEscaped(text) : text.split(",");
  return typeof items !== "string" && items.includes("") ? "empty item" : items;
}

function splitEscaped(text: string): string[] | ListFault {
  const items: string[] = [];
  let item = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === ",") {
      items.push(item);
      item = "";
    } else if (character === "\\") {
      const escaped = text[++at];
      if (escaped !== "," && escaped !== "\\") return "stray backslash";
      item += escaped;
    } else {
      item += character;
    }
  }
  items.push(item);
  return items;
}

export function distinct(items: string[]): string[] {
  return items.length === 1 ? items : [...new Set(items)];
}
