/** In charge of what a running server knows of the keys, on a clock of the test's own. */

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashKey } from "../../src/access/key.ts";
import { KeyLookup } from "../../src/access/key-lookup.ts";
import type { KeyStore } from "../../src/access/key-store.ts";
import { KEYS_FILE } from "../../src/access/sqlite/schema.ts";
import type { AccessPlan } from "../../src/domain/limits.ts";
import { type Event, unobserved } from "../../src/observe/events.ts";
import { openAccess } from "../../src/open-stores.ts";

const root = mkdtempSync(join(tmpdir(), "matchbook-watch-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const freshFolder = () => join(root, `deep/${folders++}`);
const fileIn = (folder: string) => join(folder, KEYS_FILE.name);

const PLAN: AccessPlan = {
  tiers: [{ name: "hobby" }, { name: "community", rate: 300, shards: ["*", "beta"] }],
  defaults: { rate: 60, burst: 0, matchesPerDay: 5000 },
  closedShards: ["beta"],
};
const HOBBY = { tier: "hobby", rate: 60, burst: 60, matchesPerDay: 5000, shards: ["*"] };

const NOW = 1_000_000;
const bearer = (key: string) => `Bearer ${key}`;

/** A keyring and a server's watch on it. */
async function watched(): Promise<{
  keyring: KeyStore;
  watch: KeyLookup;
  events: Event[];
  stop(): Promise<void>;
}> {
  const folder = freshFolder();
  const access = openAccess({ data: folder });
  const keyring = access.keys;
  await keyring.list();
  const events: Event[] = [];
  const watch = new KeyLookup(openAccess({ data: folder }).keys, PLAN, (event) =>
    events.push(event),
  );
  await watch.start();
  return {
    keyring,
    watch,
    events,
    async stop() {
      watch.stop();
      await access.close();
    },
  };
}

/** A new key in place of an old one. */
async function rotated(keyring: KeyStore, id: string, overlapMs: number): Promise<string> {
  const outcome = await keyring.rotate(id, overlapMs, NOW);
  if (typeof outcome !== "object") throw new Error(outcome);
  return outcome.key;
}

describe("a server's keys", () => {
  test("begin without a file and are there after the first was made", async () => {
    const folder = freshFolder();
    const events: Event[] = [];
    const watch = new KeyLookup(openAccess({ data: folder }).keys, PLAN, (event) =>
      events.push(event),
    );
    await watch.start();
    expect(await watch.refresh()).toBe(false);
    const access = openAccess({ data: folder });
    const keyring = access.keys;
    const { key, record } = await keyring.create({ name: "one", rate: 7 }, 1000);
    expect(watch.find(bearer(key), NOW)).toBeUndefined();
    expect(await watch.refresh()).toBe(true);
    expect(watch.find(bearer(key), NOW)).toMatchObject({
      id: record.id,
      name: "one",
      limits: { ...HOBBY, rate: 7, burst: 7 },
    });
    expect(events).toEqual([{ event: "keys-reloaded", live: 1 }]);
    watch.stop();
    await access.close();
  });

  test("follow each change of another process, and are read only after one", async () => {
    const { keyring, watch, stop } = await watched();
    const first = await keyring.create({ name: "first" }, 1000);
    await watch.refresh();
    expect(await watch.refresh()).toBe(false);
    const second = await keyring.create({ name: "second" }, 2000);
    expect(await watch.refresh()).toBe(true);
    expect(watch.find(bearer(second.key), NOW)?.name).toBe("second");
    await keyring.revoke(first.record.id, 3000);
    expect(await watch.refresh()).toBe(true);
    expect(watch.find(bearer(first.key), NOW)).toBeUndefined();
    await keyring.revoke(second.record.id, 3000);
    expect(await watch.refresh()).toBe(true);
    expect(watch.find(bearer(second.key), NOW)).toBeUndefined();
    expect(await watch.refresh()).toBe(false);
    await stop();
  });

  test("follow a file that takes the place of another, and end with the file", async () => {
    const [folder, backup] = [freshFolder(), freshFolder()];
    const here = openAccess({ data: folder });
    const old = await here.keys.create({ name: "old" }, 1000);
    await here.close();
    const there = openAccess({ data: backup });
    const restored = await there.keys.create({ name: "restored" }, 1000);
    await there.close();

    const watch = new KeyLookup(openAccess({ data: folder }).keys, PLAN, unobserved);
    await watch.start();
    expect(watch.find(bearer(old.key), NOW)?.name).toBe("old");
    renameSync(fileIn(backup), fileIn(folder));
    await watch.refresh();
    expect(watch.find(bearer(old.key), NOW)).toBeUndefined();
    expect(watch.find(bearer(restored.key), NOW)?.name).toBe("restored");
    rmSync(fileIn(folder));
    await watch.refresh();
    expect(watch.find(bearer(restored.key), NOW)).toBeUndefined();
    watch.stop();
  });

  test("are found by the key alone: neither its hash nor its id opens anything", async () => {
    const { keyring, watch, stop } = await watched();
    const { key, record } = await keyring.create({ name: "one" }, 1000);
    await watch.refresh();
    for (const wrong of [hashKey(key), record.id, key.toLowerCase(), ""]) {
      expect(watch.find(bearer(wrong), NOW)).toBeUndefined();
    }
    expect(watch.find(null, NOW)).toBeUndefined();
    await stop();
  });
});

describe("a rotated key", () => {
  test("is good in both forms until the overlap ends, then only in the new one", async () => {
    const { keyring, watch, stop } = await watched();
    const { key: old, record } = await keyring.create({ name: "one" }, NOW);
    const fresh = await rotated(keyring, record.id, 1000);
    await watch.refresh();
    for (const key of [old, fresh]) {
      expect(watch.find(bearer(key), NOW + 999)?.id).toBe(record.id);
    }
    expect(watch.find(bearer(old), NOW + 1000)).toBeUndefined();
    expect(watch.recent(bearer(old), NOW + 1000)).toBeUndefined();
    expect(watch.find(bearer(fresh), NOW + 1000)?.id).toBe(record.id);
    await stop();
  });

  test("is one key: it is counted once, with one id", async () => {
    const { keyring, watch, events, stop } = await watched();
    const { record } = await keyring.create({ name: "one" }, NOW);
    await rotated(keyring, record.id, 1000);
    await watch.refresh();
    expect(events.at(-1)).toEqual({ event: "keys-reloaded", live: 1 });
    await stop();
  });

  test("ends with its key, if that is earlier than the overlap", async () => {
    const { keyring, watch, stop } = await watched();
    const { key: old, record } = await keyring.create({ name: "one", expiresAt: NOW + 500 }, NOW);
    const fresh = await rotated(keyring, record.id, 1000);
    await watch.refresh();
    for (const key of [old, fresh]) {
      expect(watch.find(bearer(key), NOW + 499)?.id).toBe(record.id);
      expect(watch.find(bearer(key), NOW + 500)).toBeUndefined();
    }
    await stop();
  });
});

describe("an end", () => {
  test("takes effect at its moment, without a look at the file", async () => {
    const { keyring, watch, stop } = await watched();
    const { key } = await keyring.create({ name: "one", expiresAt: NOW + 1000 }, NOW);
    await watch.refresh();
    const header = bearer(key);
    expect(watch.find(header, NOW + 999)?.name).toBe("one");
    expect(watch.recent(header, NOW + 999)?.name).toBe("one");
    expect(watch.recent(header, NOW + 1000)).toBeUndefined();
    expect(watch.find(header, NOW + 1000)).toBeUndefined();
    await stop();
  });

  test("that is moved further makes the key good again", async () => {
    const { keyring, watch, stop } = await watched();
    const { key, record } = await keyring.create({ name: "one", expiresAt: NOW + 1000 }, NOW);
    await watch.refresh();
    expect(watch.find(bearer(key), NOW + 2000)).toBeUndefined();
    await keyring.change(record.id, { expiresAt: null });
    await watch.refresh();
    expect(watch.find(bearer(key), NOW + 2000)?.name).toBe("one");
    await stop();
  });
});

describe("a header that was found good a moment ago", () => {
  test("is known by itself, and one that was never shown is not", async () => {
    const { keyring, watch, stop } = await watched();
    const { key } = await keyring.create({ name: "one" }, NOW);
    await watch.refresh();
    expect(watch.recent(bearer(key), NOW)).toBeUndefined();
    watch.find(bearer(key), NOW);
    expect(watch.recent(bearer(key), NOW)?.name).toBe("one");
    expect(watch.recent(null, NOW)).toBeUndefined();
    await stop();
  });

  test("is forgotten when its key is revoked", async () => {
    const { keyring, watch, stop } = await watched();
    const { key, record } = await keyring.create({ name: "one" }, NOW);
    await watch.refresh();
    watch.find(bearer(key), NOW);
    await keyring.revoke(record.id, NOW);
    await watch.refresh();
    expect(watch.recent(bearer(key), NOW)).toBeUndefined();
    await stop();
  });

  test("goes by the terms that its key has now", async () => {
    const { keyring, watch, stop } = await watched();
    const { key, record } = await keyring.create({ name: "one" }, NOW);
    await watch.refresh();
    watch.find(bearer(key), NOW);
    await keyring.change(record.id, { tier: "community" });
    await watch.refresh();
    expect(watch.recent(bearer(key), NOW)?.limits.rate).toBe(300);
    await stop();
  });
});

describe("a key's tier", () => {
  test("that the settings do not have is taken for the first, and that is told", async () => {
    const { keyring, watch, events, stop } = await watched();
    const { key } = await keyring.create({ name: "one", tier: "gold" }, NOW);
    await keyring.create({ name: "two", tier: "gold" }, NOW);
    await watch.refresh();
    expect(watch.find(bearer(key), NOW)?.limits).toEqual(HOBBY);
    expect(events).toEqual([
      { event: "unknown-tier", tier: "gold", taken: "hobby" },
      { event: "keys-reloaded", live: 2 },
    ]);
    await stop();
  });

  test("opens the shards that it names, closed ones too", async () => {
    const { keyring, watch, stop } = await watched();
    const usual = (await keyring.create({ name: "usual" }, NOW)).key;
    const invited = (await keyring.create({ name: "invited", tier: "community" }, NOW)).key;
    const narrow = (await keyring.create({ name: "narrow", shards: ["beta"] }, NOW)).key;
    await watch.refresh();
    const shards = (key: string) =>
      ["na", "beta"].filter((shard) => watch.mayRead(watch.find(bearer(key), NOW)!, shard));
    expect([usual, invited, narrow].map(shards)).toEqual([["na"], ["na", "beta"], ["beta"]]);
    await stop();
  });
});
