/** Tests files of every format, wherever the chunks happen to be split. */

import { describe, expect, test } from "bun:test";
import type { Bytes } from "../../src/ingest/source.ts";
import { splitDocuments } from "../../src/ingest/split-documents.ts";

const ONE = { data: { id: "ü1", text: 'a "quoted" \\ [{', list: [1, { two: [] }] } };
const TWO = { data: { id: "玩家", text: "]}\n,\t" }, included: [] };
const THREE = { data: [], more: null };
const ALL = [ONE, TWO, THREE];

const pretty = (value: unknown) => JSON.stringify(value, null, 2);
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

const compact = (value: unknown) => JSON.stringify(value);
/** What is before, between and after documents, and how each is written. */
const FRAMES: [form: string, start: string, between: string, end: string, write: typeof compact][] =
  [
    ["NDJSON", "", "\n", "\n", compact],
    ["NDJSON without a last newline", "", "\n", "", compact],
    ["NDJSON with Windows line ends", "", "\r\n", "\r\n", compact],
    ["NDJSON with blank lines", "\n\n", "\n \t\r\n", "\n", compact],
    ["pretty-printed documents", "\n \n", "\n", "\n", pretty],
    ["an array", "[", ",", "]", compact],
    ["an array over lines", "[\n", ",\n", "\n]\n", compact],
    ["a pretty-printed array", "[\n", ",\n", "\n]", pretty],
  ];

describe("documents are found complete, with their line numbers:", () => {
  test.each(FRAMES)("%s", async (_, start, between, end, write) => {
    for (const all of [[], [ONE], ALL]) {
      for (const mark of ["", MARK]) {
        const texts = all.map(write);
        const before = (at: number) =>
          start +
          texts
            .slice(0, at)
            .map((one) => one + between)
            .join("");
        const lines = texts.map((_text, at) => before(at).split("\n").length);
        for (const size of SIZES) {
          const cuts = await cut(mark + start + texts.join(between) + end, size);
          expect(cuts.map(({ line }) => line)).toEqual(lines);
          expect(cuts.map(({ text }) => JSON.parse(text!))).toEqual(all);
        }
      }
    }
  });
});

test.each([
  `{"data":[],"included":[\n{"a":1},\n{"b":2}\n]}\n`,
  `{"data":[],"included":[\n{"a":1}\n]}\n`,
  `{\n"data":\n{"id":"1"}\n}`,
])("a document may have lines of its own: %j", async (text) => {
  for (const size of SIZES) {
    const [one, ...others] = await cut(text, size);
    expect([one!.line, JSON.parse(one!.text!), others]).toEqual([1, JSON.parse(text), []]);
  }
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
