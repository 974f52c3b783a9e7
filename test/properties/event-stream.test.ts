/** Properties of the client's parser of Server-Sent Events. */

import { expect, test } from "bun:test";
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

test("bytes that are not UTF-8 become replacement characters, and harm no other event", () => {
  const bytes = [...bytesOf("data: a"), 0xff, 0xe6, 0x97, ...bytesOf("\n\ndata: b\n\n")];
  expect(itemsOf(bytes.map((byte) => Uint8Array.of(byte)))).toEqual([
    event("a\ufffd\ufffd"),
    event("b"),
  ]);
});

const lineEnd = fc.constantFrom("\n", "\r", "\r\n");
/** Any text without line ends. */
const inLine = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }).map((text) => text.replaceAll(/[\r\n]/g, "")),
  fc.constantFrom("", " a ", "a: b:c", "a\0", BOM, "é日🎲\u2028\u0085"),
);

interface Line {
  name: string;
  value: string;
  text: string;
}

const END: Line = { name: "end", value: "", text: "" };
const note = inLine.map((value): Line => ({ name: "comment", value, text: `:${value}` }));
/** In each spelling; others than the first three mean nothing. */
const named = fc
  .tuple(
    fc.constantFrom("data", "event", "id", "DATA", " data", "retry", `${BOM}data`),
    inLine,
    fc.boolean(),
  )
  .map(([name, value, isShort]): Line => {
    if (isShort && value === "") return { name, value, text: name };
    const space = isShort && !value.startsWith(" ") ? "" : " ";
    return { name, value, text: `${name}:${space}${value}` };
  });
const line = fc.oneof({ weight: 6, arbitrary: named }, note, fc.constant(END));

/** What the lines mean by the HTML standard. An id counts from the end of its event on. */
function meaning(lines: readonly Line[]): StreamItem[] {
  const items: StreamItem[] = [];
  let [type, nextId, lastId] = ["", "", ""];
  let data: string[] = [];
  for (const { name, value } of lines) {
    if (name === "comment") items.push(comment(value, lastId));
    else if (name === "data") data.push(value);
    else if (name === "event") type = value;
    else if (name === "id" && !value.includes("\0")) nextId = value;
    if (name !== "end") continue;
    lastId = nextId;
    if (data.length > 0) items.push(event(data.join("\n"), lastId, type || "message"));
    [type, data] = ["", []];
  }
  return items;
}

test("a stream means the same however it is written and cut, and its incomplete end nothing", () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 16, size: "max" }),
      fc.infiniteStream(lineEnd),
      fc.record({ isMarked: fc.boolean(), isCut: fc.boolean() }),
      fc.array(fc.nat(), { maxLength: 10 }),
      (lines, ends, { isMarked, isCut }, seeds) => {
        // Without it, a mark of the first line would be that of the stream.
        let text = isMarked || lines[0]?.text.startsWith(BOM) ? BOM : "";
        for (const [at, line] of lines.entries()) {
          // A CR before an LF would be one line end.
          const end = ends.next().value;
          const isOne = line === END && text.endsWith("\r") && end === "\n";
          text += line.text + (isCut && at === lines.length - 1 ? "" : isOne ? "\r\n" : end);
        }
        const bytes = bytesOf(text);
        const expected = meaning(isCut ? lines.slice(0, -1) : lines);
        const cuts = seeds.map((seed) => seed % (bytes.length + 1));
        expect(itemsOf(cutAt(bytes, cuts))).toEqual(expected);
        expect(itemsOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
      },
    ),
    { numRuns: scaled(3000) },
  );
});
