/** Builds the form's groups, labels and hints from the table of query parameters. */

import { PARAMETERS, type Parameter } from "../../../query/parameters.ts";
import { endpointOf, type Target } from "./query.ts";

export interface Group {
  title: string;
  fields: readonly Parameter[];
}

const TITLES = ["Filters", "Sorting and paging", "Response content", "Other"] as const;
type Title = (typeof TITLES)[number];

/** The parameters that a target accepts, in table order, without empty groups. */
export function groupsOf(on: Target, table: readonly Parameter[] = PARAMETERS): Group[] {
  const taken = table.filter(({ endpoints }) => endpoints.includes(endpointOf(on)));
  return TITLES.map((title) => ({
    title,
    fields: taken.filter((parameter) => titleOf(parameter) === title),
  })).filter(({ fields }) => fields.length > 0);
}

function titleOf({ name }: Parameter): Title {
  if (name.startsWith("filter[")) return "Filters";
  if (name === "sort" || name.startsWith("page[")) return "Sorting and paging";
  return name === "include" || name.startsWith("fields[") ? "Response content" : "Other";
}

/** "Player names" for `filter[playerNames]`, "Page limit" for `page[limit]`. */
export function labelOf(name: string): string {
  const [, family = "", inner = name] = /^(\w+)\[(.+)\]$/.exec(name) ?? [];
  const word = inner === "TYPE" ? family : family === "page" ? `${family} ${inner}` : inner;
  const words = word.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ").replace(/-(.+)$/, " ($1)");
  const label = words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
  return label.replace(/\bids\b/, "IDs");
}

/** The first sentence of a description. The rest is about syntax, which the controls handle. */
export function hintOf({ description }: Parameter): string {
  const [first = ""] = description.split(/(?<=\.) /);
  return first.replaceAll("`", "");
}

/** Only player names have suggestions; the filter itself matches exactly. */
export const hasSuggestions = ({ name }: Parameter): boolean => name === "filter[playerNames]";
