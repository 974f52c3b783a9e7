/** Checks the names of parameters: known ones, each once, those of the endpoint. */

import type { Problem } from "../domain/errors.ts";
import { nearest } from "../text/nearest.ts";
import {
  ENDPOINT_NAMES,
  type Endpoint,
  fieldsType,
  findParameter,
  namesTaken,
  PARAMETERS,
  type Parameter,
} from "./parameters.ts";
import { enumerate, parameterProblem, quote, quoteUnknown } from "./problems.ts";
import type { GivenValues, ParseContext } from "./query.ts";
import type { Pair } from "./query-string.ts";

/** The parameters by name, in the caller's order. Names that do not belong are reported once each. */
export function checkNames(
  pairs: readonly Pair[],
  endpoint: Endpoint,
  context: ParseContext,
  problems: Problem[],
): GivenValues {
  const known = new Map<string, { parameter: Parameter; value: string | undefined }>();
  const reported = new Set<string>();
  for (const [name, value] of pairs) {
    if (reported.has(name)) continue;
    const parameter = findParameter(name);
    if (!parameter?.endpoints.includes(endpoint)) {
      reported.add(name);
      const detail = adviseOnStranger(name, parameter, endpoint, context);
      problems.push(parameterProblem("unknown-parameter", name, detail));
    } else if (known.has(name)) {
      reported.add(name);
      problems.push(repeatedParameter(name, parameter));
    } else {
      known.set(name, { parameter, value });
      if (parameter.kind === "fields") checkType(name, context, problems);
    }
  }
  return known;
}

/** Those that the endpoint cannot do without must be there, whatever their value. */
export function checkRequired(known: GivenValues, endpoint: Endpoint, problems: Problem[]): void {
  for (const { name, endpoints, isRequired, example } of PARAMETERS as readonly Parameter[]) {
    if (!isRequired || !endpoints.includes(endpoint) || known.has(name)) continue;
    const detail = `${ENDPOINT_NAMES[endpoint]} needs ${name}; give it, such as ${name}=${example}.`;
    problems.push(parameterProblem("empty-parameter", name, capitalised(detail)));
  }
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function adviseOnStranger(
  name: string,
  elsewhere: Parameter | undefined,
  endpoint: Endpoint,
  context: ParseContext,
): string {
  const here = ENDPOINT_NAMES[endpoint];
  if (elsewhere) {
    const takers = elsewhere.endpoints.map((taker) => ENDPOINT_NAMES[taker]).join(" and ");
    return `${name} is a parameter of ${takers}, not of ${here}; leave it out here.`;
  }
  const taken = namesTaken(endpoint, context.types);
  const guess = guessName(name, taken);
  return guess === undefined
    ? `There is no parameter ${quote(name)}. The parameters of ${here} are: ${enumerate(taken)}.`
    : `There is no parameter ${quote(name)}; did you mean ${guess}?`;
}

/**
 * By the whole name, else by the word in brackets: `limit` and `filter[limit]` mean `page[limit]`;
 * else by a part of the word: `filter[name]` means `filter[playerNames]`.
 */
function guessName(name: string, taken: readonly string[]): string | undefined {
  const whole = nearest(name, taken);
  if (whole !== undefined) return whole;
  const words = taken.map(wordInBrackets);
  const word = nearest(wordInBrackets(name), words);
  if (word !== undefined) return taken[words.indexOf(word)];
  const part = wordInBrackets(name).toLowerCase();
  return part.length < SHORTEST_PART
    ? undefined
    : taken[words.findIndex((one) => one.toLowerCase().includes(part))];
}

const SHORTEST_PART = 4;

function wordInBrackets(name: string): string {
  const open = name.indexOf("[");
  return open !== -1 && name.endsWith("]") ? name.slice(open + 1, -1) : name;
}

function repeatedParameter(name: string, parameter: Parameter): Problem {
  const takesSeveral = parameter.kind === "list" || parameter.kind === "modes";
  const advice = takesSeveral ? ", with its values separated by commas" : "";
  const detail = `${name} was given more than once; give it once${advice}.`;
  return parameterProblem("repeated-parameter", name, detail);
}

function checkType(name: string, context: ParseContext, problems: Problem[]): void {
  const type = fieldsType(name);
  if (context.types.has(type)) return;
  const item = quoteUnknown([type], context.types);
  const detail = `There is no resource type ${item}. The types are: ${enumerate(context.types)}.`;
  problems.push(parameterProblem("unknown-type", name, detail));
}
