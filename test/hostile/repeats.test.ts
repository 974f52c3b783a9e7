/** Members that stand twice: found wherever they are, and never seen where there are none. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { isAbysmal } from "../../src/ingest/nesting.ts";
import { readable } from "../../src/ingest/reasons.ts";
import { repeatedMembers } from "../../src/ingest/repeats.ts";
import { anyJson } from "../properties/json.ts";
import { SEED } from "./chance.ts";

const repeatsIn = (text: string) => repeatedMembers(text, JSON.parse(text));

test.each([
  ['{"a":1,"a":1}', ["a"]],
  ['{"a" : 1, "a":2}', ["a"]],
  ['{"a":1,\n"\\u0061"\t:2}', ["a"]],
  ['{"":1,"":2}', [""]],
  ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
  ['{"a\\"":1,"a\\"":2}', ['a"']],
  ['{"x":[0,{"y":{"b":1,"b":2}}],"c":1,"c":2}', ["x.1.y.b", "c"]],
  ['{"a":1,"a":2,"a":3}', ["a"]],
])("%s has them at %j", (text, places) => {
  expect(repeatsIn(text)).toEqual(places);
});

test.each([
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":1}]',
  '{"a":": b","c":"\\":"}',
  '{"a":"\\\\","b":"\\\\\\":"}',
  '"a"',
  "[]",
])("%s has none", (text) => {
  expect(repeatsIn(text)).toEqual([]);
});

test("deep in a text, they are found without a stack", () => {
  const text = `${'{"in":'.repeat(50_000)}{"b":1,"b":2}${"}".repeat(50_000)}`;
  expect(repeatsIn(text)).toEqual(["…in.in.in.in.in.in.in.b"]);
});

test("no JSON text that was written by a program has any, however it is spaced", () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom("", " ", "\t", "\n"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(repeatsIn(text)).toEqual([]);
      expect(repeatsIn(`{"twice":${text},"once":1,"twice":${text}}`)).toEqual(["twice"]);
    }),
    { seed: SEED },
  );
});

test("only long texts of very many levels are not worth parsing", () => {
  const nested = (levels: number) => Buffer.from("[".repeat(levels) + "]".repeat(levels));
  expect(isAbysmal(nested(40_000))).toBeTrue();
  expect(isAbysmal(nested(30_000))).toBeFalse();
  expect(isAbysmal(Buffer.from(`["${"[".repeat(100_000)}\\"["]`))).toBeFalse();
  expect(isAbysmal(Buffer.from(`[${"[],".repeat(100_000)}0]`))).toBeFalse();
});

test("reasons are each one line, told once, and not without end", () => {
  expect(readable(["a", "b", "a"])).toEqual(["a", "b"]);
  expect(readable(["\u001b[2J\n\u202e"])).toEqual(["\\u001b[2J\\u000a\\u202e"]);
  expect(readable(["x".repeat(5000)])[0]).toHaveLength(400);
  const many = readable(Array.from({ length: 1000 }, (_, at) => `reason ${at}`));
  expect(many).toHaveLength(201);
  expect(many.at(-1)).toBe("… and 800 more reasons like these");
});
