/** In charge of the explorer's query: into the address and back, into a request and a curl line. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  givenFor,
  inShard,
  isSame,
  isWhole,
  type Question,
  questionOf,
  searchOf,
  TARGETS,
  withValue,
} from "../../src/portal/views/explorer/question.ts";
import { curlOf, pathOf } from "../../src/portal/views/explorer/request.ts";
import { PARAMETERS } from "../../src/query/parameters.ts";
import { scaled } from "../support/scale.ts";

const asked = (parameters: Question["parameters"], on: Question["on"] = "matches"): Question => ({
  shard: "na",
  on,
  id: "",
  parameters,
  as: "cards",
});

/** Every sign there is, those that shells, URLs and lists read above all. */
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
const anyQuestion: fc.Arbitrary<Question> = fc
  .record({
    shard: anyText,
    on: fc.constantFrom(...TARGETS),
    id: anyText,
    parameters: fc.array(fc.tuple(anyName, anyText)),
    as: fc.constantFrom("cards" as const, "json" as const),
  })
  .map((one) => ({ ...one, id: one.on === "match" || one.on === "player" ? one.id : "" }));

describe("a question and the page's address", () => {
  test("any question, written into an address and read again, is the same", () => {
    fc.assert(
      fc.property(anyQuestion, (question) => {
        const address = searchOf(question).toString();
        expect(questionOf(new URLSearchParams(address), "elsewhere")).toEqual(question);
      }),
    );
  });

  test("an address that asks for nothing means the newest matches of the usual shard", () => {
    expect(questionOf(new URLSearchParams(), "eu")).toEqual({
      shard: "eu",
      on: "matches",
      id: "",
      parameters: [["sort", "-createdAt"]],
      as: "cards",
    });
    expect(questionOf(new URLSearchParams("page[limit]=2"), "eu")).toMatchObject({
      shard: "eu",
      on: "matches",
      parameters: [["page[limit]", "2"]],
    });
  });
});

describe("a change of a question", () => {
  test("replaces a value in its place, and a repeated one by one", () => {
    const question = asked([
      ["page[limit]", "9"],
      ["sort", "createdAt"],
      ["page[limit]", "2"],
    ]);
    expect(withValue(question, "page[limit]", "3").parameters).toEqual([
      ["page[limit]", "3"],
      ["sort", "createdAt"],
    ]);
  });

  test("adds a value at the end, and takes one away", () => {
    const question = withValue(asked([["sort", "-createdAt"]]), "include", "");
    expect(question.parameters).toEqual([
      ["sort", "-createdAt"],
      ["include", ""],
    ]);
    expect(givenFor(question, "include")).toBe("");
    expect(withValue(question, "sort", undefined).parameters).toEqual([["include", ""]]);
  });

  const placed = asked([
    ["page[after]", "cursor"],
    ["page[offset]", "5"],
    ["page[limit]", "2"],
  ]);

  test("of what is looked for begins at the first page again", () => {
    expect(withValue(placed, "filter[gameMode]", "ranked").parameters).toEqual([
      ["page[limit]", "2"],
      ["filter[gameMode]", "ranked"],
    ]);
    expect(inShard(placed, "eu").parameters).toEqual([["page[limit]", "2"]]);
  });

  test("of what is sent of it stays on its page", () => {
    expect(givenFor(withValue(placed, "include", ""), "page[after]")).toBe("cursor");
    expect(givenFor(withValue(placed, "fields[match]", "createdAt"), "page[after]")).toBe("cursor");
  });

  test("is seen, and how the reply is shown is none", () => {
    expect(isSame(placed, { ...placed, as: "json" })).toBe(true);
    expect(isSame(placed, withValue(placed, "page[limit]", "3"))).toBe(false);
  });
});

describe("a question and its request", () => {
  test("carries every parameter to the service, whatever is in it", () => {
    fc.assert(
      fc.property(anyQuestion, (question) => {
        const url = new URL(`http://service${pathOf(question)}`);
        expect([...url.searchParams]).toEqual(question.parameters as [string, string][]);
      }),
    );
  });

  test("is not whole without a shard, or without the id of a single record", () => {
    expect(isWhole(asked([]))).toBe(true);
    expect(isWhole({ ...asked([]), shard: "" })).toBe(false);
    expect(isWhole(asked([], "match"))).toBe(false);
    expect(isWhole({ ...asked([], "match"), id: "m" })).toBe(true);
  });
});

describe("the curl line", () => {
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

  /** What the shell makes of the line: the words of the command, without running curl. */
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

  test("reaches a shell as it is meant, whatever names and keys contain", async () => {
    const key = fc.string({ unit: "grapheme-ascii" });
    await fc.assert(
      fc.asyncProperty(anyQuestion, key, async (question, key) => {
        const url = `http://localhost:8080${pathOf(question)}`;
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
