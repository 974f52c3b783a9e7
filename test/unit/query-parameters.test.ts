import { describe, expect, test } from "bun:test";
import { parseQuery } from "../../src/query/parse-query.ts";
import type { ParseContext } from "../../src/query/query.ts";
import { writeQuery } from "../../src/query/query-string.ts";
import { ENDPOINTS } from "../support/parameters.ts";

const context: ParseContext = {
  now: Date.UTC(2026, 2, 29),
  maxOffset: 10_000,
  includePaths: new Set(["rosters.participants"]),
  types: new Set(["match"]),
};

const rows = ENDPOINTS.flatMap((endpoint) =>
  Object.entries(endpoint.parameters).map(
    ([name, { example }]) => [endpoint.name, name, endpoint, example] as const,
  ),
);

describe("the declared parameters", () => {
  test.each(rows)("of %s have an example of %s that is accepted", (_, name, endpoint, example) => {
    const required = Object.entries(endpoint.parameters).filter(
      ([other, { isRequired }]) => isRequired && other !== name,
    );
    const raw = writeQuery([
      ...required.map(([other, parameter]) => [other, parameter.example] as const),
      [name.replace("TYPE", "match"), example],
    ]);
    expect(parseQuery(raw, endpoint, context)).toMatchObject({ ok: true });
  });
});
