/** Tests the report of `matchbook ingest`: counts, exit codes, messages, the rejects file. */

import { afterAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../src/domain/json.ts";
import { draftOf, type Loose, written } from "../support/drafts.ts";
import {
  finished,
  MATCHBOOK,
  matchbook,
  spawnMatchbook,
  surroundings,
} from "../support/process.ts";
import { aMatch, anId, duel } from "../support/records.ts";
import { countsOf, until } from "../support/state.ts";

// Several processes may share a slow machine.
const cwd = mkdtempSync(join(tmpdir(), "matchbook-report-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const lines = (documents: Json[]) =>
  documents.map((document) => `${JSON.stringify(document)}\n`).join("");

function aFile(documents: Json[], name = `${anId("file")}.ndjson`): string {
  writeFileSync(join(cwd, name), lines(documents));
  return name;
}

const read = (file: string): Loose[] =>
  readFileSync(join(cwd, file), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

const run = (...args: string[]) => matchbook(args, { cwd });
const ingest = (...args: string[]) => run("ingest", ...args);

async function jsonReport(...args: string[]) {
  const { stdout, ...rest } = await ingest("--json", ...args);
  expect(stdout).toEndWith("}\n");
  expect(stdout.trimEnd()).not.toContain("\n");
  return { ...rest, report: JSON.parse(stdout) };
}

const nothing = {
  stored: 0,
  withheld: { "game-mode": 0, ending: 0, "no-ranked-player": 0 },
  duplicate: 0,
  conflict: 0,
  pruned: 0,
  rejected: 0,
  released: 0,
};

const wrong = (id = anId("match")): Json => aMatch({ id, attributes: { duration: -1 } });

describe("the report", () => {
  const known = aMatch();
  const different = draftOf(known);
  different.match.attributes.duration = 5;
  const everything = [
    known,
    known,
    different.document,
    wrong("bad"),
    aMatch({ mode: "practice" }),
    aMatch({ ending: "exitpractice" }),
    aMatch({ ending: "notenoughplayers" }),
    aMatch({ mode: "private", rosters: duel({ id: "a" }, { id: "b" }) }),
    aMatch({ shard: "eu" }),
  ];
  const counts = {
    stored: 2,
    withheld: { "game-mode": 1, ending: 2, "no-ranked-player": 1 },
    duplicate: 1,
    conflict: 1,
    pruned: 0,
    rejected: 1,
    released: 0,
  };

  test("as JSON is one object with the counts by name, alone on standard output", async () => {
    const file = aFile(everything);
    const { exitCode, stderr, report } = await jsonReport(file, "--data", "json");
    expect(report).toEqual(counts);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${file}:4: rejected match bad\n`);
    expect(stderr).toContain(`${file}:3: conflict: `);
  });

  test("as a table has the same counts, alone on standard output", async () => {
    const { exitCode, stdout } = await ingest(aFile(everything), "--data", "table");
    expect(exitCode).toBe(1);
    expect(stdout.replace(/ +/g, " ")).toBe(
      [
        "stored 2",
        "withheld (game-mode) 1",
        "withheld (ending) 2",
        "withheld (no-ranked-player) 1",
        "duplicate 1",
        "conflict 1",
        "pruned 0",
        "rejected 1",
        "released 0",
        "",
      ].join("\n"),
    );
  });
});

describe("the exit code", () => {
  test("is 0 when everything was stored, withheld or known, and nothing else is printed", async () => {
    const file = aFile([aMatch(), aMatch({ mode: "practice" })]);
    const first = await ingest(file, "--data", "zero");
    expect([first.exitCode, first.stderr]).toEqual([0, ""]);
    const again = await jsonReport(file, "--data", "zero");
    expect([again.exitCode, again.stderr]).toEqual([0, ""]);
    expect(again.report).toEqual({ ...nothing, duplicate: 2 });
  });

  test("is 1 for a conflict, and 0 when it is replaced", async () => {
    const id = anId("match");
    await ingest(aFile([aMatch({ id })]), "--data", "conflict");
    const other = aFile([aMatch({ id, patch: "9.9" })]);
    const conflict = await jsonReport(other, "--data", "conflict");
    expect([conflict.exitCode, conflict.report.conflict]).toEqual([1, 1]);
    const replaced = await jsonReport(other, "--replace", "--data", "conflict");
    expect(replaced).toEqual({ exitCode: 0, stderr: "", report: { ...nothing, stored: 1 } });
    const known = await jsonReport(other, "--replace", "--data", "conflict");
    expect(known.report).toEqual({ ...nothing, duplicate: 1 });
  });
});

test("a shard file that is deleted during ingest ends it with exit code 3 and without a report", async () => {
  const data = join(cwd, "deleted");
  const child = spawnMatchbook(["ingest", "-", "--batch", "10", "--data", data], { cwd });
  const some = () => lines(Array.from({ length: 200 }, () => aMatch()));
  child.stdin.write(some());
  await child.stdin.flush();
  await until("some records are stored", async () => ((await countsOf(data)).na?.served ?? 0) > 0);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(data, `na.db${suffix}`), { force: true });
  try {
    await child.stdin.write(some());
    await child.stdin.end();
  } catch {
    // It has ended already.
  }
  const { exitCode, stdout, stderr } = await finished(child);
  expect([exitCode, stdout]).toEqual([3, ""]);
  expect(stderr).toMatch(/^matchbook: .*na\.db .*deleted.*restore/m);
  expect(existsSync(join(data, "na.db"))).toBe(false);
});

describe("usage errors exit with 2, and nothing is ingested:", () => {
  const good = aFile([aMatch()], "good.ndjson");
  mkdirSync(join(cwd, "folder"));
  test.each([
    [[good, "missing.ndjson"]],
    [[good, "--rejects", "./folder/../good.ndjson"]],
    [[good, "--rejects", "folder"]],
  ])("%j", async (args) => {
    const { exitCode, stdout } = await ingest("--data", "misuse", ...args);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(existsSync(join(cwd, "misuse"))).toBe(false);
    expect(readFileSync(join(cwd, good), "utf8")).not.toBe("");
  });
});

describe("--rejects never overwrites its input:", () => {
  const input = aFile([wrong()]);
  linkSync(join(cwd, input), join(cwd, "link.ndjson"));
  /** With the file as standard input. */
  const redirected = async (...args: string[]) => {
    const child = Bun.spawn([MATCHBOOK, "ingest", "-", "--data", "redirected", ...args], {
      cwd,
      env: surroundings(),
      stdin: Bun.file(join(cwd, input)),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stderr, exitCode] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    return { stderr, exitCode };
  };

  test.each([
    ["a hard link", () => ingest(input, "--data", "linked", "--rejects", "link.ndjson")],
    ["standard input", () => redirected("--rejects", input)],
    ["a hard link to standard input", () => redirected("--rejects", "link.ndjson")],
  ])("%s", async (_, run) => {
    const before = readFileSync(join(cwd, input), "utf8");
    const { exitCode, stderr } = await run();
    expect(readFileSync(join(cwd, input), "utf8")).toBe(before);
    expect(stderr).toMatch(
      /^matchbook: --rejects \S+ would overwrite an input file: choose another/,
    );
    expect(exitCode).toBe(2);
  });

  test("a device is not overwritten", async () => {
    const { exitCode } = await ingest("-", "--data", "device", "--rejects", "/dev/null");
    expect(exitCode).toBe(0);
  });
});

describe("messages", () => {
  test("name file and line, and every reason of a record", async () => {
    const draft = draftOf(aMatch({ id: "worst" }));
    draft.match.attributes.duration = "long";
    draft.match.attributes.gameMode = 5;
    draft.drop("roster/worst-r1");
    const file = aFile([aMatch(), draft.document]);
    const { stderr } = await ingest(file, "--data", "complaints");
    expect(stderr).toStartWith(`${file}:2: rejected match worst\n`);
    for (const reason of [
      "match worst: attributes.duration",
      "match worst: attributes.gameMode",
      "match worst: rosters",
    ]) {
      expect(stderr).toContain(`\n    ${reason} `);
    }
  });

  test("stop after twenty, with the number of others and where to find them", async () => {
    const file = aFile(Array.from({ length: 25 }, () => wrong()));
    const { stderr } = await ingest(file, "--data", "many", "--rejects", "many.ndjson");
    expect(stderr.match(/: rejected match/g)).toHaveLength(20);
    expect(stderr).toMatch(/\n… and 5 more.*many\.ndjson.*\n$/);
    expect(read("many.ndjson")).toHaveLength(25);
  });
});

describe("--rejects", () => {
  test("writes NDJSON with the reasons, which can be fixed and ingested again", async () => {
    const draft = draftOf(aMatch({ id: "mend-me", stats: { kept: [null, "ü"] } }));
    draft.match.attributes.duration = "1200";
    const source = aFile([aMatch(), draft.document, aMatch()]);
    expect((await ingest(source, "--data", "mend", "--rejects", "mend.ndjson")).exitCode).toBe(1);

    const [record, ...more] = read("mend.ndjson");
    expect(more).toEqual([]);
    expect(record).toEqual({
      ...draft.document,
      meta: {
        rejected: {
          source,
          line: 2,
          reasons: [expect.stringMatching(/^match mend-me: attributes\.duration /)],
        },
      },
    });
    // Without a fix, it is rejected again for the same reason.
    const unfixed = await jsonReport("mend.ndjson", "--data", "mend", "--rejects", "again.ndjson");
    expect(unfixed.report).toEqual({ ...nothing, rejected: 1 });
    expect(read("again.ndjson")[0].meta.rejected).toMatchObject({
      source: "mend.ndjson",
      line: 1,
      reasons: record.meta.rejected.reasons,
    });

    record.data.attributes.duration = 1200;
    const fixed = await jsonReport(aFile([record]), "--data", "mend");
    expect(fixed).toEqual({ exitCode: 0, stderr: "", report: { ...nothing, stored: 1 } });
    expect((await jsonReport(source, "--data", "mend")).report).toMatchObject({
      duplicate: 2,
      rejected: 1,
    });
  });

  test("keeps unsupported large numbers as they were written", async () => {
    const digits = ["9007199254740993", "9223372036854775807", "-1e400", "1.5e300"];
    const stats = Object.fromEntries(digits.map((text, index) => [`n${index}`, written(text)]));
    const source = aFile([aMatch({ id: "digits", stats })]);
    await ingest(source, "--data", "digits", "--rejects", "digits.ndjson");
    const text = readFileSync(join(cwd, "digits.ndjson"), "utf8");
    for (const [index, number] of digits.entries()) expect(text).toContain(`"n${index}":${number}`);

    // Fixed as the message advises: as strings.
    const fixed = text.replaceAll(/"(n\d)":([^,}]+)/g, '"$1":"$2"');
    writeFileSync(join(cwd, "digits-mended.ndjson"), fixed);
    expect((await ingest("digits-mended.ndjson", "--data", "digits")).exitCode).toBe(0);
  });

  test("writes each rejected match of a page as its own document", async () => {
    const [first, second, third] = ["page-1", "page-2", "page-3"].map((id) => aMatch({ id }));
    const draft = draftOf(second!);
    draft.match.attributes.shardId = "??";
    const whole = [first!, draft.document, third!];
    const page = {
      data: whole.map(({ data }) => data),
      included: whole.flatMap(({ included }) => included),
    };
    const { report } = await jsonReport(
      aFile([page]),
      "--data",
      "page",
      "--rejects",
      "page.ndjson",
    );
    expect(report).toEqual({ ...nothing, stored: 2, rejected: 1 });
    const [record] = read("page.ndjson");
    record.data.attributes.shardId = "na";
    expect((await jsonReport(aFile([record]), "--data", "page")).report).toEqual({
      ...nothing,
      stored: 1,
    });
    expect((await jsonReport(aFile([second!]), "--data", "page")).report).toEqual({
      ...nothing,
      duplicate: 1,
    });
  });

  test("keeps invalid JSON as text, and invalid text as base64", async () => {
    const name = "broken.ndjson";
    const broken = Buffer.from([0x7b, 0xff, 0x7d]);
    writeFileSync(
      join(cwd, name),
      Buffer.concat([Buffer.from(`${lines([aMatch()])}{half ü\n`), broken]),
    );
    await ingest(name, "--data", "broken", "--rejects", "broken-rejects.ndjson");
    const [text, bytes] = read("broken-rejects.ndjson");
    expect(text.meta.rejected).toMatchObject({ source: name, line: 2, text: "{half ü" });
    expect(Buffer.from(bytes.meta.rejected.base64, "base64")).toEqual(broken);
    expect(bytes.meta.rejected.reasons).toEqual([expect.stringContaining("UTF-8")]);
  });

  test("is empty when nothing was rejected, even with conflicts", async () => {
    const id = anId("match");
    writeFileSync(join(cwd, "none.ndjson"), "left over from yesterday\n");
    const file = aFile([aMatch({ id }), aMatch({ id, patch: "9.9" })]);
    await ingest(file, "--data", "none", "--rejects", "none.ndjson");
    expect(readFileSync(join(cwd, "none.ndjson"), "utf8")).toBe("");
  });
});

describe("flags", () => {
  test("--shard is where records without a shard go, and the only one that is accepted", async () => {
    const bare = draftOf(aMatch());
    for (const one of [bare.match, ...bare.document.included]) delete one.attributes.shardId;
    const file = aFile([bare.document, aMatch({ id: "foreign", shard: "eu" })]);
    const { exitCode, stderr, report } = await jsonReport(file, "--shard", "sa", "--data", "shard");
    expect([exitCode, report]).toEqual([1, { ...nothing, stored: 1, rejected: 1 }]);
    expect(stderr).toContain("match foreign: attributes.shardId");
    const { stdout } = await run("why", "--json", "sa", bare.match.id, "--data", "shard");
    expect(JSON.parse(stdout).state).toBe("served");
  });
});
