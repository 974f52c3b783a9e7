/** In charge of keys at rest: their terms, their secrets, their file. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccessFileError, pathOf } from "../../src/access/file.ts";
import { type KeyRecord, openKeyring, readLiveSecrets, stateOf } from "../../src/access/keyring.ts";
import { KEYS_FILE } from "../../src/access/keys-file.ts";

const root = mkdtempSync(join(tmpdir(), "matchbook-keyring-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const freshFolder = () => join(root, `deep/${folders++}`);

const HOUR = 3_600_000;

/** What a key is whose terms are all left open. */
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

/** Something else for every term. */
const TERMS = {
  name: "everything",
  note: "ask Ana",
  tier: "community",
  rate: 7,
  burst: 0,
  matchesPerDay: 0,
  shards: ["*", "beta"],
  expiresAt: 9000,
};

describe("the keyring", () => {
  test("lists what was made, oldest first, without key or hash", () => {
    const keyring = openKeyring(freshFolder());
    const second = keyring.create(TERMS, 2000).record;
    const first = keyring.create({ name: "first" }, 1000).record;
    expect(first.id).toMatch(/^k_[0-9A-Za-z]{10}$/);
    const secrets = (createdAt: number) => [{ createdAt, expiresAt: null }];
    expect(keyring.list()).toEqual([
      { ...PLAIN, id: first.id, name: "first", createdAt: 1000, secrets: secrets(1000) },
      { ...PLAIN, ...TERMS, id: second.id, createdAt: 2000, secrets: secrets(2000) },
    ]);
    keyring.close();
  });

  test("changes the terms that are given and no others; null leaves one to the tier", () => {
    const keyring = openKeyring(freshFolder());
    const { record } = keyring.create(TERMS, 1000);
    expect(keyring.change(record.id, { rate: null, name: "other" })).toEqual({
      ...record,
      rate: null,
      name: "other",
    });
    expect(keyring.change(record.id, {})).toEqual(keyring.find(record.id)!);
    expect(keyring.change("k_nobody", { rate: 1 })).toBeUndefined();
    keyring.close();
  });

  test("keeps both secrets of a rotated key, with the end of the old one", () => {
    const keyring = openKeyring(freshFolder());
    const { key, record } = keyring.create(TERMS, 1000);
    const rotated = keyring.rotate(record.id, 24 * HOUR, 2000);
    if (typeof rotated !== "object") throw new Error(rotated);
    expect(rotated.key).not.toBe(key);
    expect(rotated.record).toEqual({
      ...record,
      secrets: [
        { createdAt: 2000, expiresAt: null },
        { createdAt: 1000, expiresAt: 2000 + 24 * HOUR },
      ],
    });
    keyring.close();
  });

  test("lets no secret live longer for another rotation", () => {
    const keyring = openKeyring(freshFolder());
    const { id } = keyring.create({ name: "one" }, 0).record;
    keyring.rotate(id, HOUR, 10);
    keyring.rotate(id, 24 * HOUR, 20);
    keyring.rotate(id, 0, 30);
    expect(keyring.find(id)!.secrets).toEqual([
      { createdAt: 30, expiresAt: null },
      { createdAt: 20, expiresAt: 30 },
      { createdAt: 10, expiresAt: 30 },
      { createdAt: 0, expiresAt: 30 },
    ]);
    keyring.close();
  });

  test("rotates neither an ended nor an unknown key", () => {
    const keyring = openKeyring(freshFolder());
    const expired = keyring.create({ name: "expired", expiresAt: 50 }, 0).record.id;
    const revoked = keyring.create({ name: "revoked" }, 0).record.id;
    keyring.revoke(revoked, 10);
    expect(keyring.rotate(expired, HOUR, 50)).toBe("ended");
    expect(keyring.rotate(revoked, HOUR, 50)).toBe("ended");
    expect(keyring.rotate("k_nobody", HOUR, 50)).toBe("unknown");
    for (const { secrets } of keyring.list()) expect(secrets).toHaveLength(1);
    keyring.close();
  });

  test("revokes once; a second time changes nothing; an unknown id is told apart", () => {
    const keyring = openKeyring(freshFolder());
    const { record } = keyring.create({ name: "one" }, 1000);
    expect(keyring.revoke(record.id, 2000)).toBe("revoked");
    expect(keyring.revoke(record.id, 3000)).toBe("already-revoked");
    expect(keyring.revoke("k_nobody", 3000)).toBe("unknown");
    expect(keyring.list()[0]?.revokedAt).toBe(2000);
    keyring.close();
  });

  test.each([
    ["live without an end", "live", null, null],
    ["live before its end", "live", 101, null],
    ["expired at its end", "expired", 100, null],
    ["revoked", "revoked", null, 1],
    ["revoked, even if it has expired too", "revoked", 50, 60],
  ] as const)("calls a key %s", (_, state, expiresAt, revokedAt) => {
    const base = { ...PLAIN, id: "k", name: "n", createdAt: 0, secrets: [] };
    expect(stateOf({ ...base, expiresAt, revokedAt }, 100)).toBe(state);
  });
});

describe("the file of keys", () => {
  test("is for its owner's eyes only, and never holds a key in plain text", () => {
    const folder = freshFolder();
    const keyring = openKeyring(folder);
    const { key } = keyring.create({ name: "one" }, 1000);
    const files = readdirSync(folder);
    expect(files).toContain("access.sqlite");
    for (const file of files) {
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, file)).includes(key.slice(3))).toBe(false);
    }
    keyring.close();
  });

  test("of the first version is brought to the present one with all its keys", () => {
    const folder = freshFolder();
    mkdirSync(folder, { recursive: true });
    const old = new Database(pathOf(KEYS_FILE, folder));
    old.run(KEYS_FILE.migrations[0]!);
    old.run("PRAGMA user_version = 1");
    old.run("INSERT INTO api_keys VALUES ('k_live', 'live', 'hash one', 7, 1000, NULL)");
    old.run("INSERT INTO api_keys VALUES ('k_gone', 'gone', 'hash two', NULL, 2000, 3000)");
    old.close();

    const keyring = openKeyring(folder);
    const secrets = (createdAt: number) => [{ createdAt, expiresAt: null }];
    expect(keyring.list()).toEqual([
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
    keyring.close();
    const now = new Database(pathOf(KEYS_FILE, folder));
    expect(readLiveSecrets(now).map(({ hash, id }) => [hash, id])).toEqual([
      ["hash one", "k_live"],
    ]);
    now.close();
  });

  test("of a newer version is refused, naming it", () => {
    const folder = freshFolder();
    openKeyring(folder).close();
    const database = new Database(pathOf(KEYS_FILE, folder));
    database.run("PRAGMA user_version = 99");
    database.close();
    expect(() => openKeyring(folder)).toThrow(AccessFileError);
    expect(() => openKeyring(folder)).toThrow(/access\.sqlite was written by a newer Matchbook/);
  });

  test("that is no database is refused, naming it", async () => {
    const folder = freshFolder();
    await Bun.write(pathOf(KEYS_FILE, folder), "not a database at all, but long enough to be one");
    expect(() => openKeyring(folder)).toThrow(/access\.sqlite cannot be used/);
  });
});
