/** Tests the files `matchbook ingest` accepts: every format, plain and compressed, complete and damaged. */

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import type { Json } from "../../src/domain/json.ts";
import type { Report } from "../../src/ingest/report.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { matchbook, type RunOptions } from "../support/process.ts";
import { aMatch, anId, duel, type MatchDocument } from "../support/records.ts";

// Several processes may share a slow machine.
const cwd = mkdtempSync(join(tmpdir(), "matchbook-formats-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function aFile(content: string | Uint8Array, name = `${anId("file")}.ndjson`): string {
  writeFileSync(join(cwd, name), content);
  return name;
}

/** Ingests files into a new data folder. */
async function ingest(args: string[], options: RunOptions = {}) {
  const data = anId("data");
  const { stdout, ...rest } = await matchbook(["ingest", "--json", "--data", data, ...args], {
    cwd,
    ...options,
  });
  return { ...rest, report: JSON.parse(stdout) as Report, holds: holder(data) };
}

/** Returns a function that checks whether a match is stored in a data folder. */
function holder(data: string): (id: string) => boolean {
  return (id) => sqliteRows(join(cwd, data, "na.db")).rows("match", { id }).length > 0;
}

const some = (count: number): MatchDocument[] =>
  Array.from({ length: count }, () => aMatch({ stats: { text: '"[{\\ü' } }));
const lines = (documents: Json[], end = "\n") =>
  documents.map((document) => JSON.stringify(document) + end).join("");
const pretty = (value: unknown) => JSON.stringify(value, null, 2);
const MARK = "\ufeff";

/** Two matches that share a player, in the format of a served page. */
function aPage(): { data: Json[]; included: Json[] } {
  const matches = [1, 2].map(() => aMatch({ rosters: duel({ id: "shared" }, { id: anId("p") }) }));
  const included = matches.flatMap((match) => match.included);
  return {
    data: matches.map(({ data }) => data),
    included: included.filter(
      ({ id }, index) => included.findIndex((other) => other.id === id) === index,
    ),
    links: { self: "https://matchbook.test/shards/na/matches" },
    meta: { window: {} },
    jsonapi: { version: "1.1" },
  } as { data: Json[]; included: Json[] };
}

/** The ids of the matches in documents of every format. */
function idsIn(content: unknown): string[] {
  const documents = (Array.isArray(content) ? content.flat() : [content]) as { data: Json }[];
  return documents
    .flatMap(({ data }) => [data].flat())
    .map((match) => (match as { id: string }).id);
}

describe("each format is accepted, plain and as gzip:", () => {
  const forms: [form: string, write: (content: Json) => string, content: Json][] = [
    ["one document", JSON.stringify, aMatch()],
    ["one pretty-printed document", pretty, aMatch()],
    ["an array of documents", JSON.stringify, some(3)],
    ["a pretty-printed array of documents", pretty, some(3)],
    ["NDJSON", (all) => lines(all as Json[]), some(3)],
    ["NDJSON without a last newline", (all) => lines(all as Json[]).trimEnd(), some(3)],
    ["NDJSON with Windows line ends", (all) => lines(all as Json[], "\r\n"), some(3)],
    ["NDJSON with blank lines", (all) => `\n\n${lines(all as Json[], "\n \n\t\n")}`, some(3)],
    ["NDJSON with a byte order mark", (all) => MARK + lines(all as Json[]), some(3)],
    ["a document with a byte order mark", (all) => MARK + pretty(all), aMatch()],
    ["a page of matches that share a player", JSON.stringify, aPage()],
    ["a pretty-printed page", pretty, aPage()],
    ["NDJSON of a page and a document", (all) => lines(all as Json[]), [aPage(), aMatch()]],
    ["NDJSON with a list on a line", (all) => lines(all as Json[]), [aMatch(), some(2)]],
  ];
  const files = forms.map(([, write, content]) => aFile(write(content)));
  const packed = forms.map(([, write, content]) =>
    aFile(gzipSync(write(content)), `${anId("f")}.gz`),
  );
  // Their names do not end in .gz.
  const disguised = forms.map(([, write, content]) => aFile(gzipSync(write(content))));
  const plain = ingest(files);
  const zipped = ingest([...packed, ...disguised]);

  test.each(forms)("%s", async (_, __, content) => {
    for (const { holds } of [await plain, await zipped]) {
      expect(idsIn(content).filter((id) => !holds(id))).toEqual([]);
    }
  });

  test("and nothing but the report is printed", async () => {
    const total = idsIn(forms.flatMap(([, , content]) => content)).length;
    expect(await plain).toMatchObject({
      exitCode: 0,
      stderr: "",
      report: { stored: total, duplicate: 0, rejected: 0, conflict: 0 },
    });
    expect(await zipped).toMatchObject({
      exitCode: 0,
      stderr: "",
      report: { stored: total, duplicate: total, rejected: 0, conflict: 0 },
    });
  });
});

test("the members of a concatenated gzip file are all read, wherever they end", async () => {
  const members = some(3).map((match) => gzipSync(lines([match])));
  const text = Buffer.from(lines(some(2)));
  const halves = [text.subarray(0, 1000), text.subarray(1000)].map((half) => gzipSync(half));
  const files = [aFile(Buffer.concat(members)), aFile(Buffer.concat(halves))];
  const { exitCode, report } = await ingest(files);
  expect([exitCode, report.stored, report.rejected]).toEqual([0, 5, 0]);
});

describe("zstd", () => {
  /** What other programs may put between frames, here with three bytes. */
  const SKIPPABLE = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
  const pack = (content: string, checksumFlag = 1) =>
    zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: checksumFlag } });

  test("is read: one frame, several, with and without a checksum", async () => {
    const text = lines(some(2));
    const files = [
      pack(lines(some(3))),
      pack(lines(some(3)), 0),
      Buffer.concat([pack(text.slice(0, 1000)), SKIPPABLE, pack(text.slice(1000), 0)]),
      pack(""),
    ].map((bytes) => aFile(bytes));
    const { exitCode, stderr, report } = await ingest(files);
    expect([exitCode, stderr, report.stored]).toEqual([0, "", 8]);
  });

  const four = some(4);
  const whole = pack(lines(four));
  test.each([
    ["without the last byte", whole.subarray(0, -1), "truncated"],
    ["between two frames", Buffer.concat([whole, pack("").subarray(0, 6)]), "truncated"],
    ["in its header", whole.subarray(0, 5), "truncated"],
    ["with other data after it", Buffer.concat([whole, Buffer.from("and so on")]), "damaged"],
    ["with a flipped bit", flipped(whole), "damaged"],
  ])("that is incomplete or damaged is reported: %s", async (_, bytes, state) => {
    const path = aFile(bytes);
    const { exitCode, stderr, report } = await ingest([path]);
    expect([exitCode, report.rejected]).toEqual([1, 1]);
    expect(stderr).toContain(`the rest of ${path} cannot be read: the zstd data is ${state}`);
  });

  test("that is truncated loses only the missing part", async () => {
    const many = some(600);
    const frames = Buffer.concat([pack(lines(many)), pack(lines(some(600))).subarray(0, 1000)]);
    const { exitCode, holds } = await ingest([aFile(frames)]);
    expect(exitCode).toBe(1);
    expect(idsIn(many).filter((id) => !holds(id))).toEqual([]);
  });

  function flipped(bytes: Buffer): Buffer {
    const copy = Buffer.from(bytes);
    copy[copy.length - 2]! ^= 0x10;
    return copy;
  }
});

describe("standard input", () => {
  test.each([
    ["plain", lines(some(3))],
    ["gzip", gzipSync(pretty(some(3)))],
    ["zstd", zstdCompressSync(pretty(some(3)))],
  ])("is read for -: %s", async (_, stdin) => {
    const { exitCode, stderr, report } = await ingest(["-"], { stdin });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(report.stored).toBe(3);
  });

  test("may be one of several inputs, and is named in messages", async () => {
    const three = some(3);
    const files = [aFile(lines([three[0]!])), "-", aFile(lines([three[2]!]))];
    const { stderr, report } = await ingest(files, { stdin: `${lines(three.slice(1))}nonsense\n` });
    expect(report).toMatchObject({ stored: 3, duplicate: 1, rejected: 1 });
    expect(stderr).toMatch(/^standard input:3: rejected\n {4}.*JSON/);
  });
});

test("a file without records is accepted, and reported as empty", async () => {
  const files = ["", "\n \n", "[]", " [ ]\n", MARK, '{"data":[]}'].map((text) => aFile(text));
  const { exitCode, stderr, report } = await ingest([...files, aFile(gzipSync(""))]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`${files[0]}, `);
  expect(report).toMatchObject({ stored: 0, duplicate: 0, rejected: 0 });
});

// records-chunks.test.ts has every kind of damage.
describe("only damaged records are lost, each reported with file and line:", () => {
  const cut = JSON.stringify(aMatch()).slice(0, 300);
  const [a, b, c, d] = Array.from({ length: 4 }, () => some(3));
  const notUtf8 = Buffer.from('{"data":"\xff"}\n', "latin1");
  const NOT_JSON = "not valid JSON: ";
  const cases: [
    string,
    content: string | Uint8Array,
    kept: Json[],
    line: number,
    reason: string,
  ][] = [
    ["a truncated line", `${lines(a!.slice(0, 2))}${cut}\n${lines(a!.slice(2))}`, a!, 3, NOT_JSON],
    [
      "broken UTF-8",
      Buffer.concat([Buffer.from(lines([b![0]!])), notUtf8, Buffer.from(lines(b!.slice(1)))]),
      b!,
      2,
      "not valid UTF-8",
    ],
    [
      "an array that is truncated between documents",
      JSON.stringify(c).slice(0, -1),
      c!,
      1,
      "the array of documents is not closed",
    ],
    [
      "an array that is truncated within a document",
      `[\n${d!.map((one) => JSON.stringify(one)).join(",\n")},\n${cut}`,
      d!,
      5,
      "the document is truncated: the input ends in line 5, after 3 complete documents",
    ],
  ];
  const files = cases.map(([, content]) => aFile(content));
  const taken = ingest(files);

  test.each(cases)("%s", async (what, _, kept, line, reason) => {
    const { stderr, holds } = await taken;
    const file = files[cases.findIndex(([name]) => name === what)]!;
    expect(idsIn(kept).filter((id) => !holds(id))).toEqual([]);
    const complaints = stderr.split(/\n(?! )/).filter((one) => one.startsWith(`${file}:`));
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toStartWith(`${file}:${line}: rejected\n    ${reason}`);
  });

  test("and the exit code is 1", async () => {
    const { exitCode, report } = await taken;
    expect(exitCode).toBe(1);
    expect(report).toMatchObject({
      rejected: cases.length,
      stored: cases.reduce((sum, [, , kept]) => sum + kept.length, 0),
    });
  });
});

test("a document longer than --max-record-bytes is skipped in every format, and ingest continues", async () => {
  const long = () => aMatch({ stats: { text: "x".repeat(20_000) } });
  const [a, b, c, d] = Array.from({ length: 4 }, () => some(2));
  const json = JSON.stringify;
  const files: [file: string, line: number][] = [
    [aFile(lines([a![0]!, long(), a![1]!])), 2],
    [aFile(`[${json(b![0])},\n${json(long())},\n${json(b![1])}]`), 2],
    [aFile(gzipSync(lines([c![0]!, long(), c![1]!]))), 2],
    [aFile(lines([long(), ...d!])), 1],
  ];
  const longEnough = lines([aMatch({ stats: { text: "x".repeat(10_000) } })]);
  const { exitCode, stderr, report } = await ingest([
    ...files.map(([file]) => file),
    aFile(longEnough),
    "--max-record-bytes",
    "16KiB",
  ]);
  expect(exitCode).toBe(1);
  expect(report).toMatchObject({ stored: 9, rejected: 4 });
  const reason = / {4}.*\b16384 bytes\b.*\bmax-record-bytes\b.*\n/g;
  expect(stderr.replace(reason, "")).toBe(
    files.map(([file, line]) => `${file}:${line}: rejected\n`).join(""),
  );
  expect(stderr.match(reason)).toHaveLength(files.length);
});

test("extreme nesting rejects a record, and neither crashes nor ends the file", async () => {
  const deep = JSON.stringify(aMatch({ stats: { deep: "?" } })).replace(
    '"?"',
    "[".repeat(200_000) + "]".repeat(200_000),
  );
  const [first, ...others] = some(3);
  const file = aFile(`${lines([first!])}${deep}\n${lines(others)}`);
  const { exitCode, stderr, report } = await ingest([file, "--rejects", "deep.ndjson"]);
  expect(exitCode).toBe(1);
  expect(report).toMatchObject({ stored: 3, rejected: 1 });
  expect(stderr).toContain("nested too deeply");
  // The text is returned, because it cannot be parsed.
  const handedBack = JSON.parse(await Bun.file(join(cwd, "deep.ndjson")).text());
  expect(handedBack.meta.rejected.text).toBe(deep);
});
