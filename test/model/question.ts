/** A request of the soak, what the model expects as its response, and how the two are compared. */

import type { ListOf } from "./pages.ts";
import { key, type Thing } from "./record.ts";
import { byBytes, type State } from "./state.ts";

// biome-ignore lint/suspicious/noExplicitAny: a parsed response of any shape.
export type Body = any;

export interface Expected {
  status: number;
  /** Of the error. */
  code?: string;
  /** Undefined if `check` compares it. */
  data?: unknown;
  /** In any order. */
  included?: Thing[];
  meta?: unknown;
  /** Whether there is such a link; undefined: either. */
  next?: boolean;
  prev?: boolean;
  /** Other things to compare; returns what is wrong. */
  check?(body: Body): string | undefined;
}

export interface Question {
  /** For the table of what was sent. */
  kind: string;
  path: string;
  /** Of a page of matches. */
  list?: ListOf;
  /** Headers in place of the usual ones; null: none. */
  headers?: Record<string, string | null>;
  /** Every state has one or more right responses. `from`: the version before the request. */
  expect(state: State, body: Body, from: number): Expected | Expected[];
  /** The expectation depends on the response, which states a time. */
  isTimed?: boolean;
  /** With PostgreSQL, the server computes it once a second. */
  mayBeStale?: boolean;
  /** The expectation needs the log of changes up to the state. */
  needsLog?: boolean;
  /** The next page of a walk, after the response was found right. */
  onRight?(body: Body, states: readonly State[]): Question | undefined;
}

export const NOT_FOUND: Expected = { status: 404, code: "not-found" };

/** Whether a state has one right response to the path, at any time. */
export const isFixed = ({ isTimed, needsLog, onRight, headers }: Question): boolean =>
  !isTimed && !needsLog && onRight === undefined && headers === undefined;

/** The right responses of a state. */
export function expectedOf(
  question: Question,
  state: State,
  body: Body,
  from = state.version,
): Expected[] {
  if (!isFixed(question)) return [question.expect(state, body, from)].flat();
  return state.once(question.path, () => [question.expect(state, body, from)].flat());
}

/** What differs; undefined if nothing does. */
export function difference(expected: Expected, status: number, body: Body): string | undefined {
  if (status !== expected.status) return `status ${status} instead of ${expected.status}`;
  if (expected.code !== undefined && body?.errors?.[0]?.code !== expected.code) {
    return `code ${body?.errors?.[0]?.code} instead of ${expected.code}`;
  }
  if (status >= 400) return undefined;
  if (expected.data !== undefined && !Bun.deepEquals(body.data, expected.data)) return "data";
  if (expected.included && !sameSet(body.included, expected.included)) return "included";
  if (expected.meta !== undefined && !Bun.deepEquals(body.meta, expected.meta)) return "meta";
  for (const name of ["next", "prev"] as const) {
    const wanted = expected[name];
    if (wanted !== undefined && (body.links[name] !== undefined) !== wanted) {
      return `links.${name} is ${wanted ? "missing" : "not expected"}`;
    }
  }
  return expected.check?.(body);
}

function sameSet(found: Thing[] | undefined, expected: Thing[]): boolean {
  if (found?.length !== expected.length) return false;
  const byKey = new Map(found.map((one) => [key(one), one]));
  return (
    byKey.size === expected.length &&
    expected.every((one) => Bun.deepEquals(byKey.get(key(one)), one))
  );
}

/** Equal for equal content: what an entity tag stands for. */
export function signatureOf({ status, data, included = [], meta }: Expected): bigint {
  const related = included.toSorted((a, b) => byBytes(key(a), key(b)));
  return Bun.hash.wyhash(JSON.stringify([status, data, related, meta]));
}
