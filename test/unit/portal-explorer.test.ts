/** The explorer's query: to the page URL and back, and to a request. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openApiPath, ROUTES } from "../../src/http/routes.ts";
import {
  isSameRequest,
  missingIn,
  needsId,
  PRESENTATIONS,
  parameterValue,
  parseQuery,
  positionIn,
  type Query,
  searchOf,
  withShard,
  withTarget,
  withValue,
} from "../../src/portal/views/explorer/query.ts";
import { pathOf, requestPath } from "../../src/portal/views/explorer/request.ts";
import { TARGET_NAMES, targetOfPath } from "../../src/portal/views/explorer/targets.ts";
import { PARAMETERS } from "../support/parameters.ts";

const asked = (parameters: Query["parameters"], on: Query["on"] = "matches"): Query => ({
  shard: "na",
  on,
  id: "",
  parameters,
  as: "cards",
});

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

  test("a URL without a query means the newest matches of the default shard", () => {
    expect(parseQuery(new URLSearchParams(), "eu")).toEqual({
      shard: "eu",
      on: "matches",
      id: "",
      parameters: [["sort", "-createdAt"]],
      as: "cards",
    });
    expect(parseQuery(new URLSearchParams("page[limit]=2"), "eu")).toMatchObject({
      shard: "eu",
      on: "matches",
      parameters: [["page[limit]", "2"]],
    });
  });
});

describe("a change to a query", () => {
  test("replaces a value in its position, and repeated values by one", () => {
    const query = asked([
      ["page[limit]", "9"],
      ["sort", "createdAt"],
      ["page[limit]", "2"],
    ]);
    expect(withValue(query, "page[limit]", "3").parameters).toEqual([
      ["page[limit]", "3"],
      ["sort", "createdAt"],
    ]);
  });

  test("adds a value at the end, and removes one", () => {
    const query = withValue(asked([["sort", "-createdAt"]]), "include", "");
    expect(query.parameters).toEqual([
      ["sort", "-createdAt"],
      ["include", ""],
    ]);
    expect(parameterValue(query, "include")).toBe("");
    expect(withValue(query, "sort", undefined).parameters).toEqual([["include", ""]]);
  });

  const placed = asked([
    ["page[after]", "cursor"],
    ["page[offset]", "5"],
    ["page[limit]", "2"],
  ]);

  test("of the filters goes back to the first page", () => {
    expect(withValue(placed, "filter[gameMode]", "ranked").parameters).toEqual([
      ["page[limit]", "2"],
      ["filter[gameMode]", "ranked"],
    ]);
    expect(withShard(placed, "eu").parameters).toEqual([["page[limit]", "2"]]);
  });

  test("of the response content stays on the page", () => {
    expect(parameterValue(withValue(placed, "include", ""), "page[after]")).toBe("cursor");
    expect(parameterValue(withValue(placed, "fields[match]", "createdAt"), "page[after]")).toBe(
      "cursor",
    );
  });

  test("of the target keeps the parameters that it accepts", () => {
    const query = asked([
      ["sort", "-createdAt"],
      ["page[limit]", "2"],
      ["page[offset]", "4"],
      ["filter[playerNames]", "Ada"],
      ["include", "rosters"],
      ["fields[player]", "name"],
    ]);
    expect(withTarget(query, "players").parameters).toEqual([
      ["filter[playerNames]", "Ada"],
      ["fields[player]", "name"],
    ]);
    expect(withTarget(query, "match")).toEqual({
      shard: "na",
      on: "match",
      id: "",
      parameters: [
        ["include", "rosters"],
        ["fields[player]", "name"],
      ],
      as: "cards",
    });
  });

  test("to another page changes the position only: what was entered stays", () => {
    const link =
      "https://api.example/base/shards/na/matches?filter%5BcreatedAt-start%5D=2026-01-01T00%3A00%3A00Z&page%5Bafter%5D=x";
    const entered = asked([
      ["page[offset]", "5"],
      ["page[limit]", "2"],
    ]);
    const turned = { ...entered, position: positionIn(link) };
    expect(turned.parameters).toEqual(entered.parameters);
    expect(pathOf(turned)).toBe("/shards/na/matches?page[offset]=5&page[limit]=2");
    expect(requestPath(turned)).toBe("/shards/na/matches?page[limit]=2&page[after]=x");
    expect(positionIn("/shards/na/matches?page[before]=y")).toEqual(["before", "y"]);
    expect(positionIn("/shards/na/matches")).toBeUndefined();
    expect(isSameRequest(entered, turned)).toBe(false);
  });

  test("to the change feed starts with the oldest change, also with other filters", () => {
    const feed = withTarget(asked([["sort", "-createdAt"]]), "changes");
    expect(feed.parameters).toEqual([["page[after]", "oldest"]]);
    const filtered = withValue(feed, "filter[gameMode]", "ranked");
    expect(parameterValue(filtered, "page[after]")).toBe("oldest");
    expect(requestPath({ ...filtered, position: ["after", "x"] })).toBe(
      "/shards/na/changes?filter[gameMode]=ranked&page[after]=x",
    );
  });

  test("is detected, unless only the presentation changes", () => {
    expect(isSameRequest(placed, { ...placed, as: "json" })).toBe(true);
    expect(isSameRequest(placed, withValue(placed, "page[limit]", "3"))).toBe(false);
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

  test("says what is missing: a region, an ID or a required parameter", () => {
    expect(missingIn(asked([]))).toBeUndefined();
    expect(missingIn({ ...asked([]), shard: "" })).toBe("a region");
    expect(missingIn(asked([], "match"))).toBe("the Match ID");
    expect(missingIn({ ...asked([], "match"), id: "m" })).toBeUndefined();
    expect(missingIn(asked([], "names"))).toBe("a value for filter[near]");
    expect(missingIn(asked([["filter[near]", "x"]], "names"))).toBeUndefined();
  });

  test("has a target for every endpoint that returns records", () => {
    const paths = ROUTES.filter(({ access }) => access === "key").map(openApiPath);
    expect(paths.filter((path) => targetOfPath(path) === undefined)).toEqual([]);
    expect(paths.length).toBe(TARGET_NAMES.length);
  });
});
