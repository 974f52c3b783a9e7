/** The explorer's query: to the page URL and back, to a request, and to a curl command. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  isComplete,
  isSameRequest,
  parameterValue,
  parseQuery,
  type Query,
  queryFromLink,
  searchOf,
  TARGETS,
  withShard,
  withTarget,
  withValue,
} from "../../src/portal/views/explorer/query.ts";
import { curlOf, pathOf } from "../../src/portal/views/explorer/request.ts";
import { PARAMETERS } from "../../src/query/parameters.ts";
import { scaled } from "../support/scale.ts";

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
const anyName = fc.oneof(
  fc.constantFrom(...PARAMETERS.map(({ name }) => name.replace("TYPE", "match"))),
  anyText.filter((name) => name !== "" && !["shard", "on", "id", "as"].includes(name)),
);
const anyQuestion: fc.Arbitrary<Query> = fc
  .record({
    shard: anyText,
    on: fc.constantFrom(...TARGETS),
    id: anyText,
    parameters: fc.array(fc.tuple(anyName, anyText)),
    as: fc.constantFrom("cards" as const, "json" as const),
  })
  .map((one) => ({ ...one, id: one.on === "match" || one.on === "player" ? one.id : "" }));

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
    expect(withTarget(query, "match", "m1")).toEqual({
      shard: "na",
      on: "match",
      id: "m1",
      parameters: [
        ["include", "rosters"],
        ["fields[player]", "name"],
      ],
      as: "cards",
    });
  });

  test("by a link uses its parameters unchanged", () => {
    const link =
      "https://api.example/base/shards/na/matches?filter%5BplayerNames%5D=A%2CB&page%5Bafter%5D=x";
    expect(queryFromLink(placed, link).parameters).toEqual([
      ["filter[playerNames]", "A,B"],
      ["page[after]", "x"],
    ]);
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

  test("is incomplete without a shard, or without the ID of a single record", () => {
    expect(isComplete(asked([]))).toBe(true);
    expect(isComplete({ ...asked([]), shard: "" })).toBe(false);
    expect(isComplete(asked([], "match"))).toBe(false);
    expect(isComplete({ ...asked([], "match"), id: "m" })).toBe(true);
  });
});

describe("the curl command", () => {
  test("is what a person would write", () => {
    expect(curlOf("http://localhost:8080/shards/na/matches?page[limit]=1", "mb_key")).toBe(
      [
        "curl -g --compressed \\",
        "  -H 'Authorization: Bearer mb_key' \\",
        "  -H 'Accept: application/vnd.api+json' \\",
        "  'http://localhost:8080/shards/na/matches?page[limit]=1'",
      ].join("\n"),
    );
  });

  /** The words of the command as the shell sees them, without running curl. */
  async function wordsOf(line: string): Promise<string[]> {
    const script = `curl() { printf '%s\\0' "$@"; }\n${line}`;
    const shell = Bun.spawn(["sh", "-c", script], { stdout: "pipe", stderr: "pipe" });
    const [words, complaints] = await Promise.all([
      new Response(shell.stdout).text(),
      new Response(shell.stderr).text(),
    ]);
    expect(complaints).toBe("");
    return words.split("\0").slice(0, -1);
  }

  test("is safe to paste into a shell, whatever names and keys contain", async () => {
    const key = fc.string({ unit: "grapheme-ascii" });
    await fc.assert(
      fc.asyncProperty(anyQuestion, key, async (query, key) => {
        const url = `http://localhost:8080${pathOf(query)}`;
        expect(await wordsOf(curlOf(url, key))).toEqual([
          "-g",
          "--compressed",
          "-H",
          `Authorization: Bearer ${key}`,
          "-H",
          "Accept: application/vnd.api+json",
          url,
        ]);
      }),
      { numRuns: scaled(25) },
    );
  });
});
