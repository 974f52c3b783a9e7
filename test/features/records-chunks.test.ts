/** Tests files of every format, wherever the chunks happen to be split. */

import { describe, expect, test } from "bun:test";
import type { Bytes } from "../../src/ingest/source.ts";
import { splitDocuments } from "../../src/ingest/split-documents.ts";

const ONE = { data: { id: "ü1", text: 'a "quoted" \\ [{', list: [1, { two: [] }] } };
const TWO = { data: { id: "玩家", text: "]}\n,\t" }, included: [] };
const THREE = { data: [], more: null };
const ALL = [ONE, TWO, THREE];

const pretty = (value: unknown) => JSON.stringify(value, null, 2);
const lines = (values: unknown[], end = "\n") =>
  values.map((one) => JSON.stringify(one) + end).join("");
const MARK = "\ufeff";

async function* inChunks(text: string | Uint8Array, size: number): Bytes {
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length; at += size) {
    // Overwritten after it was handed over, as a source may do with its buffer.
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    yield chunk;
    chunk.fill(0x20);
  }
}

async function cut(text: string | Uint8Array, size: number, longest = 10_000) {
  return Array.fromAsync(
    splitDocuments(inChunks(text, size), longest),
    ({ line, bytes, fault }) => ({
      line,
      text: fault?.includes("larger") ? undefined : (fault ?? bytes?.toString()),
    }),
  );
}

const SIZES = [1, 2, 3, 5, 64, 1_000_000];

describe("documents are found complete, with their line numbers:", () => {
  test.each<[form: string, text: string, lines: number[], found: unknown[]]>([
    ["one document", JSON.stringify(ONE), [1], [ONE]],
    ["one document and a newline", `${JSON.stringify(ONE)}\n`, [1], [ONE]],
    ["one pretty-printed document", pretty(ONE), [1], [ONE]],
    ["one pretty-printed document after blank lines", `\n \n${pretty(ONE)}\n`, [3], [ONE]],
    ["an array", JSON.stringify(ALL), [1, 1, 1], ALL],
    [
      "an array over lines",
      `[\n${ALL.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`,
      [2, 3, 4],
      ALL,
    ],
    ["a pretty-printed array", pretty([TWO, TWO]), [2, 9], [TWO, TWO]],
    ["an empty array", "[]\n", [], []],
    ["NDJSON", lines(ALL), [1, 2, 3], ALL],
    ["NDJSON without a last newline", lines(ALL).trimEnd(), [1, 2, 3], ALL],
    ["NDJSON with Windows line ends", lines(ALL, "\r\n"), [1, 2, 3], ALL],
    ["NDJSON with blank lines", `\n\n${lines(ALL, "\n \t\r\n")}`, [3, 5, 7], ALL],
    ["NDJSON with a byte order mark", MARK + lines(ALL), [1, 2, 3], ALL],
    ["an array with a byte order mark", MARK + JSON.stringify(ALL), [1, 1, 1], ALL],
    ["a pretty-printed document with a byte order mark", MARK + pretty(ONE), [1], [ONE]],
    [
      "a document with one resource a line",
      `{"data":[],"included":[\n{"a":1},\n{"b":2}\n]}\n`,
      [1],
      [{ data: [], included: [{ a: 1 }, { b: 2 }] }],
    ],
    [
      "a document with a single resource on a line",
      `{"data":[],"included":[\n{"a":1}\n]}\n`,
      [1],
      [{ data: [], included: [{ a: 1 }] }],
    ],
    ["a document without indentation", `{\n"data":\n{"id":"1"}\n}`, [1], [{ data: { id: "1" } }]],
    ["nothing", "", [], []],
    ["whitespace", " \n\r\n\t", [], []],
    ["a byte order mark alone", MARK, [], []],
  ])("%s", async (_, text, at, found) => {
    for (const size of SIZES) {
      const cuts = await cut(text, size);
      expect(cuts.map(({ line }) => line)).toEqual(at);
      expect(cuts.map(({ text: one }) => JSON.parse(one!))).toEqual(found);
    }
  });
});

describe("damage is contained:", () => {
  const whole = JSON.stringify(ONE);
  const half = whole.slice(0, 20);
  test.each<[string, string[]]>([
    ["in the first line", [half, whole, whole]],
    ["in the first three lines", [half, "{", half, whole]],
    ["in a line among others", [whole, half, "nonsense", "]", whole]],
    ["in the last line", [whole, half]],
    ["everywhere", ["nonsense", half]],
  ])("%s", async (_, texts) => {
    for (const size of SIZES) {
      const cuts = await cut(texts.join("\n"), size);
      expect(cuts).toEqual(texts.map((text, index) => ({ line: index + 1, text })));
    }
  });

  test("in one element of an array", async () => {
    for (const size of SIZES) {
      const cuts = await cut(`[${whole},\n{"a":},\nnull, 5, "x"\n,${whole}]`, size);
      expect(cuts.map(({ text }) => text)).toEqual([whole, '{"a":}', "null", "5", '"x"', whole]);
      expect(cuts.map(({ line }) => line)).toEqual([1, 2, 3, 3, 3, 4]);
    }
  });

  test.each<[text: string, complete: number, line: number, reason: string]>([
    ["[", 0, 1, "the array of documents is not closed: the input ends in line 1, after 0"],
    [`[${whole}`, 1, 1, "the array of documents is not closed: the input ends in line 1, after 1"],
    [
      `[\n${whole},\n${whole}\n`,
      2,
      4,
      "the array of documents is not closed: the input ends in line 4, after 2",
    ],
    [`[\n${whole},\n${half}`, 1, 3, "the document is truncated: the input ends in line 3, after 1"],
    [
      pretty(ONE).slice(0, -2),
      0,
      1,
      "the document is truncated: the input ends in line 11, after 0",
    ],
    [
      `${pretty(ONE)}\n${pretty(TWO).slice(0, -2)}`,
      1,
      13,
      "the document is truncated: the input ends in line 18, after 1",
    ],
  ])("at the end of %j, as one fault that says where", async (text, complete, line, reason) => {
    for (const size of SIZES) {
      const cuts = await cut(text, size);
      expect(cuts).toHaveLength(complete + 1);
      expect(cuts.at(-1)).toMatchObject({
        line,
        text: expect.stringContaining(`${reason} complete documents`),
      });
    }
  });

  test.each([
    ["a document in a string", `{"data":{"note":${JSON.stringify(whole)},"x":1`],
    ["a document in an attribute", `{"data":{"attributes":{"original":${whole},"x":1`],
    ["documents in a list", pretty({ data: { all: [ONE, TWO], x: 1 } }).slice(0, -6)],
  ])("to its document, without taking a part of it for another: %s", async (_, text) => {
    for (const size of SIZES) {
      expect(await cut(`[${text}`, size)).toMatchObject([
        { line: 1, text: expect.stringContaining("truncated") },
      ]);
    }
  });
});

describe("only what is too long is skipped:", () => {
  const long = JSON.stringify({ data: { text: "x".repeat(500) } });
  const short = JSON.stringify({ data: { id: "1" } });
  test.each<[string, string, (string | undefined)[]]>([
    ["a line", [short, long, short].join("\n"), [short, undefined, short]],
    ["the first line", [long, short, short].join("\n"), [undefined, short, short]],
    [
      "the first line, before a damaged one",
      [long, "{", short].join("\n"),
      [undefined, "{", short],
    ],
    ["an element of an array", `[${[short, long, short]}]`, [short, undefined, short]],
    ["the only document", long, [undefined]],
    ["a pretty-printed document", pretty(JSON.parse(long)), [undefined]],
  ])("%s", async (_, text, found) => {
    for (const size of SIZES) {
      expect((await cut(text, size, 200)).map((one) => one.text)).toEqual(found);
    }
  });

  test("a document of exactly the maximum length is accepted", async () => {
    expect(await cut(long, 64, long.length)).toEqual([{ line: 1, text: long }]);
    expect((await cut(long, 64, long.length - 1))[0]!.text).toBeUndefined();
  });
});
