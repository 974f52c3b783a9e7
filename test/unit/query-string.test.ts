import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Problem } from "../../src/domain/errors.ts";
import { MAX_PARAMETERS } from "../../src/query/parameters.ts";
import { type Pair, splitQuery, writeQuery } from "../../src/query/query-string.ts";

function split(raw: string): { pairs: Pair[]; problems: Problem[] } {
  const problems: Problem[] = [];
  return { pairs: splitQuery(raw, problems), problems };
}

describe("a query string", () => {
  const readable: [why: string, raw: string, pairs: Pair[]][] = [
    ["nothing is no parameter", "", []],
    ["raw brackets", "page[limit]=3", [["page[limit]", "3"]]],
    ["percent-encoded brackets", "page%5Blimit%5d=3", [["page[limit]", "3"]]],
    ["a plus is a blank", "a+b=c+d", [["a b", "c d"]]],
    ["an encoded plus is a plus", "a=%2B", [["a", "+"]]],
    ["a value is decoded once only", "a=%2541", [["a", "%41"]]],
    ["UTF-8", "a=%E2%9C%93%F0%9F%8E%AE", [["a", "✓🎮"]]],
    ["a value may hold an equals sign", "a=b=c", [["a", "b=c"]]],
    [
      "no equals sign is an empty value",
      "a&b=",
      [
        ["a", ""],
        ["b", ""],
      ],
    ],
    [
      "empty parts are nothing",
      "&a=1&&b=2&",
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
  ];
  test.each(readable)("reads %s", (_, raw, pairs) => {
    expect(split(raw)).toEqual({ pairs, problems: [] });
  });

  const broken: [why: string, value: string][] = [
    ["a lone percent sign", "50%"],
    ["an escape that is no hexadecimal number", "%zz"],
    ["an escape that is cut short", "%4"],
    ["bytes that are no UTF-8", "%FF"],
    ["a character that is cut short", "%E2%9C"],
    ["an overlong form", "%C0%80"],
    ["half a surrogate pair", "%ED%A0%80"],
  ];
  test.each(broken)("with %s is malformed, and the parameter named", (_, value) => {
    const { pairs, problems } = split(`a=1&filter[playerNames]=${value}&b=2`);
    expect(problems).toMatchObject([
      { code: "malformed-query", source: { parameter: "filter[playerNames]" } },
    ]);
    expect(problems[0]!.detail).toContain(`you sent "${value}"`);
    expect(pairs.map(([name]) => name)).toEqual(["a", "filter[playerNames]", "b"]);
  });

  test("whose name cannot be read is malformed, and the part quoted", () => {
    const { problems } = split("%zz=1&=2&%");
    expect(problems.map(({ code }) => code)).toEqual(Array(3).fill("malformed-query"));
    expect(problems[0]!.detail).toContain('"%zz=1"');
    expect(problems[1]!.detail).toContain('"=2" has no parameter name');
    expect(problems.some(({ source }) => source)).toBe(false);
  });

  test("with the same unreadable part several times has one problem, not several alike", () => {
    expect(split("%&%&a=%&a=%&=1&=1").problems).toHaveLength(3);
  });

  test("of endless parameters is cut off with a single problem", () => {
    expect(split("a&".repeat(MAX_PARAMETERS)).problems).toEqual([]);
    const { pairs, problems } = split("a&".repeat(MAX_PARAMETERS * 10));
    expect(pairs).toHaveLength(MAX_PARAMETERS);
    expect(problems).toMatchObject([{ code: "malformed-query" }]);
    const unreadable = Array.from({ length: MAX_PARAMETERS * 10 }, (_, number) => `%z${number}`);
    expect(split(unreadable.join("&")).problems).toHaveLength(MAX_PARAMETERS + 1);
  });

  test("written from any pairs reads back as the same pairs", () => {
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
});
