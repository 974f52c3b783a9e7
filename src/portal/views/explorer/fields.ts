/** Builds the form's groups, labels and hints from the table of query parameters. */

import { PARAMETERS, type Parameter } from "../../../query/parameters.ts";
import { TARGETS, type Target } from "./targets.ts";

export interface Group {
  title: string;
  fields: readonly Parameter[];
}

/** The most useful filters; the first three that a target accepts are always visible. */
const COMMON = [
  "filter[near]",
  "filter[playerNames]",
  "filter[createdAt-start]",
  "filter[gameMode]",
  "filter[period]",
  "filter[patchVersion]",
  "filter[playerIds]",
];
const MOST_COMMON = 3;

/** The fields that are always visible, and the rest in groups. */
export interface Fields {
  common: readonly Parameter[];
  groups: readonly Group[];
}

const TITLES = ["Filters", "Sorting and paging", "Response content", "Other"] as const;
type Title = (typeof TITLES)[number];

/** The parameters that a target accepts, without empty groups. */
export function fieldsOf(on: Target, table: readonly Parameter[] = PARAMETERS): Fields {
  const taken = table.filter(({ endpoints }) => endpoints.includes(TARGETS[on].endpoint));
  const common = COMMON.flatMap((name) => taken.filter((one) => one.name === name)).slice(
    0,
    MOST_COMMON,
  );
  const rest = taken.filter((parameter) => !common.includes(parameter));
  const groups = TITLES.map((title) => ({
    title,
    fields: rest.filter((parameter) => titleOf(parameter) === title),
  }));
  return { common, groups: groups.filter(({ fields }) => fields.length > 0) };
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
