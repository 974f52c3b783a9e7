/** In charge of query strings on the private listener: few parameters, each at most once. */

import { nearest } from "../text/nearest.ts";
import { AdminRefusal } from "./refusal.ts";

/** The parameters that were given, of those that are known here. Throws AdminRefusal. */
export function readQuery<Name extends string>(
  query: string,
  known: readonly Name[],
): Partial<Record<Name, string>> {
  const given: Partial<Record<Name, string>> = {};
  const problems: string[] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    const found = known.find((one) => one === name);
    if (found === undefined) problems.push(unknown(name, known));
    else if (given[found] !== undefined) problems.push(`${name} is given twice: give it once`);
    else given[found] = value;
  }
  if (problems.length > 0) throw invalidQuery(problems);
  return given;
}

export function invalidQuery(problems: readonly string[]): AdminRefusal {
  return new AdminRefusal("invalid-query", sentence("The query is wrong", problems), {
    problems,
  });
}

/** All problems in one sentence. The last may be a question, which ends by a sign of its own. */
export function sentence(what: string, problems: readonly string[]): string {
  const words = `${what}: ${problems.join("; ")}`;
  return words.endsWith("?") ? words : `${words}.`;
}

/** A name that nothing bears, with the one that was probably meant. */
export function unknown(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  const others = known.length === 0 ? "none is known here" : `there are ${known.join(", ")}`;
  return `${JSON.stringify(name.slice(0, 64))} is unknown; ${guess ? `did you mean ${guess}?` : others}`;
}
