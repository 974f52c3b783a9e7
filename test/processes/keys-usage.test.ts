/** Tests `matchbook keys usage`: days and keys in tables and JSON, from a prepared file. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { dayOf, writtenDay } from "../../src/access/usage.ts";
import { openAccess } from "../../src/open-access.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { matchbook } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

const DAY = 86_400_000;
const folder = aFolder();
const cwd = folder.path;
afterAll(() => folder.remove());

const keys = (args: string[]) => matchbook(["keys", ...args, "--data", "."], { cwd });

// One day for the whole file.
await awayFromMidnight(30);
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
  const used = (keyId: string, ago: number, status: number, requests: number, records = 0) => ({
    ...{ keyId, day: today - ago, status, requests, records, lastSeen: now - ago * DAY },
  });
  await access.usage.add(
    [
      used(busy, 0, 200, 400, 2000),
      used(busy, 2, 200, 700, 3500),
      ...([404, 429, 500] as const).map((status) =>
        used(busy, 2, status, status === 404 ? 80 : 10),
      ),
      used(busy, 29, 200, 1, 5),
      used(busy, 30, 200, 9999, 99_999),
      used(quiet, 1, 304, 3),
      used("k_forgotten", 3, 200, 2, 2),
    ],
    [{ keyId: busy, day: today, matches: [12] }],
  );
  await access.close();
});

const cellsIn = (table: string) =>
  table
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));

describe("the usage of one key", () => {
  test("is one row per day with requests, and a total", async () => {
    const { exitCode, stdout, stderr } = await keys(["usage", busy]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(cellsIn(stdout)).toEqual([
      ["DAY", "REQUESTS", "4XX", "5XX", "RECORDS"],
      [writtenDay(today - 29), "1", "0", "0", "5"],
      [writtenDay(today - 2), "800", "90", "10", "3500"],
      [writtenDay(today), "400", "0", "0", "2000"],
      ["total", "1201", "90", "10", "5505"],
    ]);
  });

  test("as JSON has the format of /usage, without days of no use", async () => {
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
});

describe("the usage of all keys", () => {
  test("is one row per key, most used first, including deleted keys", async () => {
    const { stdout } = await keys(["usage"]);
    const name = "busy, with a name that is a good deal longer than the others";
    expect(cellsIn(stdout)).toEqual([
      ["ID", "NAME", "REQUESTS", "4XX", "5XX", "RECORDS", "LAST USED"],
      [busy, name, "1201", "90", "10", "5505", expect.stringMatching(/^\d+ min ago$/)],
      [quiet, "quiet", "3", "0", "0", "0", "24 h ago"],
      ["k_forgotten", "(deleted)", "2", "0", "0", "2", "3 days ago"],
      [idle, "idle", "0", "0", "0", "0", "never"],
    ]);
  });

  test("as JSON is an array of the same objects as for one key", async () => {
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

test("list and show report when a key was last used, and show its usage today", async () => {
  const { stdout: table } = await keys(["list"]);
  expect(table).toMatch(RegExp(`${quiet} +quiet .* live +never +24 h ago$`, "m"));
  expect(table).toMatch(RegExp(`${idle} +idle .* live +never +never$`, "m"));
  const { stdout } = await keys(["show", busy]);
  expect(stdout).toMatch(/^requests today +400 \(0 4xx, 0 5xx\)$/m);
  expect(stdout).toMatch(/^matches today +1 of 5000$/m);
  const shown = JSON.parse((await keys(["show", busy, "--json"])).stdout);
  expect(shown.today).toEqual({
    day: writtenDay(today),
    requests: { 200: 400 },
    records: 2000,
    matches: 1,
    matchesLeft: 4999,
  });
});

test("neither waits for a server that is writing nor changes the file", async () => {
  const server = new Database(join(cwd, "usage.sqlite"));
  const version = () => server.query("PRAGMA data_version").get();
  const before = version();
  server.run("BEGIN IMMEDIATE");
  server.run("UPDATE requests SET records = records + 1");
  const { exitCode, stdout } = await keys(["usage", busy]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("3500");
  server.run("ROLLBACK");
  expect(version()).toEqual(before);
  server.close();
});
