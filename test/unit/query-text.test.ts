/** Properties of queries; the parameters themselves are tested over HTTP. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Problem } from "../../src/domain/errors.ts";
import { MATCHES, MAX_PARAMETERS } from "../../src/query/parameters.ts";
import { parseQuery } from "../../src/query/parse-query.ts";
import type { ParseContext } from "../../src/query/query.ts";
import { type Pair, splitQuery, writeQuery } from "../../src/query/query-string.ts";
import { ENDPOINTS } from "../support/parameters.ts";

const context: ParseContext = {
  now: Date.UTC(2026, 2, 29),
  maxOffset: 10_000,
  includePaths: new Set(["rosters", "rosters.participants", "rosters.team"]),
  types: new Set(["match", "roster", "player"]),
};

function split(raw: string): { pairs: Pair[]; problems: Problem[] } {
  const problems: Problem[] = [];
  return { pairs: splitQuery(raw, problems), problems };
}

test("any pairs, written as a query string, are parsed as the same pairs", () => {
  const text = fc.string({ unit: "binary" });
  const pair = fc.tuple(fc.string({ unit: "binary", minLength: 1 }), text);
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 10 }), (pairs) => {
      const raw = writeQuery(pairs);
      expect(split(raw)).toEqual({ pairs, problems: [] });
      expect(raw).toMatch(/^[A-Za-z0-9\-._~!'()*%&=]*$/);
    }),
  );
});

test("a repeated undecodable part is one problem", () => {
  expect(split("%&%&a=%&a=%&=1&=1").problems).toHaveLength(3);
});

test("too many parameters are one problem", () => {
  expect(split("a&".repeat(MAX_PARAMETERS)).problems).toEqual([]);
  const { pairs, problems } = split("a&".repeat(MAX_PARAMETERS * 10));
  expect(pairs).toHaveLength(MAX_PARAMETERS);
  expect(problems).toMatchObject([{ code: "malformed-query" }]);
  const unreadable = Array.from({ length: MAX_PARAMETERS * 10 }, (_, number) => `%z${number}`);
  expect(split(unreadable.join("&")).problems).toHaveLength(MAX_PARAMETERS + 1);
});

test("a long value is shortened, and never within a character", () => {
  for (const lead of ["", "x"]) {
    const value = lead + "🎮".repeat(100);
    const parsed = parseQuery(`page[limit]=${encodeURIComponent(value)}`, MATCHES, context);
    const quoted = parsed.ok ? "" : parsed.problems[0]!.detail.split('"')[1]!;
    expect(quoted.length).toBeLessThanOrEqual(60);
    expect(quoted).toEndWith("🎮…");
    expect(quoted.isWellFormed()).toBe(true);
  }
});

test.each(
  ENDPOINTS.flatMap((endpoint) =>
    Object.entries(endpoint.parameters).map(
      ([name, { example }]) => [endpoint.name, name, endpoint, example] as const,
    ),
  ),
)(
  "the declared parameters of %s have an example of %s that is accepted",
  (_, name, endpoint, example) => {
    const required = endpoint.required.filter((other) => other !== name);
    const raw = writeQuery([
      ...required.map((other) => [other, endpoint.parameters[other]!.example] as const),
      [name.replace("TYPE", "match"), example],
    ]);
    expect(parseQuery(raw, endpoint, context)).toMatchObject({ ok: true });
  },
);
