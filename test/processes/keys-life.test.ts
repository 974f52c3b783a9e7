/** In charge of the life of a key as an operator leads it: made, shown, changed, rotated, ended. */

import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { looksLikeKey } from "../../src/access/key.ts";
import { KeyLookup } from "../../src/access/key-lookup.ts";
import { formatTimestamp } from "../../src/domain/time.ts";
import { unobserved } from "../../src/observe/events.ts";
import { accessPlan, openAccess } from "../../src/open-stores.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { matchbook } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

const folder = aFolder();
const cwd = folder.path;
afterAll(() => folder.remove());

const keys = (...args: string[]) => matchbook(["keys", ...args], { cwd });
const PLAN = accessPlan(loadSettings({ flags: {}, env: {}, cwd }).values);

/** Makes a key and says its id; the flags name its data folder too. */
async function made(data: string, ...flags: string[]): Promise<{ key: string; id: string }> {
  const { stdout, stderr } = await keys("create", "--name", "one", "--data", data, ...flags);
  return { key: stdout.trim(), id: /k_\w{10}/.exec(stderr)![0] };
}

// biome-ignore lint/suspicious/noExplicitAny: what a test asks for is up to the test.
async function shown(id: string, data: string): Promise<any> {
  return JSON.parse((await keys("show", id, "--data", data, "--json")).stdout);
}

test("a key is made, changed, rotated and revoked, and a server follows", async () => {
  const watch = new KeyLookup(openAccess({ data: join(cwd, "life") }).keys, PLAN, unobserved);
  await watch.start();
  const find = async (key: string) => {
    await watch.refresh();
    return watch.find(`Bearer ${key}`, Date.now());
  };

  const { key, id } = await made("life");
  expect(await find(key)).toMatchObject({
    id,
    name: "one",
    limits: { tier: "hobby", rate: 60 },
  });

  const changed = await keys(
    "change",
    id,
    "--tier",
    "community",
    "--name",
    "two",
    "--data",
    "life",
  );
  expect([changed.exitCode, changed.stdout]).toEqual([0, ""]);
  expect(changed.stderr).toContain(
    `Changed key ${id} for "two": tier community, 300 requests per minute`,
  );
  expect(await find(key)).toMatchObject({
    name: "two",
    limits: { tier: "community", rate: 300 },
  });

  const rotated = await keys("rotate", id, "--data", "life");
  const fresh = rotated.stdout.trim();
  expect(rotated.stdout).toBe(`${fresh}\n`);
  expect(looksLikeKey(fresh)).toBe(true);
  const { secrets } = await shown(id, "life");
  expect(rotated.stderr).toContain(`The old secret is valid until ${secrets[1].expiresAt}.`);
  expect(Date.parse(secrets[1].expiresAt) - Date.parse(secrets[0].createdAt)).toBe(24 * 3_600_000);
  for (const one of [key, fresh]) expect((await find(one))?.id).toBe(id);

  const revoked = await keys("revoke", id, "--data", "life");
  expect(revoked).toEqual({ exitCode: 0, stdout: "", stderr: `Revoked ${id}.\n` });
  for (const one of [key, fresh]) expect(await find(one)).toBeUndefined();
  const again = await keys("revoke", id, "--data", "life");
  expect([again.exitCode, again.stderr]).toEqual([0, `${id} was revoked before.\n`]);
  watch.stop();

  const late = await keys("rotate", id, "--data", "life");
  expect([late.exitCode, late.stdout]).toEqual([1, ""]);
  expect(late.stderr).toMatch(
    /^matchbook: k_\w+ is revoked, and only a live key can be rotated; create a new one: 'matchbook keys create'\n$/,
  );
});

describe("change", () => {
  test("sets every term, and takes each of them back", async () => {
    const { id } = await made("terms");
    const given = [
      ...["--tier", "commercial", "--rate", "7", "--burst", "8", "--matches-per-day", "9"],
      ...["--shards", "na+beta", "--note", "ask Ana", "--expires", "2099-01-31"],
    ];
    await keys("change", id, ...given, "--data", "terms");
    expect(await shown(id, "terms")).toMatchObject({
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
      ...[
        "--matches-per-day",
        "default",
        "--shards",
        "default",
        "--note",
        "",
        "--expires",
        "never",
      ],
    ];
    await keys("change", id, ...taken, "--data", "terms");
    expect(await shown(id, "terms")).toMatchObject({
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

  test("refuses what is wrong, and then changes nothing", async () => {
    const { id } = await made("wrong", "--rate", "7");
    const before = await shown(id, "wrong");
    const nothing = await keys("change", id, "--data", "wrong");
    expect([nothing.exitCode, nothing.stderr]).toEqual([
      2,
      "matchbook: nothing to change: give at least one of --name, --tier, --rate, --burst, --matches-per-day, --shards, --note, --expires\n",
    ]);
    const past = await keys(
      "change",
      id,
      "--rate",
      "8",
      "--expires",
      "2020-01-01",
      "--data",
      "wrong",
    );
    expect([past.exitCode, past.stderr]).toEqual([
      2,
      'matchbook: --expires "2020-01-01" lies in the past: choose a later moment (to end a key now, revoke it)\n',
    ]);
    expect(await shown(id, "wrong")).toEqual(before);
  });
});

describe("rotate", () => {
  test("with an overlap of 0 ends the old key at once", async () => {
    const { key, id } = await made("leak");
    const { stdout, stderr } = await keys("rotate", id, "--overlap", "0", "--data", "leak");
    expect(stderr).toContain("The old secret has expired.");
    const watch = new KeyLookup(openAccess({ data: join(cwd, "leak") }).keys, PLAN, unobserved);
    await watch.refresh();
    expect(watch.find(`Bearer ${key}`, Date.now())).toBeUndefined();
    expect(watch.find(`Bearer ${stdout.trim()}`, Date.now())?.id).toBe(id);
    watch.stop();
  });

  test("again within the overlap lets no older key live longer", async () => {
    const { id } = await made("twice");
    await keys("rotate", id, "--overlap", "1h", "--data", "twice");
    const first = (await shown(id, "twice")).secrets[1].expiresAt;
    await keys("rotate", id, "--overlap", "7d", "--data", "twice");
    const { secrets } = await shown(id, "twice");
    expect(secrets).toHaveLength(3);
    expect(secrets[2].expiresAt).toBe(first);
    await keys("rotate", id, "--overlap", "30min", "--data", "twice");
    const ends = (await shown(id, "twice")).secrets.slice(1);
    for (const { expiresAt } of ends) expect(expiresAt <= first).toBe(true);
  });

  test("tells the end of the key itself, if that comes first", async () => {
    const { id } = await made("short", "--expires", "1h");
    const { expiresAt } = await shown(id, "short");
    const { stderr } = await keys("rotate", id, "--data", "short");
    expect(stderr).toContain(`The old secret is valid until ${expiresAt}.`);
  });

  test("refuses an overlap that is no length", async () => {
    const { exitCode, stderr } = await keys("rotate", "k_any", "--overlap", "soon");
    expect([exitCode, stderr]).toEqual([
      2,
      'matchbook: --overlap "soon" must be a length up to 31d, for example 30min, 24h or 7d; 0 ends the old key at once\n',
    ]);
  });
});

test("show prints what a key may do and who sets it", async () => {
  const { id } = await made(
    "show",
    ...["--tier", "community", "--rate", "77", "--shards", "na", "--note", "ask Ana"],
    ...["--expires", formatTimestamp(Date.parse("2099-01-31T12:00:00Z"))],
  );
  const { stdout } = await keys("show", id, "--data", "show");
  const lines = stdout.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | "));
  for (const line of [
    `id | ${id}`,
    "name | one",
    "state | live",
    "note | ask Ana",
    "expires | 2099-01-31T12:00:00Z",
    "last used | never",
    "tier | community (key)",
    "rate | 77 (key)",
    "burst | 77 (default)",
    "matches per day | 50000 (tier)",
    "shards | na (key)",
    "requests today | 0 (0 4xx, 0 5xx)",
    "matches today | 0 of 50000",
  ]) {
    expect(lines).toContain(line);
  }
  expect(stdout).toMatch(/^secret +created 2\S+Z, expires with the key$/m);
});
