/**
 * Declares what an endpoint accepts: its query parameters with their kinds, limits and documentation. The parser, the
 * OpenAPI document and the portal use the declarations.
 */

import type { Problem } from "../domain/errors.ts";
import type { Cursor } from "./query.ts";

/** Stands for one parameter per type of resource. */
export const FIELDS = "fields[TYPE]";
const FIELDS_OPENING = "fields[";

interface Described {
  description: string;
  /** A value before percent-encoding. */
  example: string;
  /** For documentation; absent if there is no default. */
  default?: string;
  mayBeEmpty?: true;
  isRequired?: true;
}

/** Each kind has one parser. */
export type Parameter = Described &
  (
    | { kind: "limit"; most: number; usual: number }
    /** `most` is 0 where there is only one page; otherwise the deployment decides. */
    | { kind: "offset"; most?: 0 }
    /**
     * `expects` and `otherwise` are for messages: what the value must be, and what happens without it. Without `decode`
     * it is a position in a list of matches.
     */
    | { kind: "cursor"; expects: string; otherwise: string; decode?(text: string): unknown }
    | { kind: "sort" | "choice"; choices: readonly string[]; expects: string }
    | { kind: "timestamp" }
    | { kind: "list"; most: number }
    | { kind: "modes" }
    | { kind: "text"; most: number }
    | { kind: "include" }
    | { kind: "fields" }
  );

export type Kind = Parameter["kind"];

export type Parameters = Readonly<Record<string, Parameter>>;

type ValueOf<P extends Parameter> = P extends { decode(text: string): infer Position }
  ? NonNullable<Position>
  : P extends { choices: readonly (infer Choice)[] }
    ? Choice
    : {
        limit: number;
        offset: number;
        cursor: Cursor;
        sort: string;
        choice: string;
        timestamp: number;
        list: string[];
        modes: string[];
        text: string;
        include: string[];
        fields: ReadonlySet<string>;
      }[P["kind"]];

/** The parsed values by parameter. Absent: not given, or reported as invalid. */
export type ValuesOf<P extends Parameters> = {
  [Name in Exclude<keyof P, typeof FIELDS>]?: ValueOf<P[Name]>;
} & { fields?: ReadonlyMap<string, ReadonlySet<string>> };

export interface Endpoint<P extends Parameters = Parameters> {
  name: string;
  /** For messages, e.g. "the matches collection". */
  title: string;
  parameters: P;
  /** The same, without `fields[TYPE]`: looked up for every parameter of every request. */
  byName: ReadonlyMap<string, Parameter>;
  /** The names of those that must be given. */
  required: readonly string[];
  /** Reports what is wrong with values that belong together. Some may be missing, because they were reported. */
  check?(values: ValuesOf<P>, given: GivenValues, now: number): Problem[];
}

/** The accepted parameters by name, each with its first value: undefined if it could not be decoded. */
export type GivenValues = ReadonlyMap<string, string | undefined>;

/** Keeps the types of the parameters. */
export const declareEndpoint = <const P extends Parameters>(
  name: string,
  title: string,
  parameters: P,
  check?: NonNullable<Endpoint<P>["check"]>,
): Endpoint<P> => {
  const all: [string, Parameter][] = Object.entries(parameters);
  return {
    name,
    title,
    parameters,
    byName: new Map(all.filter(([one]) => one !== FIELDS)),
    required: all.filter(([, { isRequired }]) => isRequired).map(([one]) => one),
    ...(check && { check }),
  };
};

export const fieldsName = (type: string): string => `${FIELDS_OPENING}${type}]`;

/** The TYPE of `fields[TYPE]`. */
export const fieldsType = (name: string): string => name.slice(FIELDS_OPENING.length, -1);

export function findParameter(
  { byName, parameters }: Endpoint,
  name: string,
): Parameter | undefined {
  const found = byName.get(name);
  if (found) return found;
  return name.startsWith(FIELDS_OPENING) && name.endsWith("]") ? parameters[FIELDS] : undefined;
}

/** Every parameter name that an endpoint accepts, with one `fields[TYPE]` per type. */
export const acceptedNames = ({ parameters }: Endpoint, types: Iterable<string>): string[] =>
  Object.keys(parameters).flatMap((name) =>
    name === FIELDS ? [...types].map(fieldsName) : [name],
  );
