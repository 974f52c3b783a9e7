/** Tests `matchbook keys`: creating and listing keys, usage errors, the key file. */

import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashKey, looksLikeKey } from "../../src/access/key.ts";
import { KEY_TABLES } from "../../src/access/tables.ts";
import { matchbook } from "../support/process.ts";
import { sharedFolder } from "../support/shared.ts";

const folder = sharedFolder();
const cwd = folder;

const keys = (...args: string[]) => matchbook(["keys", ...args], { cwd });
const fileIn = (data: string) => join(cwd, data, KEY_TABLES.file);

test("create prints the key alone on standard output, the rest on standard error", async () => {
  const { exitCode, stdout, stderr } = await keys("create", "--name", "stats site", "--data", "a");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^mb_\w+\n$/);
  expect(looksLikeKey(stdout.trim())).toBe(true);
  expect(stderr).toMatch(/k_\w{10}/);
  expect(stderr).not.toContain(stdout.trim());
});

writeFileSync(
  join(cwd, "gold.toml"),
  "[tiers.free]\nrate = 5\n[tiers.gold]\nrate = 900\nburst = 50\n",
);

test("list shows names, limits and states, and never a key or a hash", async () => {
  const made = ["--name", "日本", "--data", "b"];
  const texts = [
    (await keys("create", ...made)).stdout,
    (await keys("create", ...made, "--rate", "7", "--tier", "community")).stdout,
    (await keys("create", ...made, "--rate", "8", "--expires", "2099-01-31")).stdout,
  ];
  const database = new Database(fileIn("b"));
  const ids = database.query<{ id: string }, []>("SELECT id FROM keys ORDER BY rate").all();
  database.close();
  await keys("revoke", ids[0]!.id, "--data", "b");

  const table = (await keys("list", "--data", "b")).stdout;
  const json = (await keys("list", "--data", "b", "--json")).stdout;
  for (const { id } of ids) expect(table).toContain(id);
  expect(table).toMatch(/日本 +hobby +60 +5000 +revoked +never +0 +never$/m);
  expect(table).toMatch(/日本 +community +7 +50000 +live +never +0 +never$/m);
  expect(table).toMatch(/日本 +hobby +8 +5000 +live +2099-02-01T00:00:00Z +0 +never$/m);
  const widths = table.split("\n").map((line) => Bun.stringWidth(line.split(" hobby")[0]!));
  expect(widths[1]).toBe(widths[3]!);
  const moment = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(JSON.parse(json)).toContainEqual({
    id: ids[1]!.id,
    name: "日本",
    note: null,
    state: "live",
    createdAt: moment,
    expiresAt: null,
    revokedAt: null,
    lastSeen: null,
    tier: "community",
    rate: 7,
    burst: null,
    matchesPerDay: null,
    shards: null,
    allowance: {
      ...{ tier: "community", rate: 7, burst: 7, matchesPerDay: 50_000, shards: ["*"] },
      ...{ streams: 10, changesPerMinute: 6000 },
    },
    secrets: [{ createdAt: moment, expiresAt: null }],
    requestsToday: 0,
  });
  for (const text of texts) {
    expect(table + json).not.toContain(text.trim());
    expect(table + json).not.toContain(hashKey(text.trim()));
  }
});

test("change sets every option, and removes each of them", async () => {
  const made = await keys("create", "--name", "one", "--data", "terms");
  const id = /k_\w{10}/.exec(made.stderr)![0];
  const shown = async () =>
    JSON.parse((await keys("show", id, "--data", "terms", "--json")).stdout);
  const given = [
    ...["--tier", "commercial", "--rate", "7", "--burst", "8", "--matches-per-day", "9"],
    ...["--shards", "na+beta", "--note", "ask Ana", "--expires", "2099-01-31"],
  ];
  await keys("change", id, ...given, "--data", "terms");
  expect(await shown()).toMatchObject({
    tier: "commercial",
    rate: 7,
    burst: 8,
    matchesPerDay: 9,
    shards: ["na", "beta"],
    note: "ask Ana",
    expiresAt: "2099-02-01T00:00:00Z",
  });

  const taken = [
    ...["--tier", "default", "--rate", "default", "--burst", "default"],
    ...["--matches-per-day", "default", "--shards", "default", "--note", "", "--expires", "never"],
  ];
  await keys("change", id, ...taken, "--data", "terms");
  expect(await shown()).toMatchObject({
    tier: null,
    rate: null,
    burst: null,
    matchesPerDay: null,
    shards: null,
    note: null,
    expiresAt: null,
    allowance: { tier: "hobby", rate: 60, burst: 60, matchesPerDay: 5000, shards: ["*"] },
  });
});

test("a tier that is no longer in the settings is named, with the one that applies instead", async () => {
  await keys("create", "--name", "n", "--data", "lost", "--tier", "community");
  const { stdout, stderr } = await keys("list", "--data", "lost", "--config", "gold.toml");
  expect(stdout).toContain(" community (free) ");
  expect(stderr).toContain("community");
});

test("only create adds a folder or a file", async () => {
  const listed = await keys("list", "--data", "mistyped");
  expect([listed.exitCode, listed.stdout]).toEqual([0, ""]);
  expect((await keys("list", "--data", "mistyped", "--json")).stdout).toBe("[]\n");
  expect((await keys("revoke", "k_nobody", "--data", "mistyped")).exitCode).toBe(1);
  expect(existsSync(join(cwd, "mistyped"))).toBe(false);

  await keys("create", "--name", "n", "--data", "unused");
  await keys("list", "--data", "unused");
  expect(readdirSync(join(cwd, "unused"))).toEqual(["access.sqlite"]);
});

describe("a usage error", () => {
  test.each([
    [["--name", "a\u001b[2J"]],
    [["--name", "n", "--tier", "x", "--config", "gold.toml"]],
    [["--name", "n", "--expires", "2020-01-31"]],
  ])("in create %p exits with 2 and creates nothing", async (args) => {
    const { exitCode, stdout } = await keys("create", ...args, "--data", "f");
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(existsSync(join(cwd, "f"))).toBe(false);
  });

  test("in an id suggests the right id, or the id of a name", async () => {
    await keys("create", "--name", "stats-site", "--data", "d");
    const [{ id }] = JSON.parse((await keys("list", "--data", "d", "--json")).stdout);
    const mistyped = `${id.slice(0, -1)}_`;
    for (const wrong of [mistyped, "stats-site"]) {
      const { exitCode, stderr } = await keys("revoke", wrong, "--data", "d");
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`did you mean ${id}?`)]);
    }
  });

  test("of giving the key instead of its id does not repeat the key", async () => {
    const key = (await keys("create", "--name", "n", "--data", "d")).stdout.trim();
    const { exitCode, stderr } = await keys("show", key, "--data", "d");
    expect([exitCode, stderr]).toEqual([1, expect.not.stringContaining(key)]);
  });
});
