/** The explorer's query: to the page URL and back, and to a request. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openApiPath, ROUTES } from "../../src/http/routes.ts";
import {
  needsId,
  PRESENTATIONS,
  parseQuery,
  type Query,
  searchOf,
} from "../../src/portal/views/explorer/query.ts";
import { pathOf } from "../../src/portal/views/explorer/request.ts";
import { TARGET_NAMES, targetOfPath } from "../../src/portal/views/explorer/targets.ts";
import { PARAMETERS } from "../support/parameters.ts";

/** Any characters, especially those with a meaning in shells, URLs and lists. */
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("'", '"', "\\", "$", "`", "!", "&", "+", "%", "\n", " ", ","),
  }),
);
const OWN_NAMES = ["shard", "on", "id", "as", "after", "before"];
const anyName = fc.oneof(
  fc.constantFrom(...PARAMETERS.map(({ name }) => name.replace("TYPE", "match"))),
  anyText.filter((name) => name !== "" && !OWN_NAMES.includes(name)),
);
const anyQuestion: fc.Arbitrary<Query> = fc
  .record({
    shard: anyText,
    on: fc.constantFrom(...TARGET_NAMES),
    id: anyText,
    parameters: fc.array(fc.tuple(anyName, anyText)),
    position: fc.option(fc.tuple(fc.constantFrom("after", "before"), anyText), { nil: undefined }),
    as: fc.constantFrom(...PRESENTATIONS.map(({ value }) => value)),
  })
  .map((one) => ({ ...one, id: needsId(one.on) ? one.id : "" }));

describe("a query and the page URL", () => {
  test("any query survives a round trip through the URL", () => {
    fc.assert(
      fc.property(anyQuestion, (query) => {
        const address = searchOf(query).toString();
        expect(parseQuery(new URLSearchParams(address), "elsewhere")).toEqual(query);
      }),
    );
  });
});

describe("a query and its request", () => {
  test("sends every parameter unchanged, whatever it contains", () => {
    fc.assert(
      fc.property(anyQuestion, (query) => {
        const url = new URL(`http://service${pathOf(query)}`);
        expect([...url.searchParams]).toEqual(query.parameters as [string, string][]);
      }),
    );
  });

  test("has a target for every endpoint that returns records", () => {
    const paths = ROUTES.filter(({ access }) => access === "key").map(openApiPath);
    expect(paths.filter((path) => targetOfPath(path) === undefined)).toEqual([]);
    expect(paths.length).toBe(TARGET_NAMES.length);
  });
});
