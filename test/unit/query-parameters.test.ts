import { describe, expect, test } from "bun:test";
import { PARAMETERS, type Parameter } from "../../src/query/parameters.ts";
import {
  type ParseContext,
  parseMatchesQuery,
  parsePlayersQuery,
  parseSingleQuery,
} from "../../src/query/parse-query.ts";
import { writeQuery } from "../../src/query/query-string.ts";

const context: ParseContext = {
  now: Date.UTC(2026, 2, 29),
  maxOffset: 10_000,
  includePaths: new Set(["rosters.participants"]),
  types: new Set(["match"]),
};

const PARSERS = {
  matches: parseMatchesQuery,
  players: parsePlayersQuery,
  single: parseSingleQuery,
};

const rows = (PARAMETERS as readonly Parameter[]).map((row) => [row.name, row] as const);

describe("the table of parameters", () => {
  test.each(rows)("has an example of %s that works wherever it is accepted", (_, row) => {
    const raw = writeQuery([[row.name.replace("TYPE", "match"), row.example]]);
    for (const [endpoint, parse] of Object.entries(PARSERS)) {
      const taken = row.endpoints.some((taker) => taker === endpoint);
      expect({ endpoint, ok: parse(raw, context).ok }).toEqual({ endpoint, ok: taken });
    }
  });

  test("has each name once", () => {
    expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length);
  });
});
