/** Builds the form's groups, labels and hints from the table of query parameters. */

import type { Parameter, Parameters } from "../../../query/endpoint.ts";
import { TARGETS, type Target } from "./targets.ts";

export type NamedParameter = Parameter & { name: string };

const named = (parameters: Parameters): NamedParameter[] =>
  Object.entries(parameters).map(([name, parameter]) => ({ ...parameter, name }));

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

/** The titles of the groups, by the beginning of the names. */
const TITLES = [
  [/^filter\[/, "Filters"],
  [/^(?:sort$|page\[)/, "Sorting and paging"],
  [/^(?:include$|fields\[)/, "Response content"],
  [/^/, "Other"],
] as const;

/** The parameters that a target accepts: those that are always visible, and the rest in groups, without empty ones. */
export function fieldsOf(on: Target, parameters: Parameters = TARGETS[on].endpoint.parameters) {
  const taken = named(parameters);
  const common = COMMON.flatMap((name) => taken.find((one) => one.name === name) ?? []).slice(0, 3);
  const rest = taken.filter((parameter) => !common.includes(parameter));
  const titleOf = ({ name }: NamedParameter) => TITLES.find(([names]) => names.test(name))![1];
  const byTitle = Map.groupBy(rest, titleOf);
  const titles = TITLES.map(([, title]) => title).filter((title) => byTitle.has(title));
  return { common, groups: titles.map((title) => [title, byTitle.get(title)!] as const) };
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
