/** Properties of the client's parser of Server-Sent Events. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { EventParser, type StreamItem } from "../../client/src/sse.ts";
import { scaled } from "../support/scale.ts";

function itemsOf(chunks: Iterable<Uint8Array>): StreamItem[] {
  const parser = new EventParser();
  const items: StreamItem[] = [];
  for (const chunk of chunks) items.push(...parser.parse(chunk));
  return items;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The parts between the cuts. */
function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...cuts.toSorted((one, other) => one - other), bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const BOM = "\ufeff";
const event = (data: string, id = "", type = "message"): StreamItem => ({ event: type, data, id });
const comment = (data: string, id = ""): StreamItem => ({ event: undefined, data, id });

/** Streams with what they mean. */
const STREAMS: [string, string, StreamItem[]][] = [
  ["one event", "data: a\n\n", [event("a")]],
  ["several lines of data", "data: a\ndata:\ndata: b\n\n", [event("a\n\nb")]],
  ["an empty line of data", "data\n\n", [event("")]],
  ["two empty lines of data", "data\ndata\n\n", [event("\n")]],
  ["one space is removed", "data:  a \n\ndata:b\n\n", [event(" a "), event("b")]],
  ["colons in values", "data: a: b:c\n\n", [event("a: b:c")]],
  ["every line end", "data: a\r\n\r\ndata: b\r\rdata: c\n\n", [event("a"), event("b"), event("c")]],
  ["mixed line ends", "data: a\r\ndata: b\rdata: c\n\r\n", [event("a\nb\nc")]],
  ["a byte order mark", `${BOM}data: a\n\n`, [event("a")]],
  ["a second byte order mark", `${BOM}${BOM}data: a\n\ndata: b\n\n`, [event("b")]],
  ["a byte order mark in data", `data: ${BOM}\n\n`, [event(BOM)]],
  ["comments", ":\n: a\n\n:b: c\n", [comment(""), comment(" a"), comment("b: c")]],
  ["a comment within an event", "data: a\n: x\ndata: b\n\n", [comment(" x"), event("a\nb")]],
  ["types", "event: x\ndata: a\n\ndata: b\n\n", [event("a", "", "x"), event("b")]],
  ["an event without data", "event: x\n\ndata: b\n\n", [event("b")]],
  [
    "ids last",
    "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
    [event("a", "1"), event("b", "1"), event("c")],
  ],
  ["an id without data", "id: 1\n: x\n\n: y\n\n", [comment(" x"), comment(" y", "1")]],
  ["an id with a NUL", "id: 1\ndata: a\n\nid: \0\ndata: b\n\n", [event("a", "1"), event("b", "1")]],
  ["unknown fields", "data: a\nDATA: b\n data: c\nretry: 5\nx\n\n", [event("a")]],
  ["an incomplete event", "data: a\n\nid: 2\ndata: b\n", [event("a")]],
  ["an incomplete line", "data: a\n\ndata: b", [event("a")]],
  ["long characters", "data: é日🎲\u2028\u0085\n\n", [event("é日🎲\u2028\u0085")]],
  ["nothing", "", []],
];

describe("a stream means the same however it is cut:", () => {
  test.each(STREAMS)("%s", (_, text, expected) => {
    const bytes = bytesOf(text);
    expect(itemsOf([bytes])).toEqual(expected);
    expect(itemsOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second++) {
        expect(itemsOf(cutAt(bytes, [first, second]))).toEqual(expected);
      }
    }
  });
});

test("bytes that are not UTF-8 become replacement characters, and harm no other event", () => {
  const bytes = [...bytesOf("data: a"), 0xff, 0xe6, 0x97, ...bytesOf("\n\ndata: b\n\n")];
  expect(itemsOf(bytes.map((byte) => Uint8Array.of(byte)))).toEqual([
    event("a\ufffd\ufffd"),
    event("b"),
  ]);
});

const lineEnd = fc.constantFrom("\n", "\r", "\r\n");
/** Any text without line ends. */
const inLine = fc
  .string({ unit: "binary", maxLength: 8 })
  .map((text) => text.replaceAll(/[\r\n]/g, ""));
const id = inLine.map((text) => text.replaceAll("\0", ""));
const written = fc.record({
  comments: fc.array(inLine, { maxLength: 2 }),
  type: inLine,
  id,
  data: fc.array(inLine, { minLength: 1, maxLength: 3 }),
});

test("what was written is read, with any line ends and any cuts", () => {
  fc.assert(
    fc.property(
      fc.array(written, { maxLength: 4 }),
      fc.infiniteStream(lineEnd),
      fc.boolean(),
      fc.array(fc.nat(), { maxLength: 10 }),
      (events, ends, isMarked, seeds) => {
        let text = isMarked ? BOM : "";
        const expected: StreamItem[] = [];
        let lastId = "";
        for (const { comments, type, id, data } of events) {
          const fields = [`id: ${id}`, `event: ${type}`, ...data.map((line) => `data: ${line}`)];
          for (const line of [...comments.map((words) => `:${words}`), ...fields, ""]) {
            // A CR before an LF would be one line end.
            const end = ends.next().value;
            text += line + (line === "" && text.endsWith("\r") && end === "\n" ? "\r\n" : end);
          }
          expected.push(...comments.map((words) => comment(words, lastId)));
          expected.push(event(data.join("\n"), id, type || "message"));
          lastId = id;
        }
        const bytes = bytesOf(text);
        const cuts = seeds.map((seed) => seed % (bytes.length + 1));
        expect(itemsOf(cutAt(bytes, cuts))).toEqual(expected);
      },
    ),
    { numRuns: scaled(1000) },
  );
});
