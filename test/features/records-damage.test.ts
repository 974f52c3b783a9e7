/** Tests truncated documents: those that begin on a later line are found, but none of their parts. */

import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/domain/json.ts";
import type { Bytes } from "../../src/ingest/source.ts";
import { splitDocuments } from "../../src/ingest/split-documents.ts";
import { aMatch, type MatchDocument } from "../support/records.ts";

const compact = (value: unknown) => JSON.stringify(value);
const pretty = (value: unknown) => JSON.stringify(value, null, 2);
const indented = (value: unknown) => pretty(value).replace(/^/gm, "  ");

/** Brackets and quotation marks in strings, which a parser that lost its position misinterprets. */
const record = (stats: JsonObject = {}): MatchDocument =>
  aMatch({
    rosters: [
      { members: [{ id: "a", name: "]}[" }], team: { id: "t", name: '{"' } },
      { members: [{ bot: true }] },
    ],
    stats: { text: '\\"data":[{', ...stats },
  });
const [one, two, three] = [record(), record(), record()];
const broken = record({ list: [1, [2], { three: 3 }] });
/** More than the longest document, and less than two. */
const LENGTH = 4200;

async function* inChunks(text: string, size: number): Bytes {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function cut(text: string, size: number, longest: number) {
  return Array.fromAsync(splitDocuments(inChunks(text, size), longest), ({ line, bytes }) => ({
    line,
    text: bytes?.toString(),
  }));
}

const lineOf = (text: string, at: number) => text.slice(0, at).split("\n").length;

describe("a document truncated anywhere is reported once, and those after it are accepted:", () => {
  test.each<[form: string, write: (value: unknown) => string, before: string, between: string]>([
    ["pretty-printed, before NDJSON", pretty, "", "\n"],
    ["an element of an array, a line each", compact, `[\n${compact(three)},\n`, ",\n"],
    ["an element of an array, with its comma", compact, `[\n${compact(three)},\n`, "\n"],
    ["an element of a pretty-printed array", indented, `[\n${indented(three)},\n`, ",\n"],
    ["the same, with its comma", indented, `[\n${indented(three)},\n`, "\n"],
  ])("%s", async (_, write, before, between) => {
    const isArray = before !== "";
    const behind = [one, two].map((value) => (isArray ? write(value) : compact(value)));
    const whole = write(broken);
    for (let length = whole.indexOf("{") + 1; length < whole.length - 1; length += 5) {
      const text = `${before}${whole.slice(0, length)}${between}${behind.join(
        isArray ? between : "\n",
      )}${isArray ? "]" : ""}`;
      const expected = [
        ...(isArray ? [three] : []).map((value) => write(value).trim()),
        ...behind.map((value) => value.trim()),
      ].map((value) => ({ line: lineOf(text, text.indexOf(value)), text: value }));
      for (const [size, longest] of [
        [1 << 19, 1 << 24],
        // The text is too long as soon as it contains a second document.
        [64, LENGTH],
      ] as const) {
        const found = await cut(text, size, longest);
        const others = found.filter(({ text: part }) => part?.[0] !== "{" || !isWhole(part));
        expect(found.filter((part) => !others.includes(part))).toEqual(expected);
        expect(others).toHaveLength(1);
        expect(others[0]!.line).toBe(lineOf(text, before.length));
      }
    }
  });
});

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("parts of a truncated document are not taken as documents:", () => {
  const inner = compact(one);
  test.each([
    ["a document in a string", `{"data":{"note":${compact(inner)},"x":1`],
    ["a document in a truncated string", `{"data":{"note":${compact(inner).slice(0, -1)}`],
    ["a document in an attribute", `{"data":{"attributes":{"original":${inner},"x":1`],
    [
      "documents in a list of an attribute",
      `{"data":{"attributes":{"all":[${inner},${inner}],"x":1`,
    ],
    [
      "documents in a pretty-printed list",
      pretty({ data: { attributes: { all: [one, two], x: 1 } } }).slice(0, -9),
    ],
    ["documents after a string", `{"data":{"attributes":{"all":["included",[${inner}]],"x":1`],
    [
      "a relationship without its colon",
      '{"data":{"relationships":{"one"{"data":{"type":"roster","id":"r","attributes":{}}},"x":{}',
    ],
    ["resources and references", compact(broken).slice(0, -1)],
  ])("%s", async (_, text) => {
    expect(await cut(`[${text}`, 64, 1 << 24)).toEqual([{ line: 1, text }]);
  });

  test("also when its brackets match but it is not valid JSON for another reason", async () => {
    const text = `{"data":{"attributes":{"all":[${inner}],"x":}}}`;
    expect(await cut(`[${text},${inner}]`, 64, 1 << 24)).toEqual([
      { line: 1, text },
      { line: 1, text: inner },
    ]);
  });
});

describe("malformed text in an array is rejected, and the documents after it are accepted:", () => {
  test.each([
    ["the rest of an object", '"x": 1}, "included": [{"type": "roster"}, {"type": "team"}]}'],
    ["brackets alone", "}]}"],
    ["an extra quotation mark", '{"data":{"name":"A"da","x":{"y":1}}}'],
    ["a line end in a string", '{"data":{"name":"A\nda","x":{"y":1}}}'],
  ])("%s", async (_, damage) => {
    for (const size of [1, 3, 1 << 19]) {
      const found = await cut(`[${damage},\n${compact(one)},\n${compact(two)}]`, size, 1 << 24);
      const documents = found.map(({ text }) => text!).filter((text) => text[0] === "{");
      expect(documents.filter(isWhole)).toEqual([compact(one), compact(two)]);
    }
  });
});

test("a truncated document that is too long is reported once, wherever the next one begins", async () => {
  const goods = [one, two, three].map(compact);
  for (let filler = 0; filler < 2 * LENGTH; filler += 97) {
    const start = `{"data":{"type":"match","attributes":{"text":"${"x".repeat(2 * LENGTH + filler)}`;
    for (const before of ["[", "", `[{"included":[${compact(one).slice(0, 90)}","a":{"b":`]) {
      const text = `${before}${start}\n${goods.join("\n")}${before.slice(0, 1) && "]"}`;
      const found = await cut(text, 64, LENGTH);
      expect(found).toEqual([
        { line: 1, text: undefined },
        ...goods.map((good, at) => ({ line: at + 2, text: good })),
      ]);
    }
  }
});
