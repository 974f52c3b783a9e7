/** In charge of what a query is read against, and of the shape of the readers that do it. */

import type { Problem } from "../domain/errors.ts";
import type { Endpoint } from "./parameters.ts";

export interface ParseContext {
  /** Milliseconds since the epoch. */
  now: number;
  /** The deepest `page[offset]` served. */
  maxOffset: number;
  /** The paths that `include` may name on this endpoint. */
  includePaths: ReadonlySet<string>;
  /** The resource types that `fields[TYPE]` may name. */
  types: ReadonlySet<string>;
}

/** Reads one value. Undefined when the value is wrong, which the reader has then reported. */
export type Reader<Reading> = (
  value: string,
  name: string,
  problems: Problem[],
  context: ParseContext,
  endpoint: Endpoint,
) => Reading | undefined;
