/** In charge of reading the values of a query: each by the reader of its parameter's kind. */

import type { Problem } from "../domain/errors.ts";
import { parameterProblem } from "./advice.ts";
import type { ParseContext, Reader } from "./context.ts";
import { readFields, readInclude, readList, readModes } from "./listed.ts";
import type { Known } from "./names.ts";
import {
  type Endpoint,
  fieldsType,
  type Kind,
  type KindOf,
  type ParameterName,
} from "./parameters.ts";
import type { Cursor, Sort } from "./query.ts";
import { readCursor, readLimit, readName, readOffset, readSort, readTimestamp } from "./scalars.ts";

interface ReadingOf extends Record<Kind, unknown> {
  limit: number;
  offset: number;
  cursor: Cursor;
  sort: Sort;
  timestamp: number;
  list: string[];
  modes: string[];
  name: string;
  include: string[];
  fields: ReadonlySet<string>;
}

const READERS: { [K in Kind]: Reader<ReadingOf[K]> } = {
  limit: readLimit,
  offset: readOffset,
  cursor: readCursor,
  sort: readSort,
  timestamp: readTimestamp,
  list: readList,
  modes: readModes,
  name: readName,
  include: readInclude,
  fields: readFields,
};

type FixedName = Exclude<ParameterName, "fields[TYPE]">;

/** What the values mean, by parameter. Absent: not given, or given and reported as a problem. */
export type Readings = { [Name in FixedName]?: ReadingOf[KindOf<Name>] } & {
  fields?: Map<string, ReadonlySet<string>>;
};

export function readValues(
  known: ReadonlyMap<string, Known>,
  endpoint: Endpoint,
  context: ParseContext,
  problems: Problem[],
): Readings {
  const readings: Readings = {};
  for (const [name, { parameter, value }] of known) {
    if (value === undefined) continue;
    if (value === "" && !parameter.mayBeEmpty) {
      const advice = parameter.isRequired ? "" : ", or leave it out";
      const detail = `${name} has no value; give it one, such as ${parameter.example}${advice}.`;
      problems.push(parameterProblem("empty-parameter", name, detail));
      continue;
    }
    const reading = READERS[parameter.kind](value, name, problems, context, endpoint);
    if (reading !== undefined) keep(readings, name, parameter.kind, reading);
  }
  return readings;
}

function keep(readings: Readings, name: string, kind: Kind, reading: ReadingOf[Kind]): void {
  // The table ties each name to its kind, and READERS each kind to the type of its readings.
  if (kind === "fields") {
    readings.fields ??= new Map();
    readings.fields.set(fieldsType(name), reading as ReadingOf["fields"]);
  } else {
    (readings as Record<string, unknown>)[name] = reading;
  }
}
