/** Parses the query string into typed values, or reports all of its problems. */

import type { Problem } from "../domain/errors.ts";
import {
  type Endpoint,
  fieldsType,
  findParameter,
  type GivenValues,
  type Parameters,
  type ValuesOf,
} from "./endpoint.ts";
import { checkNames, checkRequired } from "./parameter-names.ts";
import { InvalidValue, parserOf } from "./parse-values.ts";
import { parameterProblem } from "./problems.ts";
import type { GivenParameters, ParseContext } from "./query.ts";
import { splitQuery } from "./query-string.ts";

export interface Query<P extends Parameters = Parameters> {
  values: ValuesOf<P>;
  given: GivenParameters;
}

export type Parsed<Q> = { ok: true; query: Q } | { ok: false; problems: Problem[] };

/** `raw` is the part after the `?`, still percent-encoded. */
export function parseQuery<P extends Parameters>(
  raw: string,
  endpoint: Endpoint<P>,
  context: ParseContext,
): Parsed<Query<P>> {
  const problems: Problem[] = [];
  const pairs = splitQuery(raw, problems);
  const given = checkNames(pairs, endpoint, context, problems);
  checkRequired(given, endpoint, problems);
  const values = parseValues(given, endpoint, context, problems);
  if (endpoint.check) problems.push(...endpoint.check(values, given, context.now));
  if (problems.length > 0) return { ok: false, problems };
  // Without problems, every value could be decoded.
  return { ok: true, query: { values, given: pairs as GivenParameters } };
}

function parseValues<P extends Parameters>(
  given: GivenValues,
  endpoint: Endpoint<P>,
  context: ParseContext,
  problems: Problem[],
): ValuesOf<P> {
  const values: Record<string, unknown> = {};
  let fields: Map<string, unknown> | undefined;
  for (const [name, value] of given) {
    if (value === undefined) continue;
    const parameter = findParameter(endpoint, name)!;
    if (value === "" && !parameter.mayBeEmpty) {
      const advice = parameter.isRequired ? "" : ", or omit it";
      const detail = `${name} has no value; set it, e.g. to ${parameter.example}${advice}.`;
      problems.push(parameterProblem("empty-parameter", name, detail));
      continue;
    }
    try {
      const parsed = parserOf(parameter)(value, parameter, name, context);
      if (parameter.kind !== "fields") values[name] = parsed;
      else {
        fields ??= new Map();
        fields.set(fieldsType(name), parsed);
      }
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      problems.push(error.problem);
    }
  }
  // The declaration determines the kind of each name, and its parser the type.
  return (fields ? { ...values, fields } : values) as ValuesOf<P>;
}
