/** Parses include and fields[TYPE]: what a response contains of each record. */

import type { Problem } from "../domain/errors.ts";
import { distinct } from "./comma-list.ts";
import { emptyItem, enumerate, parameterProblem, quoteStrangers } from "./problems.ts";
import type { ValueParser } from "./query.ts";

export const parseInclude: ValueParser<string[]> = (value, name, problems, { includePaths }) => {
  if (value === "") return [];
  const paths = parseWords(value, name, problems);
  if (paths === undefined || paths.every((path) => includePaths.has(path))) return paths;
  const strangers = paths.filter((path) => !includePaths.has(path));
  const sent = quoteStrangers(strangers, includePaths);
  const detail =
    includePaths.size === 0
      ? `Players have no related resources: leave ${name} out, or send it empty; you sent ${sent}.`
      : `${name} takes these paths here: ${enumerate(includePaths)}; you sent ${sent}.`;
  problems.push(parameterProblem("unknown-include-path", name, detail));
  return undefined;
};

/** Any name will do: resources have open sets of attributes, and names they lack are ignored. */
export const parseFields: ValueParser<ReadonlySet<string>> = (value, name, problems) => {
  const names = value === "" ? [] : parseWords(value, name, problems);
  return names && new Set(names);
};

/** Distinct words between commas. They are names of the service's own, so nothing is escaped. */
function parseWords(value: string, name: string, problems: Problem[]): string[] | undefined {
  const words = value.split(",");
  if (!words.includes("")) return distinct(words);
  problems.push(emptyItem(name, value));
  return undefined;
}
