/** In charge of `matchbook keys` as an operator uses it: making and listing, mistakes, the file of keys. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashKey, looksLikeKey, makeKey } from "../../src/access/key.ts";
import { KeyLookup } from "../../src/access/key-lookup.ts";
import { KEYS_FILE } from "../../src/access/sqlite/schema.ts";
import type { AccessPlan } from "../../src/domain/limits.ts";
import { unobserved } from "../../src/observe/events.ts";
import { openAccess } from "../../src/open-stores.ts";
import { matchbook, startServerProcess } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

const folder = aFolder();
const cwd = folder.path;
afterAll(() => folder.remove());

const keys = (...args: string[]) => matchbook(["keys", ...args], { cwd });
const fileIn = (data: string) => join(cwd, data, KEYS_FILE.name);

const PLAN: AccessPlan = {
  tiers: [{ name: "hobby" }],
  defaults: { rate: 60, burst: 0, matchesPerDay: 5000 },
  closedShards: [],
};

test("create prints the key alone on standard output, the rest on standard error", async () => {
  const { exitCode, stdout, stderr } = await keys("create", "--name", "stats site", "--data", "a");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^mb_\w+\n$/);
  expect(looksLikeKey(stdout.trim())).toBe(true);
  expect(stderr).toMatch(
    /^Created key k_\w{10} for "stats site": tier hobby, 60 requests per minute, burst 60, 5000 matches per day, shards \*, expires never\.\n/,
  );
  expect(stderr).not.toContain(stdout.trim());
});

writeFileSync(
  join(cwd, "gold.toml"),
  "[tiers.free]\nrate = 5\n[tiers.gold]\nrate = 900\nburst = 50\n",
);

test("create says what the settings and the flags come to", async () => {
  const settings = { MATCHBOOK_CONFIG: "gold.toml", MATCHBOOK_RATE: "7" };
  const { stderr } = await matchbook(
    ["keys", "create", "--name", "n", "--data", "a", "--tier", "gold", "--matches-per-day", "0"],
    { cwd, env: settings },
  );
  expect(stderr).toContain(
    "tier gold, 900 requests per minute, burst 50, any number of matches per day, shards *,",
  );
});

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
  expect(table).toMatch(/日本 +hobby +60 +5000 +revoked +never +never$/m);
  expect(table).toMatch(/日本 +community +7 +50000 +live +never +never$/m);
  expect(table).toMatch(/日本 +hobby +8 +5000 +live +2099-02-01T00:00:00Z +never$/m);
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
    allowance: { tier: "community", rate: 7, burst: 7, matchesPerDay: 50_000, shards: ["*"] },
    sources: {
      tier: "key",
      rate: "key",
      burst: "default",
      matchesPerDay: "tier",
      shards: "default",
    },
    secrets: [{ createdAt: moment, expiresAt: null }],
  });
  for (const text of texts) {
    expect(table + json).not.toContain(text.trim());
    expect(table + json).not.toContain(hashKey(text.trim()));
  }
});

test("a tier that the settings have lost is named, with what counts instead", async () => {
  await keys("create", "--name", "n", "--data", "lost", "--tier", "community");
  const { stdout, stderr } = await keys("list", "--data", "lost", "--config", "gold.toml");
  expect(stdout).toContain(" community (free) ");
  expect(stderr).toMatch(
    /^The settings have no tier community: keys that name it get the limits of free/,
  );
});

test("the timer alone brings a new key to a running server", async () => {
  const announced = Promise.withResolvers<number>();
  const watch = new KeyLookup(openAccess({ data: join(cwd, "timer") }).keys, PLAN, (event) => {
    if (event.event === "keys-reloaded") announced.resolve(event.live);
  });
  await watch.start();
  await keys("create", "--name", "n", "--data", "timer");
  expect(await announced.promise).toBe(1);
  watch.stop();
});

test("looking changes nothing that a running server would have to read again", async () => {
  await keys("create", "--name", "n", "--data", "calm");
  const watch = new KeyLookup(openAccess({ data: join(cwd, "calm") }).keys, PLAN, unobserved);
  await watch.start();
  expect((await keys("list", "--data", "calm")).exitCode).toBe(0);
  expect(await watch.refresh()).toBe(false);
  watch.stop();
});

test("looking for keys makes neither a folder nor a file", async () => {
  const listed = await keys("list", "--data", "mistyped");
  expect([listed.exitCode, listed.stdout]).toEqual([0, ""]);
  expect((await keys("list", "--data", "mistyped", "--json")).stdout).toBe("[]\n");
  const about = [["show"], ["change", "--rate", "1"], ["rotate"], ["revoke"], ["usage"]];
  const said = await Promise.all(
    about.map(([verb, ...flags]) => keys(verb!, "k_nobody", ...flags, "--data", "mistyped")),
  );
  for (const { exitCode, stderr } of said) {
    expect([exitCode, stderr]).toEqual([
      1,
      "matchbook: there is no key with the id \"k_nobody\" in mistyped; 'matchbook keys list' shows the ids\n",
    ]);
  }
  expect((await keys("usage", "--data", "mistyped")).exitCode).toBe(0);
  expect(existsSync(join(cwd, "mistyped"))).toBe(false);

  await keys("create", "--name", "n", "--data", "unused");
  for (const verb of ["list", "usage"]) await keys(verb, "--data", "unused");
  expect(readdirSync(join(cwd, "unused"))).toEqual(["access.sqlite"]);
});

test("--data may stand before or after the verb of the group", async () => {
  expect((await keys("--data", "e", "create", "--name", "before")).exitCode).toBe(0);
  expect((await keys("create", "--name", "after", "--data", "e")).exitCode).toBe(0);
  expect(JSON.parse((await keys("list", "--data", "e", "--json")).stdout)).toHaveLength(2);
});

describe("a mistake", () => {
  test.each([
    [["--name", ""], '--name "" must be a text of 1 to 100 characters on one line'],
    [["--name", "a\u001b[2J"], "--name"],
    [["--name", "n", "--rate", "0"], '--rate "0" must be a whole number from 1 to 100000000'],
    [
      ["--name", "n", "--tier", "comunity"],
      '--tier "comunity" is not a tier of the settings; did you mean community? there are hobby, community, commercial\n',
    ],
    [
      ["--name", "n", "--tier", "x", "--config", "gold.toml"],
      '--tier "x" is not a tier of the settings; there are free, gold\n',
    ],
    [["--name", "n", "--expires", "2020-01-31"], '--expires "2020-01-31" lies in the past'],
    [["--name"], "option '--name <NAME>' argument missing"],
    [[], "required option '--name <NAME>' not specified"],
  ])("in create %p is misuse and makes nothing", async (args, message) => {
    const { exitCode, stdout, stderr } = await keys("create", ...args, "--data", "f");
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`matchbook: ${message}`);
    expect(existsSync(join(cwd, "f"))).toBe(false);
  });

  test("in an id is answered with the id that was meant, or that a name stands for", async () => {
    await keys("create", "--name", "stats-site", "--data", "d");
    const [{ id }] = JSON.parse((await keys("list", "--data", "d", "--json")).stdout);
    const mistyped = `${id.slice(0, -1)}_`;
    for (const wrong of [mistyped, "stats-site"]) {
      const { exitCode, stderr } = await keys("revoke", wrong, "--data", "d");
      expect([exitCode, stderr]).toEqual([
        1,
        `matchbook: there is no key with the id "${wrong}" in d; did you mean ${id}? 'matchbook keys list' shows the ids\n`,
      ]);
    }
  });

  test("of giving the key for its id does not repeat the key", async () => {
    const key = (await keys("create", "--name", "n", "--data", "d")).stdout.trim();
    const { exitCode, stderr } = await keys("show", key, "--data", "d");
    expect([exitCode, stderr]).toEqual([
      1,
      "matchbook: that is a key and not its id; 'matchbook keys list' shows the ids\n",
    ]);
  });

  test("in a shard's name is pointed out, since nothing else would tell", async () => {
    mkdirSync(join(cwd, "shards"), { recursive: true });
    writeFileSync(join(cwd, "shards/na.db"), "");
    const made = await keys("create", "--name", "n", "--data", "shards", "--shards", "nna+*");
    expect(made.exitCode).toBe(0);
    expect(made.stderr).toContain('There is no shard "nna" yet; did you mean "na"? There are: na.');
  });
});

describe("the file of keys", () => {
  test("can be read by its owner alone", async () => {
    await keys("create", "--name", "n", "--data", "mode");
    expect(statSync(fileIn("mode")).mode & 0o777).toBe(0o600);
  });

  test("of the first version is brought to the present one, and its keys still work", async () => {
    const key = makeKey();
    mkdirSync(join(cwd, "old"));
    const old = new Database(fileIn("old"));
    old.run(KEYS_FILE.migrations[0]![0]!);
    old.run("PRAGMA user_version = 1");
    old.run("INSERT INTO api_keys VALUES ('k_first', 'first', ?, 7, 1000, NULL)", [hashKey(key)]);
    old.close();

    const { exitCode, stdout } = await keys("list", "--data", "old");
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/k_first +first +hobby +7 /)]);
    const server = await startServerProcess(["--data", "old", "--log-level", "silent"], { cwd });
    const reply = await fetch(`${server.url}/usage`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(await reply.json()).toMatchObject({
      key: { id: "k_first", name: "first", tier: "hobby" },
      limits: { requestsPerMinute: 7 },
    });
    expect(await server.end()).toBe(0);
  });

  test("of a newer version is refused with one sentence", async () => {
    await keys("create", "--name", "n", "--data", "g");
    const database = new Database(fileIn("g"));
    database.run("PRAGMA user_version = 99");
    database.close();
    const { exitCode, stderr } = await keys("list", "--data", "g");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^matchbook: g\/access\.sqlite was written by a newer Matchbook .*\n$/);
  });

  test("may be written by several processes at once, by the first ones too", async () => {
    const makers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => keys("create", "--name", `n${index}`, "--data", "h")),
    );
    expect(makers.map(({ exitCode }) => exitCode)).toEqual(makers.map(() => 0));
    expect(JSON.parse((await keys("list", "--data", "h", "--json")).stdout)).toHaveLength(8);
  });
});
