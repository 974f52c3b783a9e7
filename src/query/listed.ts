/** In charge of the values that are lists: filters, include paths and field names. */

import type { Problem } from "../domain/errors.ts";
import { GAME_MODES, isServedMode } from "../domain/modes.ts";
import { enumerate, parameterProblem, quote, quoteStrangers } from "./advice.ts";
import type { Reader } from "./context.ts";
import { MAX_VALUES } from "./limits.ts";
import { distinct, splitList } from "./lists.ts";

export const readList: Reader<string[]> = (value, name, problems) => {
  const items = splitList(value);
  if (items === "stray backslash") {
    const detail = `${name} has a backslash that stands for nothing: write a backslash as \\\\ and a comma inside a value as \\,; you sent ${quote(value)}.`;
    problems.push(parameterProblem("invalid-parameter", name, detail));
    return undefined;
  }
  if (items === "empty item") {
    problems.push(emptyItem(name, value));
    return undefined;
  }
  const values = distinct(items);
  if (values.length > MAX_VALUES) {
    const detail = `${name} takes ${MAX_VALUES} values at most; you sent ${values.length}. Ask in several requests.`;
    problems.push(parameterProblem("too-many-values", name, detail));
    return undefined;
  }
  return values;
};

export const readModes: Reader<string[]> = (value, name, problems, context, endpoint) => {
  const modes = readList(value, name, problems, context, endpoint);
  if (modes === undefined || modes.every(isServedMode)) return modes;
  const strangers = modes.filter((mode) => !isServedMode(mode));
  const detail = `${name} takes these game modes: ${enumerate(GAME_MODES)}; you sent ${quoteStrangers(strangers, GAME_MODES)}.`;
  problems.push(parameterProblem("invalid-parameter", name, detail));
  return undefined;
};

export const readInclude: Reader<string[]> = (value, name, problems, { includePaths }) => {
  if (value === "") return [];
  const paths = readWords(value, name, problems);
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
export const readFields: Reader<ReadonlySet<string>> = (value, name, problems) => {
  const names = value === "" ? [] : readWords(value, name, problems);
  return names && new Set(names);
};

/** Distinct words between commas. They are names of the service's own, so nothing is escaped. */
function readWords(value: string, name: string, problems: Problem[]): string[] | undefined {
  const words = value.split(",");
  if (!words.includes("")) return distinct(words);
  problems.push(emptyItem(name, value));
  return undefined;
}

function emptyItem(name: string, value: string): Problem {
  const detail = `${name} has an empty item: put exactly one comma between two items and none at the ends; you sent ${quote(value)}.`;
  return parameterProblem("invalid-parameter", name, detail);
}
