/** Tests the usage that `matchbook keys list` and `keys show` print, in tables and JSON, from a prepared file. */

import { Database } from "bun:sqlite";
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { dayOf, writtenDay } from "../../src/access/usage.ts";
import { openAccess } from "../../src/open-access.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { matchbook } from "../support/process.ts";
import { sharedFolder } from "../support/shared.ts";

const DAY = 86_400_000;
const cwd = sharedFolder();

const keys = (args: string[]) => matchbook(["keys", ...args, "--data", "."], { cwd });

// One day for the whole file.
await awayFromMidnight(30);
const now = Date.now();
const today = dayOf(now);
let [busy, quiet, idle, ended] = ["", "", "", ""];

beforeAll(async () => {
  const access = openAccess({ data: cwd });
  const make = async (name: string, ago: number) =>
    (await access.keys.create({ name }, now - ago * DAY)).record.id;
  quiet = await make("quiet", 93);
  busy = await make("busy, with a name that is a good deal longer than the others", 92);
  idle = await make("idle", 91);
  ended = await make("ended", 90);
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
    ],
    [{ keyId: busy, day: today, matches: [12] }],
  );
  await access.close();
});

const cellsOf = (text: string) => text.split("\n").map((line) => line.split(/ {2,}/));

test("a key has its matches of today, and one row per day with requests", async () => {
  const { exitCode, stdout, stderr } = await keys(["show", busy]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  const [about, days] = stdout.trimEnd().split("\n\n");
  expect(about).toMatch(/^matches today +1 of 5000$/m);
  expect(cellsOf(days!)).toEqual([
    ["DAY", "REQUESTS", "ERRORS", "RECORDS"],
    [writtenDay(today - 29), "1", "0", "5"],
    [writtenDay(today - 2), "800", "100", "3500"],
    [writtenDay(today), "400", "0", "2000"],
  ]);
});

test("as JSON, days have the format of /usage, without those of no use", async () => {
  const { stdout } = await keys(["show", busy, "--json"]);
  const shown = JSON.parse(stdout);
  expect(shown.today).toEqual({ day: writtenDay(today), matches: 1, matchesLeft: 4999 });
  expect(shown.days.slice(1)).toEqual([
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
  ]);
});

test("the list has the most used key of today first, then the others by age, and when each was last used", async () => {
  const { stdout } = await keys(["list"]);
  const rows = cellsOf(stdout.trimEnd()).slice(1);
  expect(rows.map(([id, , , , , , , requests, used]) => [id, requests, used])).toEqual([
    [busy, "400", expect.stringMatching(/^\d+ min ago$/)],
    [quiet, "0", "24 h ago"],
    [idle, "0", "never"],
    [ended, "0", "never"],
  ]);
  const listed = JSON.parse((await keys(["list", "--json"])).stdout);
  expect(listed[0]).toMatchObject({ id: busy, requestsToday: 400 });
});

test("neither waits for a server that is writing nor changes the file", async () => {
  const server = new Database(join(cwd, "usage.sqlite"));
  const version = () => server.query("PRAGMA data_version").get();
  const before = version();
  server.run("BEGIN IMMEDIATE");
  server.run("UPDATE requests SET records = records + 1");
  const { exitCode, stdout } = await keys(["show", busy]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("3500");
  server.run("ROLLBACK");
  expect(version()).toEqual(before);
  server.close();
});
