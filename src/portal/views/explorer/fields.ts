/** In charge of the fields of the form: the service's table of parameters, in groups, in words. */

import { PARAMETERS, type Parameter } from "../../../query/parameters.ts";
import { endpointOf, type Target } from "./query.ts";

export interface Group {
  title: string;
  fields: readonly Parameter[];
}

const TITLES = ["Filters", "Order and page", "What to send", "More"] as const;
type Title = (typeof TITLES)[number];

/** The parameters that a target takes, in the order of the table; groups without any are left out. */
export function groupsOf(on: Target, table: readonly Parameter[] = PARAMETERS): Group[] {
  const taken = table.filter(({ endpoints }) => endpoints.includes(endpointOf(on)));
  return TITLES.map((title) => ({
    title,
    fields: taken.filter((parameter) => titleOf(parameter) === title),
  })).filter(({ fields }) => fields.length > 0);
}

function titleOf({ name }: Parameter): Title {
  if (name.startsWith("filter[")) return "Filters";
  if (name === "sort" || name.startsWith("page[")) return "Order and page";
  return name === "include" || name.startsWith("fields[") ? "What to send" : "More";
}

/** "Player names" for `filter[playerNames]`, "Page limit" for `page[limit]`. */
export function labelOf(name: string): string {
  const [, family = "", inner = name] = /^(\w+)\[(.+)\]$/.exec(name) ?? [];
  const word = inner === "TYPE" ? family : family === "page" ? `${family} ${inner}` : inner;
  const words = word.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ").replaceAll("-", ", ");
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

/** The first sentence of a description: what follows is about spelling, which the fields take care of. */
export function hintOf({ description }: Parameter): string {
  const [first = ""] = description.split(/(?<=\.) /);
  return first.replaceAll("`", "");
}

/** Player names have help; the filter itself stays exact. */
export const hasNameHelp = ({ name }: Parameter): boolean => name === "filter[playerNames]";
