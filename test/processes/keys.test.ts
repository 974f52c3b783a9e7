/** In charge of `matchbook keys` as an operator uses it, beside a server that watches the keys. */

import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { accessFile, createAccessFile } from "../../src/access/file.ts";
import { looksLikeKey } from "../../src/access/key.ts";
import { KeyWatch } from "../../src/access/watch.ts";
import { unobserved } from "../../src/observe/events.ts";

const MATCHBOOK = resolve(import.meta.dir, "../../bin/matchbook");
const cwd = mkdtempSync(join(tmpdir(), "matchbook-keys-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

// The developer's own settings must not reach the program under test.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("MATCHBOOK_")),
);

function keys(...args: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([MATCHBOOK, "keys", ...args], { cwd, env });
  return { exitCode, stdout: String(stdout), stderr: String(stderr) };
}

test("create prints the key alone on standard output, the rest on standard error", () => {
  const { exitCode, stdout, stderr } = keys("create", "--name", "stats site", "--data", "a");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^mb_\w+\n$/);
  expect(looksLikeKey(stdout.trim())).toBe(true);
  expect(stderr).toMatch(/Made key k_\w{10} for "stats site": 60 requests a minute/);
  expect(stderr).not.toContain(stdout.trim());
});

test("list shows names, rates and states, and never a key or a hash", () => {
  const made = ["--name", "日本", "--data", "b"];
  const texts = [keys("create", ...made).stdout, keys("create", ...made, "--rate", "7").stdout];
  const database = new Database(accessFile(join(cwd, "b")));
  const rows = database
    .query<{ id: string; hash: string }, []>("SELECT id, hash FROM api_keys ORDER BY rate")
    .all();
  database.close();
  keys("revoke", rows[0]!.id, "--data", "b");

  const table = keys("list", "--data", "b").stdout;
  const json = keys("list", "--data", "b", "--json").stdout;
  for (const { id } of rows) expect(table).toContain(id);
  expect(table).toMatch(/日本 +60 \(default\) .* revoked 2/);
  expect(table).toMatch(/日本 +7 .* live/);
  const moment = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(JSON.parse(json)).toContainEqual({
    id: rows[0]!.id,
    name: "日本",
    rate: null,
    createdAt: moment,
    revokedAt: moment,
  });
  for (const secret of [...texts.map((text) => text.trim()), ...rows.map(({ hash }) => hash)]) {
    expect(table + json).not.toContain(secret);
  }
});

test("a running server learns of a new and of a revoked key", () => {
  const watch = new KeyWatch(join(cwd, "c"), unobserved);
  watch.start();
  const header = `Bearer ${keys("create", "--name", "n", "--data", "c").stdout.trim()}`;
  watch.refresh();
  const id = watch.find(header)!.id;

  expect(keys("revoke", id, "--data", "c")).toEqual({
    exitCode: 0,
    stdout: "",
    stderr: `Revoked ${id}.\n`,
  });
  watch.refresh();
  expect(watch.find(header)).toBeUndefined();

  const again = keys("revoke", id, "--data", "c");
  expect([again.exitCode, again.stderr]).toEqual([0, `${id} was revoked before.\n`]);
  watch.stop();
});

test("the timer alone brings a new key to a running server", async () => {
  const announced = Promise.withResolvers<number>();
  const watch = new KeyWatch(join(cwd, "timer"), (event) => {
    if (event.event === "keys-reloaded") announced.resolve(event.live);
  });
  watch.start();
  keys("create", "--name", "n", "--data", "timer");
  expect(await announced.promise).toBe(1);
  watch.stop();
});

test("an unknown id is an error that says where to look", () => {
  keys("create", "--name", "n", "--data", "d");
  const { exitCode, stdout, stderr } = keys("revoke", "k_nobody", "--data", "d");
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr).toBe(
    "matchbook: there is no key with the id \"k_nobody\" in d; 'matchbook keys list' shows the ids\n",
  );
});

test("looking for keys makes no folder", () => {
  const listed = keys("list", "--data", "mistyped");
  expect([listed.exitCode, listed.stdout]).toEqual([0, ""]);
  expect(keys("list", "--data", "mistyped", "--json").stdout).toBe("[]\n");
  expect(keys("revoke", "k_nobody", "--data", "mistyped").exitCode).toBe(1);
  expect(existsSync(join(cwd, "mistyped"))).toBe(false);
});

test("--data may stand before or after the verb of the group", () => {
  expect(keys("--data", "e", "create", "--name", "before").exitCode).toBe(0);
  expect(keys("create", "--name", "after", "--data", "e").exitCode).toBe(0);
  expect(JSON.parse(keys("list", "--data", "e", "--json").stdout)).toHaveLength(2);
});

test.each([
  [["--name", ""], '--name "" must be a text of 1 to 100 characters on one line'],
  [["--name", "a\u001b[2J"], "--name"],
  [["--name", "n", "--rate", "0"], '--rate "0" must be a whole number from 1 to 100000000'],
  [["--name", "n", "--rate", "fast"], '--rate "fast" must be a whole number'],
  [[], "required option '--name <NAME>' not specified"],
])("create %p is misuse and makes nothing", (args, message) => {
  const { exitCode, stdout, stderr } = keys("create", ...args, "--data", "f");
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(`matchbook: ${message}`);
  expect(existsSync(join(cwd, "f"))).toBe(false);
});

test("a file of a newer version is refused with one sentence", () => {
  createAccessFile(join(cwd, "g"));
  const database = new Database(accessFile(join(cwd, "g")));
  database.run("PRAGMA user_version = 99");
  database.close();
  const { exitCode, stderr } = keys("list", "--data", "g");
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^matchbook: g\/access\.sqlite was written by a newer Matchbook .*\n$/);
});

test("several processes may make keys at once, the first ones too", async () => {
  const makers = Array.from({ length: 8 }, (_, index) =>
    Bun.spawn([MATCHBOOK, "keys", "create", "--name", `n${index}`, "--data", "h"], {
      cwd,
      env,
      stderr: "pipe",
    }),
  );
  expect(await Promise.all(makers.map((maker) => maker.exited))).toEqual(makers.map(() => 0));
  expect(JSON.parse(keys("list", "--data", "h", "--json").stdout)).toHaveLength(8);
});
