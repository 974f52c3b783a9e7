/** In charge of `matchbook keys usage`: days and keys in bars, numbers and JSON, from a prepared file. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { DistinctCounter } from "../../src/access/distinct.ts";
import { openAccess } from "../../src/access/open.ts";
import { dayOf, writtenDay } from "../../src/access/usage.ts";
import { matchbook } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

const DAY = 86_400_000;
const folder = aFolder();
const cwd = folder.path;
afterAll(() => folder.remove());

/** Blocks, whatever the surroundings are. */
const UNICODE = { LC_ALL: "C.UTF-8", TERM: "xterm", COLUMNS: "80" };
const keys = (args: string[], env: Record<string, string> = UNICODE) =>
  matchbook(["keys", ...args, "--data", "."], { cwd, env });

// One day for the whole file: only a run that crosses midnight UTC would see another.
const now = Date.now();
const today = dayOf(now);
let [busy, quiet, idle, ended] = ["", "", "", ""];

beforeAll(async () => {
  const access = openAccess({ data: cwd });
  const make = async (name: string) =>
    (await access.keys.create({ name }, now - 90 * DAY)).record.id;
  quiet = await make("quiet");
  busy = await make("busy, with a name that is a good deal longer than the others");
  idle = await make("idle");
  ended = await make("ended");
  await access.keys.revoke(ended, now - 60 * DAY);
  const counter = new DistinctCounter();
  counter.addWithin([{ high: 1, low: 2 }], 10);
  const day = (keyId: string, ago: number, requests: [number, number][], records: number) => ({
    keyId,
    day: today - ago,
    requests: new Map(requests),
    records,
    lastSeen: now - ago * DAY,
  });
  await access.usage.add(
    [
      day(busy, 0, [[200, 400]], 2000),
      day(
        busy,
        2,
        [
          [200, 700],
          [404, 80],
          [429, 10],
          [500, 10],
        ],
        3500,
      ),
      day(busy, 29, [[200, 1]], 5),
      day(busy, 30, [[200, 9999]], 99_999),
      day(quiet, 1, [[304, 3]], 0),
      day("k_forgotten", 3, [[200, 2]], 2),
    ],
    [{ keyId: busy, day: today, counter: counter.toBytes(), exceeded: null }],
  );
  await access.close();
});

describe("the usage of one key", () => {
  test("is a line a day, with a bar that fits the terminal, scaled to the highest day", async () => {
    const { exitCode, stdout, stderr } = await keys(["usage", busy]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const lines = stdout.trimEnd().split("\n");
    const days = lines.slice(3, -1);
    expect(days).toHaveLength(30);
    expect(lines[0]).toStartWith(`${busy}  busy`);
    expect(lines[2]).toMatch(/^DAY +REQUESTS +4XX +5XX +RECORDS$/);
    expect(days[27]).toMatch(RegExp(`^${writtenDay(today - 2)} +800 +90 +10 +3,500 +█+$`));
    expect(days[29]).toMatch(RegExp(`^${writtenDay(today)} today +400 +0 +0 +2,000 +█+[▉-▏]?$`));
    expect(days[0]).toMatch(RegExp(`^${writtenDay(today - 29)} +1 +0 +0 +5 +▏$`));
    expect(days[28]).toBe(writtenDay(today - 1));
    expect(lines.at(-1)).toMatch(/^all +1,201 +90 +10 +5,505$/);
    expect(Math.max(...lines.slice(2).map((line) => Bun.stringWidth(line)))).toBe(80);
    const bars = [27, 29].map((at) => [...days[at]!.matchAll(/█/g)].length);
    expect(bars[1]! * 2 - bars[0]!).toBeWithin(-1, 2);
  });

  test("is of the width that the terminal has", async () => {
    const { stdout } = await keys(["usage", busy, "--days", "3"], { ...UNICODE, COLUMNS: "120" });
    const widths = stdout
      .split("\n")
      .slice(2)
      .map((line) => Bun.stringWidth(line));
    expect(Math.max(...widths)).toBe(120);
    expect(widths).toHaveLength(1 + 3 + 1 + 1);
  });

  test.each([
    ["a locale without it", { LC_ALL: "C", TERM: "xterm" }],
    ["a terminal without it", { LC_ALL: "C.UTF-8", TERM: "dumb" }],
  ])("is plain ASCII for %s", async (_, env) => {
    for (const args of [["usage", busy], ["usage"]]) {
      const { stdout } = await keys(args, env);
      expect(stdout).toMatch(/^[\n -~]+$/);
      expect(stdout).toContain(args.length > 1 ? "####" : "@");
    }
  });

  test("for programs has the form of /usage, without days of no use", async () => {
    const { stdout } = await keys(["usage", busy, "--days", "3", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      key: { id: busy, name: expect.stringContaining("busy"), tier: "hobby" },
      days: [
        {
          day: writtenDay(today - 2),
          requests: { 200: 700, 404: 80, 429: 10, 500: 10 },
          records: 3500,
          lastSeen: new Date(now - 2 * DAY).toISOString().replace(".000Z", "Z"),
        },
        {
          day: writtenDay(today),
          requests: { 200: 400 },
          records: 2000,
          lastSeen: new Date(now).toISOString().replace(".000Z", "Z"),
        },
      ],
    });
  });

  test("that was not used is said in words", async () => {
    const { exitCode, stdout, stderr } = await keys(["usage", idle]);
    expect([exitCode, stdout, stderr]).toEqual([
      0,
      "",
      `${idle} was not used in the last 30 days.\n`,
    ]);
    const { stdout: json } = await keys(["usage", idle, "--json"]);
    expect(JSON.parse(json).days).toEqual([]);
  });
});

describe("the usage of all keys", () => {
  test("is a line a key, most used first, with a line of their days", async () => {
    const { stdout } = await keys(["usage"], { ...UNICODE, COLUMNS: "100" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ID +NAME +REQUESTS +RECORDS +LAST SEEN +LAST 30 DAYS$/);
    expect(lines.slice(1).map((line) => line.split(" ")[0]!)).toEqual([
      busy,
      quiet,
      "k_forgotten",
      idle,
    ]);
    expect(lines[1]).toMatch(/ busy, \S.*… +1,201 +5,505 +\d+ min ago +▁·{26}█·▄$/);
    expect(lines[2]).toMatch(/ quiet +3 +0 +24 h ago +·{28}█·$/);
    expect(lines[3]).toContain("(no such key)");
    expect(lines[4]).toMatch(/ idle +0 +0 +never +·{30}$/);
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(100);
  });

  test("puts several days into one character where there is no room for each", async () => {
    const { stdout } = await keys(["usage", "--days", "400"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/LAST 400 DAYS, BY \d+$/);
    expect(lines[1]).toMatch(/·+[▁-█]+$/);
  });

  test("for programs is an array of what one key has", async () => {
    const { stdout } = await keys(["usage", "--json"]);
    const all = JSON.parse(stdout);
    expect(all.map(({ key }: { key: { id: string } }) => key.id)).toEqual([
      busy,
      quiet,
      "k_forgotten",
      idle,
    ]);
    expect(all[0]).toEqual(JSON.parse((await keys(["usage", busy, "--json"])).stdout));
    expect(all[2].key).toEqual({ id: "k_forgotten", name: null, tier: null });
  });
});

test("list and show tell when a key was last seen, and show tells of today", async () => {
  const { stdout: table } = await keys(["list"]);
  expect(table).toMatch(RegExp(`${quiet} +quiet .* live +24 h ago `));
  expect(table).toMatch(RegExp(`${idle} +idle .* live +never `));
  const { stdout } = await keys(["show", busy]);
  expect(stdout).toMatch(/requests +400\n/);
  expect(stdout).toMatch(/matches +1 of 5,000 different ones\n/);
  const shown = JSON.parse((await keys(["show", busy, "--json"])).stdout);
  expect(shown.today).toEqual({
    day: writtenDay(today),
    requests: { 200: 400 },
    records: 2000,
    matches: 1,
    matchesLeft: 4999,
  });
});

test("neither waits for a server that is writing, nor changes what it reads", async () => {
  const server = new Database(join(cwd, "usage.sqlite"));
  const version = () => server.query("PRAGMA data_version").get();
  const before = version();
  server.run("BEGIN IMMEDIATE");
  server.run("UPDATE days SET records = records + 1");
  const { exitCode, stdout } = await keys(["usage", busy]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("3,500");
  server.run("ROLLBACK");
  expect(version()).toEqual(before);
  server.close();
});

test.each([
  [["--days", "0"], '--days "0" must be a whole number from 1 to 400'],
  [["--days", "month"], '--days "month" must be a whole number from 1 to 400'],
])("usage %p is misuse", async (args, message) => {
  const { exitCode, stdout, stderr } = await keys(["usage", ...args]);
  expect([exitCode, stdout, stderr]).toEqual([2, "", `matchbook: ${message}\n`]);
});
