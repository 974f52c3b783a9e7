/** In charge of where a page begins: at an offset or at one cursor, never at two places. */

import type { Problem } from "../domain/errors.ts";
import { parameterProblem } from "./advice.ts";
import type { Known } from "./names.ts";
import type { Place } from "./query.ts";
import type { Readings } from "./values.ts";

const OFFSET = "page[offset]";
const AFTER = "page[after]";
const BEFORE = "page[before]";

/** The place; a meaningless one when a problem has been reported, here or with its parameters. */
export function settlePlace(
  known: ReadonlyMap<string, Known>,
  readings: Readings,
  problems: Problem[],
): Place {
  if (known.has(AFTER) || known.has(BEFORE)) checkConflicts(known, problems);
  const after = readings[AFTER];
  if (after) return { from: "after", gap: after };
  const before = readings[BEFORE];
  if (before) return { from: "before", gap: before };
  return { from: "offset", offset: readings[OFFSET] ?? 0 };
}

function checkConflicts(known: ReadonlyMap<string, Known>, problems: Problem[]): void {
  if (known.has(AFTER) && known.has(BEFORE)) {
    const detail = `${AFTER} and ${BEFORE} exclude each other; keep the one that the link had.`;
    problems.push(parameterProblem("conflicting-parameters", BEFORE, detail));
  }
  if (known.has(OFFSET)) {
    const cursor = known.has(AFTER) ? AFTER : BEFORE;
    const detail = `${OFFSET} and ${cursor} exclude each other: a cursor already says where the page begins. Leave one of them out.`;
    problems.push(parameterProblem("conflicting-parameters", OFFSET, detail));
  }
}
