/** Checks parameter names: known, not repeated, accepted by the endpoint. */

import type { Problem } from "../domain/errors.ts";
import { nearest } from "../text/nearest.ts";
import {
  acceptedNames,
  type Endpoint,
  fieldsType,
  findParameter,
  type GivenValues,
  type Parameter,
} from "./endpoint.ts";
import { enumerate, parameterProblem, quote, quoteUnknown } from "./problems.ts";
import type { ParseContext } from "./query.ts";
import type { Pair } from "./query-string.ts";

/** The values by name, in the caller's order. Reports each wrong name once. */
export function checkNames(
  pairs: readonly Pair[],
  endpoint: Endpoint,
  context: ParseContext,
  problems: Problem[],
): GivenValues {
  const given = new Map<string, string | undefined>();
  const reported = new Set<string>();
  for (const [name, value] of pairs) {
    if (reported.has(name)) continue;
    const parameter = findParameter(endpoint, name);
    if (!parameter) {
      reported.add(name);
      const detail = unknownNameMessage(name, endpoint, context);
      problems.push(parameterProblem("unknown-parameter", name, detail));
    } else if (given.has(name)) {
      reported.add(name);
      problems.push(repeatedParameter(name, parameter));
    } else {
      given.set(name, value);
      if (parameter.kind === "fields") checkType(name, context, problems);
    }
  }
  return given;
}

/** Reports required parameters that are missing. */
export function checkRequired(
  given: GivenValues,
  { required, parameters }: Endpoint,
  problems: Problem[],
): void {
  for (const name of required) {
    if (given.has(name)) continue;
    const detail = `${name} is required, e.g. ${name}=${parameters[name]!.example}.`;
    problems.push(parameterProblem("empty-parameter", name, detail));
  }
}

function unknownNameMessage(name: string, endpoint: Endpoint, context: ParseContext): string {
  const accepted = acceptedNames(endpoint, context.types);
  const guess = guessName(name, accepted);
  return guess === undefined
    ? `Unknown parameter ${quote(name)}. Parameters of ${endpoint.title}: ${enumerate(accepted)}.`
    : `Unknown parameter ${quote(name)}; did you mean ${guess}?`;
}

/**
 * Compares the whole name, then the word in brackets (`limit` and `filter[limit]` mean
 * `page[limit]`), then parts of the word (`filter[name]` means `filter[playerNames]`).
 */
function guessName(name: string, accepted: readonly string[]): string | undefined {
  const whole = nearest(name, accepted);
  if (whole !== undefined) return whole;
  const words = accepted.map(wordInBrackets);
  const word = nearest(wordInBrackets(name), words);
  if (word !== undefined) return accepted[words.indexOf(word)];
  const part = wordInBrackets(name).toLowerCase();
  return part.length < MIN_PART_LENGTH
    ? undefined
    : accepted[words.findIndex((one) => one.toLowerCase().includes(part))];
}

const MIN_PART_LENGTH = 4;

function wordInBrackets(name: string): string {
  const open = name.indexOf("[");
  return open !== -1 && name.endsWith("]") ? name.slice(open + 1, -1) : name;
}

function repeatedParameter(name: string, parameter: Parameter): Problem {
  const takesSeveral = parameter.kind === "list" || parameter.kind === "modes";
  const advice = takesSeveral ? ", with its values separated by commas" : "";
  const detail = `${name} is repeated; send it once${advice}.`;
  return parameterProblem("repeated-parameter", name, detail);
}

function checkType(name: string, context: ParseContext, problems: Problem[]): void {
  const type = fieldsType(name);
  if (context.types.has(type)) return;
  const item = quoteUnknown([type], context.types);
  const detail = `Unknown resource type ${item}. Known types: ${enumerate(context.types)}.`;
  problems.push(parameterProblem("unknown-type", name, detail));
}
