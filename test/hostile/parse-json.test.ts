/** Tests that JSON texts which JSON.parse would misread, or parse at too high a cost, are refused, and no others. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseDocument } from "../../src/ingest/parse-json.ts";
import { readable } from "../../src/ingest/reject-reasons.ts";
import { isTooDeep } from "../../src/ingest/split-documents.ts";
import { anyJson } from "../properties/json.ts";
import { SEED } from "../support/chance.ts";

const parse = (json: string) => parseDocument({ line: 1, bytes: Buffer.from(json) });
const TWICE = {
  problems: [expect.stringContaining("member")],
};

test.each([
  '{"a":1,"a":1}',
  '{"a" : 1, "a":2}',
  '{"a":1,\n"\\u0061"\t:2}',
  '{"":1,"":2}',
  '{"__proto__":1,"__proto__":2}',
  '{"a\\"":1,"a\\"":2}',
  '{"x":[0,{"y":{"b":1,"b":2}}],"c":":"}',
  `${'{"in":'.repeat(5000)}{"b":1,"b":2}${"}".repeat(5000)}`,
])("%.40s has a duplicate member", (text) => {
  expect(parse(text)).toEqual(TWICE);
});

test.each([
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":1}]',
  '{"a":": b","c":"\\":"}',
  '{"a":"\\\\","b":"\\\\\\":"}',
  '["a",":b"]',
  '"a"',
  "[]",
])("%s has no duplicate member", (text) => {
  expect(parse(text)).toMatchObject({ value: JSON.parse(text) });
});

test("no JSON text written by a program is refused, whatever its whitespace", () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom("", " ", "\t", "\n"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(parse(text)).toMatchObject({ value: JSON.parse(text) });
      expect(parse(`{"twice":${text},"once":1,"twice":${text}}`)).toEqual(TWICE);
    }),
    { seed: SEED },
  );
});

test("only long, very deeply nested texts are refused without parsing", () => {
  const nested = (levels: number) => Buffer.from("[".repeat(levels) + "]".repeat(levels));
  expect(isTooDeep(nested(40_000))).toBeTrue();
  expect(isTooDeep(nested(30_000))).toBeFalse();
  expect(isTooDeep(Buffer.from(`["${"[".repeat(100_000)}\\"["]`))).toBeFalse();
  expect(isTooDeep(Buffer.from(`[${"[],".repeat(100_000)}0]`))).toBeFalse();
});

test("reasons are each one line, reported once, and limited", () => {
  expect(readable(["a", "b", "a"])).toEqual(["a", "b"]);
  expect(readable(["\u001b[2J\n\u202e"])).toEqual(["\\u001b[2J\\u000a\\u202e"]);
  expect(readable(["x".repeat(5000)])[0]).toHaveLength(400);
  const many = readable(Array.from({ length: 1000 }, (_, at) => `reason ${at}`));
  expect(many).toHaveLength(201);
  expect(many.at(-1)).toContain("800 more");
});
