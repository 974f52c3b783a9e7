/** In charge of keys at rest, and of what a running server knows of them. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccessFileError, accessFile } from "../../src/access/file.ts";
import { hashKey } from "../../src/access/key.ts";
import { openKeyring } from "../../src/access/keyring.ts";
import { KeyWatch } from "../../src/access/watch.ts";
import type { Event } from "../../src/observe/events.ts";
import { unobserved } from "../../src/observe/events.ts";

const root = mkdtempSync(join(tmpdir(), "matchbook-access-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const freshFolder = () => join(root, `deep/${folders++}`);

/** What a server that starts now finds for a key. */
function liveKey(folder: string, key: string) {
  const watch = new KeyWatch(folder, unobserved);
  try {
    watch.refresh();
    return watch.find(`Bearer ${key}`);
  } finally {
    watch.stop();
  }
}

describe("the keyring", () => {
  test("lists what was made, oldest first, without key or hash", () => {
    const keyring = openKeyring(freshFolder());
    const second = keyring.create({ name: "second", rate: 7 }, 2000).record;
    const first = keyring.create({ name: "first" }, 1000).record;
    expect(first.id).toMatch(/^k_[0-9A-Za-z]{10}$/);
    expect(keyring.list()).toEqual([
      { id: first.id, name: "first", rate: null, createdAt: 1000, revokedAt: null },
      { id: second.id, name: "second", rate: 7, createdAt: 2000, revokedAt: null },
    ]);
    keyring.close();
  });

  test("revokes once; a second time changes nothing; an unknown id is told apart", () => {
    const folder = freshFolder();
    const keyring = openKeyring(folder);
    const { key, record } = keyring.create({ name: "one" }, 1000);
    expect(liveKey(folder, key)).toEqual({ id: record.id, name: "one", rate: null });
    expect(keyring.revoke(record.id, 2000)).toBe("revoked");
    expect(keyring.revoke(record.id, 3000)).toBe("already-revoked");
    expect(keyring.revoke("k_nobody", 3000)).toBe("unknown");
    expect(keyring.list()[0]?.revokedAt).toBe(2000);
    expect(liveKey(folder, key)).toBeUndefined();
    keyring.close();
  });

  test("keeps keys over a restart, for its owner's eyes only, and never in plain text", () => {
    const folder = freshFolder();
    const keyring = openKeyring(folder);
    const { key } = keyring.create({ name: "one" }, 1000);
    for (const file of readdirSync(folder)) {
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, file)).includes(key.slice(3))).toBe(false);
    }
    keyring.close();
    expect(liveKey(folder, key)?.name).toBe("one");
  });

  test("refuses a file of a newer version, naming it", () => {
    const folder = freshFolder();
    openKeyring(folder).close();
    const database = new Database(accessFile(folder));
    database.run("PRAGMA user_version = 99");
    database.close();
    expect(() => openKeyring(folder)).toThrow(AccessFileError);
    expect(() => openKeyring(folder)).toThrow(/access\.sqlite was written by a newer Matchbook/);
  });

  test("refuses a file that is no database, naming it", async () => {
    const folder = freshFolder();
    await Bun.write(accessFile(folder), "not a database at all, but long enough to be one");
    expect(() => openKeyring(folder)).toThrow(/access\.sqlite cannot be used/);
  });
});

describe("a server's keys", () => {
  const bearer = (key: string) => `Bearer ${key}`;

  test("begin without a file and are there after the first was made", () => {
    const folder = freshFolder();
    const events: Event[] = [];
    const watch = new KeyWatch(folder, (event) => events.push(event));
    watch.start();
    expect(watch.refresh()).toBe(false);
    const keyring = openKeyring(folder);
    const { key, record } = keyring.create({ name: "one", rate: 7 }, 1000);
    expect(watch.find(bearer(key))).toBeUndefined();
    expect(watch.refresh()).toBe(true);
    expect(watch.find(bearer(key))).toEqual({ id: record.id, name: "one", rate: 7 });
    expect(events).toEqual([{ event: "keys-reloaded", live: 1 }]);
    watch.stop();
    keyring.close();
  });

  test("follow each change of another process, and are read only after one", () => {
    const folder = freshFolder();
    const keyring = openKeyring(folder);
    const first = keyring.create({ name: "first" }, 1000);
    const watch = new KeyWatch(folder, unobserved);
    watch.start();
    expect(watch.refresh()).toBe(false);
    const second = keyring.create({ name: "second" }, 2000);
    expect(watch.refresh()).toBe(true);
    expect(watch.find(bearer(second.key))?.name).toBe("second");
    keyring.revoke(first.record.id, 3000);
    expect(watch.refresh()).toBe(true);
    expect(watch.find(bearer(first.key))).toBeUndefined();
    keyring.revoke(second.record.id, 3000);
    expect(watch.refresh()).toBe(true);
    expect(watch.find(bearer(second.key))).toBeUndefined();
    expect(watch.refresh()).toBe(false);
    watch.stop();
    keyring.close();
  });

  test("follow a file that takes the place of another, and end with the file", () => {
    const [folder, backup] = [freshFolder(), freshFolder()];
    const here = openKeyring(folder);
    const old = here.create({ name: "old" }, 1000);
    here.close();
    const there = openKeyring(backup);
    const restored = there.create({ name: "restored" }, 1000);
    there.close();

    const watch = new KeyWatch(folder, unobserved);
    watch.start();
    expect(watch.find(bearer(old.key))?.name).toBe("old");
    renameSync(accessFile(backup), accessFile(folder));
    watch.refresh();
    expect(watch.find(bearer(old.key))).toBeUndefined();
    expect(watch.find(bearer(restored.key))?.name).toBe("restored");
    rmSync(accessFile(folder));
    watch.refresh();
    expect(watch.find(bearer(restored.key))).toBeUndefined();
    watch.stop();
  });

  test("are found by the key alone: neither its hash nor its id opens anything", () => {
    const folder = freshFolder();
    const keyring = openKeyring(folder);
    const { key, record } = keyring.create({ name: "one" }, 1000);
    const watch = new KeyWatch(folder, unobserved);
    watch.start();
    for (const wrong of [hashKey(key), record.id, key.toLowerCase(), ""]) {
      expect(watch.find(bearer(wrong))).toBeUndefined();
    }
    expect(watch.find(null)).toBeUndefined();
    watch.stop();
    keyring.close();
  });
});
