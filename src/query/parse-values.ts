/** Parses the values of parameters, by their kinds. */

import type { Problem } from "../domain/errors.ts";
import { GAME_MODES, isServedMode } from "../domain/modes.ts";
import { parseTimestamp, TIMESTAMP_EXAMPLE } from "../domain/time.ts";
import { distinct, splitList } from "./comma-list.ts";
import { decodeCursor } from "./cursor.ts";
import type { Kind, Parameter } from "./endpoint.ts";
import { MAX_VALUES } from "./parameters.ts";
import { emptyItem, enumerate, parameterProblem, quote, quoteUnknown } from "./problems.ts";
import type { ParseContext } from "./query.ts";

type Parser<K extends Kind> = (
  value: string,
  parameter: Extract<Parameter, { kind: K }>,
  name: string,
  context: ParseContext,
) => unknown;

/** Thrown by parsers, and reported with the others. */
export class InvalidValue extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

const invalid = (name: string, detail: string, code: Problem["code"] = "invalid-parameter") =>
  new InvalidValue(parameterProblem(code, name, detail));

/** The parser of the values of a parameter. It throws InvalidValue. */
export const parserOf = ({ kind }: Parameter) => PARSERS[kind] as Parser<Kind>;

const DIGITS = /^[0-9]+$/;

const parseChoice = (
  value: string,
  { choices, expects }: { choices: readonly string[]; expects: string },
  name: string,
): string => {
  if (choices.includes(value)) return value;
  throw invalid(name, `${name} must be ${expects}; you sent ${quote(value)}.`);
};

const PARSERS: { [K in Kind]: Parser<K> } = {
  limit(value, { most }, name) {
    const limit = DIGITS.test(value) ? Number(value) : 0;
    if (limit >= 1 && limit <= most) return limit;
    throw invalid(name, `${name} must be an integer from 1 to ${most}; you sent ${quote(value)}.`);
  },

  offset(value, { most }, name, { maxOffset }) {
    const offset = DIGITS.test(value) ? Number(value) : -1;
    if (most === 0 && offset !== 0) {
      const detail = `${name} must be 0 for players, which have only one page; you sent ${quote(value)}. Select players with filter[playerNames] or filter[playerIds].`;
      throw invalid(name, detail);
    }
    if (offset < 0) {
      throw invalid(name, `${name} must be an integer of 0 or more; you sent ${quote(value)}.`);
    }
    if (offset <= maxOffset) return offset;
    const detail = `${name} must be at most ${maxOffset}; you sent ${quote(value)}. Follow links.next instead, or narrow the window with filter[createdAt-start] and filter[createdAt-end].`;
    throw invalid(name, detail, "offset-too-deep");
  },

  cursor(value, { decode = decodeCursor, expects, otherwise }, name) {
    const position = decode(value);
    if (position !== undefined) return position;
    const detail = `${name} must be ${expects}; you sent ${quote(value)}. Omit it to ${otherwise}.`;
    throw invalid(name, detail, "invalid-cursor");
  },

  sort: parseChoice,
  choice: parseChoice,

  timestamp(value, _, name) {
    const moment = parseTimestamp(withZoneSign(value));
    if (moment !== undefined) return moment;
    const detail = `${name} must be a valid date and time with seconds and a time zone, e.g. ${TIMESTAMP_EXAMPLE}; you sent ${quote(value)}.`;
    throw invalid(name, detail);
  },

  list: (value, { most }, name) => parseList(value, most, name),

  modes(value, _, name) {
    const modes = parseList(value, MAX_VALUES, name);
    const unknown = modes.filter((mode) => !isServedMode(mode));
    if (unknown.length === 0) return modes;
    const detail = `${name} accepts these game modes: ${enumerate(GAME_MODES)}. You sent ${quoteUnknown(unknown, GAME_MODES)}.`;
    throw invalid(name, detail);
  },

  text(value, { most }, name) {
    const length = Array.from(value).length;
    if (length > most) {
      const detail = `${name} accepts at most ${most} characters; you sent ${length}. The beginning of a name is enough.`;
      throw invalid(name, detail);
    }
    // PostgreSQL cannot search for it.
    if (value.includes("\0")) {
      const detail = `${name} contains the character U+0000, which no name contains; remove it.`;
      throw invalid(name, detail);
    }
    return value;
  },

  include(value, _, name, { includePaths }) {
    if (value === "") return [];
    const paths = parseWords(value, name);
    const unknown = paths.filter((path) => !includePaths.has(path));
    if (unknown.length === 0) return paths;
    const sent = quoteUnknown(unknown, includePaths);
    const detail =
      includePaths.size === 0
        ? `Players have no related resources; omit ${name} or leave it empty. You sent ${sent}.`
        : `${name} accepts these paths: ${enumerate(includePaths)}. You sent ${sent}.`;
    throw invalid(name, detail, "unknown-include-path");
  },

  /** Any name is accepted: attributes are open, and unknown names are ignored. */
  fields: (value, _, name) => new Set(value === "" ? [] : parseWords(value, name)),
};

function parseList(value: string, most: number, name: string): string[] {
  const items = splitList(value);
  if (items === "stray backslash") {
    const detail = `${name} has a stray backslash; write a backslash as \\\\ and a comma inside a value as \\,. You sent ${quote(value)}.`;
    throw invalid(name, detail);
  }
  if (items === "empty item") throw new InvalidValue(emptyItem(name, value));
  const values = distinct(items);
  if (values.length <= most) return values;
  const detail = `${name} accepts at most ${most} values; you sent ${values.length}. Split them into several requests.`;
  throw invalid(name, detail, "too-many-values");
}

/** Distinct words between commas. Names of paths and fields need no escaping. */
function parseWords(value: string, name: string): string[] {
  const words = value.split(",");
  if (words.includes("")) throw new InvalidValue(emptyItem(name, value));
  return distinct(words);
}

const ZONE_LENGTH = "+00:00".length;

/** An unencoded `+` arrives as a space. Before a zone offset it can only mean `+`. */
function withZoneSign(text: string): string {
  const at = text.length - ZONE_LENGTH;
  return text[at] === " " ? `${text.slice(0, at)}+${text.slice(at + 1)}` : text;
}
