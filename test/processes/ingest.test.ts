/**
 * `matchbook ingest` as a process: its inputs, report, exit codes and file of rejected records. Formats and their damage are in
 * test/features/records-chunks.test.ts and the fuzzing, messages in test/docs/messages.json.
 */

import { describe, expect, test } from "bun:test";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import type { Json } from "../../src/domain/json.ts";
import { ndjson } from "../support/admin.ts";
import { draftOf, type Loose, written } from "../support/drafts.ts";
import {
  finished,
  MATCHBOOK,
  matchbook,
  type RunOptions,
  spawnMatchbook,
  surroundings,
} from "../support/process.ts";
import { aMatch, anId, duel } from "../support/records.ts";
import { sharedFolder } from "../support/shared.ts";
import { countsOf, until } from "../support/state.ts";

const folder = sharedFolder();
const cwd = folder;

const some = (count: number) => Array.from({ length: count }, () => aMatch());

function aFile(content: Json[] | string | Uint8Array, name = `${anId("file")}.ndjson`): string {
  writeFileSync(join(cwd, name), Array.isArray(content) ? ndjson(content) : content);
  return name;
}

const read = (file: string): Loose[] =>
  readFileSync(join(cwd, file), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** Ingests into a data folder, by default a new one. */
async function ingest(args: string[], options: RunOptions & { data?: string } = {}) {
  const { data = anId("data"), ...rest } = options;
  const whole = ["ingest", "--json", "--data", data, ...args];
  const { stdout, ...ended } = await matchbook(whole, { cwd, ...rest });
  return { ...ended, report: stdout === "" ? undefined : JSON.parse(stdout) };
}

const nothing = {
  ...{ stored: 0, withheld: { "game-mode": 0, ending: 0, "no-ranked-player": 0 } },
  ...{ duplicate: 0, conflict: 0, pruned: 0, rejected: 0, released: 0 },
};
const wrong = (id = anId("match")): Json => aMatch({ id, attributes: { duration: -1 } });

describe("an input", () => {
  /** What other programs may put between frames, here with three bytes. */
  const SKIPPABLE = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
  const zstd = (content: string, checksumFlag = 1) =>
    zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: checksumFlag } });

  test("may be plain or compressed, whatever its name, in one part or several", async () => {
    const text = ndjson(some(2));
    const halves = [text.slice(0, 1000), text.slice(1000)] as const;
    const files = [
      aFile(JSON.stringify([some(2), aMatch()].flat(), null, 2), "pretty.json"),
      aFile([aMatch(), some(2)]),
      aFile(gzipSync(ndjson(some(3))), "three.gz"),
      aFile(gzipSync(ndjson(some(3)))),
      aFile(Buffer.concat(halves.map((half) => gzipSync(half)))),
      aFile(zstd(ndjson(some(3))), "three.zst"),
      aFile(Buffer.concat([zstd(ndjson([aMatch()])), SKIPPABLE, zstd(ndjson(some(2)), 0)])),
      aFile(zstd("")),
    ];
    const report = { ...nothing, stored: 20 };
    expect(await ingest(files)).toEqual({ exitCode: 0, stderr: "", report });
  });

  test("of zstd that is truncated loses only the missing part", async () => {
    const frames = [zstd(ndjson(some(600))), zstd(ndjson(some(600))).subarray(0, 1000)];
    const { exitCode, report } = await ingest([aFile(Buffer.concat(frames))]);
    expect([exitCode, report.stored >= 600]).toEqual([1, true]);
  });

  test.each([
    ["plain", (text: string) => text],
    ["gzip", gzipSync],
    ["zstd", (text: string) => zstd(text)],
  ])("may be standard input, one of several, which messages name: %s", async (_, pack) => {
    const [first, second, third] = some(3);
    const files = [aFile([first!]), "-", aFile([third!])];
    const stdin = pack(`${ndjson([second!, third!])}nonsense\n`);
    const { stderr, report } = await ingest(files, { stdin });
    expect(report).toMatchObject({ stored: 3, duplicate: 1, rejected: 1 });
    expect(stderr).toMatch(/^standard input:3: rejected\n {4}.*JSON/);
  });

  test.each([
    [["good.ndjson", "missing.ndjson"]],
    [["good.ndjson", "--rejects", "./folder/../good.ndjson"]],
    [["good.ndjson", "--rejects", "folder"]],
  ])("is not read if another argument is wrong: %j exits with 2", async (args) => {
    aFile([aMatch()], "good.ndjson");
    mkdirSync(join(cwd, "folder"), { recursive: true });
    const { exitCode, report } = await ingest(args, { data: "misuse" });
    expect([exitCode, report]).toEqual([2, undefined]);
    expect(existsSync(join(cwd, "misuse"))).toBe(false);
    expect(readFileSync(join(cwd, "good.ndjson"), "utf8")).not.toBe("");
  });
});

describe("the report", () => {
  test("has the counts by name, as JSON or as a table, alone on standard output; exit code 1", async () => {
    const known = aMatch();
    const different = draftOf(known);
    different.match.attributes.duration = 5;
    const file = aFile([
      known,
      known,
      different.document,
      wrong("bad"),
      aMatch({ mode: "practice" }),
      aMatch({ ending: "exitpractice" }),
      aMatch({ ending: "notenoughplayers" }),
      aMatch({ mode: "private", rosters: duel({ id: "a" }, { id: "b" }) }),
      aMatch({ shard: "eu" }),
    ]);
    const { exitCode, stderr, report } = await ingest([file]);
    expect([exitCode, report]).toEqual([
      1,
      {
        ...{ ...nothing, stored: 2, duplicate: 1, conflict: 1, rejected: 1 },
        withheld: { "game-mode": 1, ending: 2, "no-ranked-player": 1 },
      },
    ]);
    expect(stderr).toContain(`${file}:4: rejected match bad\n`);
    expect(stderr).toContain(`${file}:3: conflict: `);
    const table = await matchbook(["ingest", file, "--data", "table"], { cwd });
    expect([table.exitCode, table.stdout.replace(/ +/g, " ").split("\n")]).toEqual([
      1,
      [
        ...["stored 2", "withheld (game-mode) 1", "withheld (ending) 2"],
        ...["withheld (no-ranked-player) 1", "duplicate 1", "conflict 1", "pruned 0"],
        ...["rejected 1", "released 0", ""],
      ],
    ]);
  });

  test("comes with exit code 0, and nothing else, if all was stored, withheld, known or replaced", async () => {
    const known = aMatch();
    const data = "zero";
    const first = await ingest([aFile([known, aMatch({ mode: "practice" })])], { data });
    expect([first.exitCode, first.stderr]).toEqual([0, ""]);
    const changed = draftOf(known);
    changed.match.attributes.duration = 5;
    const file = aFile([changed.document]);
    expect((await ingest([file], { data })).exitCode).toBe(1);
    for (const counts of [{ stored: 1 }, { duplicate: 1 }]) {
      const replaced = await ingest([file, "--replace"], { data });
      expect(replaced).toEqual({ exitCode: 0, stderr: "", report: { ...nothing, ...counts } });
    }
  });

  test("is missing, and the exit code is 3, if the shard's file is deleted meanwhile", async () => {
    const data = join(cwd, "deleted");
    const child = spawnMatchbook(["ingest", "-", "--batch", "10", "--data", data], { cwd });
    child.stdin.write(ndjson(some(200)));
    await child.stdin.flush();
    await until("some are stored", async () => ((await countsOf(data)).na?.served ?? 0) > 0);
    for (const suffix of ["", "-wal", "-shm"]) {
      rmSync(join(data, `na.db${suffix}`), { force: true });
    }
    try {
      await child.stdin.write(ndjson(some(200)));
      await child.stdin.end();
    } catch {
      // It has ended already.
    }
    const { exitCode, stdout, stderr } = await finished(child);
    expect([exitCode, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(/^matchbook: .*na\.db .*deleted.*restore/m);
    expect(existsSync(join(data, "na.db"))).toBe(false);
  });
});

describe("--rejects", () => {
  const input = aFile([wrong()]);
  linkSync(join(cwd, input), join(cwd, "link.ndjson"));
  /** With the file as standard input. */
  const redirected = async (...args: string[]) => {
    const child = Bun.spawn([MATCHBOOK, "ingest", "-", "--data", "redirected", ...args], {
      ...{ cwd, env: surroundings(), stdin: Bun.file(join(cwd, input)) },
      ...{ stdout: "pipe", stderr: "pipe" },
    });
    return finished(child as never);
  };

  test.each([
    ["a hard link", () => ingest([input, "--rejects", "link.ndjson"])],
    ["standard input", () => redirected("--rejects", input)],
    ["a hard link to standard input", () => redirected("--rejects", "link.ndjson")],
  ])("never overwrites its input: %s", async (_, run) => {
    const before = readFileSync(join(cwd, input), "utf8");
    const { exitCode, stderr } = await run();
    expect(readFileSync(join(cwd, input), "utf8")).toBe(before);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("would overwrite an input")]);
  });

  test("may be a device, which is not overwritten", async () => {
    expect((await ingest(["-", "--rejects", "/dev/null"])).exitCode).toBe(0);
  });

  test("writes NDJSON with the reasons, which can be fixed and ingested again", async () => {
    const data = "fix";
    const draft = draftOf(aMatch({ id: "fix-me", stats: { kept: [null, "ü"] } }));
    draft.match.attributes.duration = "1200";
    const source = aFile([aMatch(), draft.document, aMatch()]);
    expect((await ingest([source, "--rejects", "fix.ndjson"], { data })).exitCode).toBe(1);
    const [record, ...more] = read("fix.ndjson");
    expect(more).toEqual([]);
    const reasons = [expect.stringMatching(/^match fix-me: attributes\.duration /)];
    const rejected = { source, line: 2, reasons };
    expect(record).toEqual({ ...draft.document, meta: { rejected } });
    // Without a fix, it is rejected again for the same reason.
    const unfixed = await ingest(["fix.ndjson", "--rejects", "again.ndjson"], { data });
    expect(unfixed.report).toEqual({ ...nothing, rejected: 1 });
    const again = { source: "fix.ndjson", line: 1, reasons: record.meta.rejected.reasons };
    expect(read("again.ndjson")[0].meta.rejected).toMatchObject(again);

    record.data.attributes.duration = 1200;
    const fixed = await ingest([aFile([record])], { data });
    expect(fixed).toEqual({ exitCode: 0, stderr: "", report: { ...nothing, stored: 1 } });
  });

  test("keeps unsupported large numbers as they were written", async () => {
    const data = "digits";
    const digits = ["9007199254740993", "9223372036854775807", "-1e400", "1.5e300"];
    const stats = Object.fromEntries(digits.map((text, index) => [`n${index}`, written(text)]));
    await ingest([aFile([aMatch({ id: "digits", stats })]), "--rejects", "digits.ndjson"]);
    const text = readFileSync(join(cwd, "digits.ndjson"), "utf8");
    for (const [index, number] of digits.entries()) expect(text).toContain(`"n${index}":${number}`);
    // Fixed as the message advises: as strings.
    const fixed = aFile(text.replaceAll(/"(n\d)":([^,}]+)/g, '"$1":"$2"'));
    expect((await ingest([fixed], { data })).exitCode).toBe(0);
  });

  test("writes each rejected match of a page as its own document", async () => {
    const data = "page";
    const [first, second, third] = ["page-1", "page-2", "page-3"].map((id) => aMatch({ id }));
    const draft = draftOf(second!);
    draft.match.attributes.shardId = "??";
    const all = [first!, draft.document, third!];
    const included = all.flatMap((one) => one.included);
    const page = aFile([{ data: all.map((one) => one.data), included }]);
    const { report } = await ingest([page, "--rejects", "page.ndjson"], { data });
    expect(report).toEqual({ ...nothing, stored: 2, rejected: 1 });
    const [record] = read("page.ndjson");
    record.data.attributes.shardId = "na";
    for (const [document, counts] of [
      [record, { stored: 1 }],
      [second, { duplicate: 1 }],
    ]) {
      const { report } = await ingest([aFile([document])], { data });
      expect(report).toEqual({ ...nothing, ...counts });
    }
  });

  test("keeps invalid JSON as text, and invalid text as base64", async () => {
    const broken = Buffer.from([0x7b, 0xff, 0x7d]);
    const deep = `{"data":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    const head = `${ndjson([aMatch()])}{half ü\n${deep}\n`;
    const source = aFile(Buffer.concat([Buffer.from(head), broken]));
    await ingest([source, "--rejects", "broken.ndjson"]);
    const [text, nested, bytes] = read("broken.ndjson").map(({ meta }) => meta.rejected);
    expect(text).toMatchObject({ source, line: 2, text: "{half ü" });
    expect(nested.text).toBe(deep);
    expect(Buffer.from(bytes.base64, "base64")).toEqual(broken);
    expect(bytes.reasons).toEqual([expect.stringContaining("UTF-8")]);
  });

  test("is empty when nothing was rejected, even with conflicts", async () => {
    const id = anId("match");
    aFile("left over from yesterday\n", "none.ndjson");
    const conflict = aFile([aMatch({ id }), aMatch({ id, patch: "9.9" })]);
    await ingest([conflict, "--rejects", "none.ndjson"]);
    expect(read("none.ndjson")).toEqual([]);
  });
});
