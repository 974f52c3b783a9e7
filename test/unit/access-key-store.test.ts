/** The key file in a data folder; test/conformance/access.ts covers both engines. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccessError } from "../../src/access/key-database.ts";
import { type KeyRecord, stateOf } from "../../src/access/key-store.ts";
import { KEYS_FILE } from "../../src/access/sqlite/schema.ts";
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
  const fileIn = (folder: string) => join(folder, KEYS_FILE.name);

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

  test("of the first version is migrated with all its keys", async () => {
    const folder = freshFolder();
    mkdirSync(folder, { recursive: true });
    const old = new Database(fileIn(folder));
    for (const statement of KEYS_FILE.migrations[0]!) old.run(statement);
    old.run("PRAGMA user_version = 1");
    old.run("INSERT INTO api_keys VALUES ('k_live', 'live', 'hash one', 7, 1000, NULL)");
    old.run("INSERT INTO api_keys VALUES ('k_gone', 'gone', 'hash two', NULL, 2000, 3000)");
    old.close();

    const access = openAccess({ data: folder });
    const secrets = (createdAt: number) => [{ createdAt, expiresAt: null }];
    expect(await access.keys.list()).toEqual([
      { ...PLAIN, id: "k_live", name: "live", rate: 7, createdAt: 1000, secrets: secrets(1000) },
      {
        ...PLAIN,
        id: "k_gone",
        name: "gone",
        createdAt: 2000,
        revokedAt: 3000,
        secrets: secrets(2000),
      },
    ]);
    const live = await access.keys.liveSecrets();
    expect(live.map(({ hash, id }) => [hash, id])).toEqual([["hash one", "k_live"]]);
    await access.close();
  });

  test("of a newer version is refused, with its name", async () => {
    const folder = freshFolder();
    const access = openAccess({ data: folder });
    await access.keys.create({ name: "one" }, 1);
    await access.close();
    const database = new Database(fileIn(folder));
    database.run("PRAGMA user_version = 99");
    database.close();
    const list = () => openAccess({ data: folder }).keys.list();
    expect(list).toThrow(AccessError);
    expect(list).toThrow(/access\.sqlite.*newer Matchbook/);
  });

  test("that is not a database is refused, with its name", async () => {
    const folder = freshFolder();
    await Bun.write(fileIn(folder), "not a database at all, but long enough to be one");
    expect(() => openAccess({ data: folder }).keys.list()).toThrow(/access\.sqlite/);
  });
});
