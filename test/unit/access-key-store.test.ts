/** The key file in a data folder; test/conformance/access.ts covers both engines. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccessError } from "../../src/access/key-database.ts";
import { type KeyRecord, stateOf } from "../../src/access/key-store.ts";
import { KEY_TABLES } from "../../src/access/tables.ts";
import { openAccess } from "../../src/open-access.ts";

const root = mkdtempSync(join(tmpdir(), "matchbook-keyring-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const freshFolder = () => join(root, `deep/${folders++}`);

/** The defaults of a key without options. */
const PLAIN: Omit<KeyRecord, "id" | "name" | "createdAt" | "secrets"> = {
  note: null,
  tier: null,
  rate: null,
  burst: null,
  matchesPerDay: null,
  shards: null,
  expiresAt: null,
  revokedAt: null,
};

describe("the state of a key", () => {
  test.each([
    ["live without an end", "live", null, null],
    ["live before its end", "live", 101, null],
    ["expired at its end", "expired", 100, null],
    ["revoked", "revoked", null, 1],
    ["revoked, even if it has expired too", "revoked", 50, 60],
  ] as const)("is %s", (_, state, expiresAt, revokedAt) => {
    const base = { ...PLAIN, id: "k", name: "n", createdAt: 0, secrets: [] };
    expect(stateOf({ ...base, expiresAt, revokedAt }, 100)).toBe(state);
  });
});

describe("the key file", () => {
  const fileIn = (folder: string) => join(folder, KEY_TABLES.file);

  test("is readable by its owner only, and never contains a key in plain text", async () => {
    const folder = freshFolder();
    const access = openAccess({ data: folder });
    const { key } = await access.keys.create({ name: "one" }, 1000);
    const files = readdirSync(folder);
    expect(files).toContain("access.sqlite");
    for (const file of files) {
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, file)).includes(key.slice(3))).toBe(false);
    }
    await access.close();
  });

  test.each([
    ["a newer version", 99, "newer Matchbook"],
    [
      "a development version",
      2,
      "development version of Matchbook \\(format 2\\), .* create keys and hooks again",
    ],
  ])("of %s is refused, with its name", async (_, format, reason) => {
    const folder = freshFolder();
    const access = openAccess({ data: folder });
    await access.keys.create({ name: "one" }, 1);
    await access.close();
    const database = new Database(fileIn(folder));
    database.run(`PRAGMA user_version = ${format}`);
    database.close();
    const list = () => openAccess({ data: folder }).keys.list();
    expect(list).toThrow(AccessError);
    expect(list).toThrow(new RegExp(`access\\.sqlite.*${reason}`));
  });

  test("that is not a database is refused, with its name", async () => {
    const folder = freshFolder();
    await Bun.write(fileIn(folder), "not a database at all, but long enough to be one");
    expect(() => openAccess({ data: folder }).keys.list()).toThrow(/access\.sqlite/);
  });
});
