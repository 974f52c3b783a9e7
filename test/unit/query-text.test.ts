/** Properties of queries; the parameters themselves are tested over HTTP. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Problem } from "../../src/domain/errors.ts";
import { GAME_MODES } from "../../src/domain/modes.ts";
import { splitList } from "../../src/query/comma-list.ts";
import { MATCHES, MAX_PARAMETERS, PLAYERS, SINGLE } from "../../src/query/parameters.ts";
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

/** A list as callers write it: commas between the items, a backslash as the escape. */
const joinList = (items: readonly string[]): string =>
  items.map((item) => item.replace(/[\\,]/g, "\\$&")).join(",");

function split(raw: string): { pairs: Pair[]; problems: Problem[] } {
  const problems: Problem[] = [];
  return { pairs: splitQuery(raw, problems), problems };
}

test("any query is parsed or reported as a problem, and never throws", () => {
  const part = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("page[limit]=", "filter[playerNames]=", "include=", "&", "%", ",", "\\", "="),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      for (const endpoint of [MATCHES, PLAYERS, SINGLE]) {
        const parsed = parseQuery(parts.join(""), endpoint, context);
        expect(parsed.ok || parsed.problems.length > 0).toBe(true);
      }
    }),
  );
});

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

test("any items, joined and split, are the same items", () => {
  const item = fc.oneof(
    fc.string({ unit: "binary", minLength: 1 }),
    fc.string({ unit: fc.constantFrom(",", "\\", "a", " "), minLength: 1 }),
  );
  fc.assert(
    fc.property(fc.array(item, { minLength: 1 }), (items) => {
      expect(splitList(joinList(items))).toEqual(items);
    }),
  );
});

test("parameters, written as a query string, are parsed as the same query", () => {
  const names = fc.array(fc.string({ unit: "binary", minLength: 1 }), {
    minLength: 1,
    maxLength: 50,
  });
  const given = fc
    .record(
      {
        "filter[playerNames]": names.map(joinList),
        "filter[teamNames]": names.map(joinList),
        "filter[gameMode]": fc.subarray([...GAME_MODES], { minLength: 1 }).map(joinList),
        "page[limit]": fc.integer({ min: 1, max: 5 }).map(String),
        "page[offset]": fc.nat(10_000).map(String),
        include: fc.subarray([...context.includePaths]).map(String),
        "filter[createdAt-start]": fc.constant("2026-03-20T02:00:00+02:00"),
      },
      { requiredKeys: [] },
    )
    .chain((parameters) => {
      const pairs = Object.entries(parameters) as [string, string][];
      return fc.shuffledSubarray(pairs, { minLength: pairs.length });
    });
  fc.assert(
    fc.property(given, (pairs) => {
      const parsed = parseQuery(writeQuery(pairs), MATCHES, context);
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      expect(parsed.query.given).toEqual(pairs);
      expect(parseQuery(writeQuery(parsed.query.given), MATCHES, context)).toEqual(parsed);
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
