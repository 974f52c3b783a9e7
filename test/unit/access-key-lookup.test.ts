/** How a running server keeps track of keys, with a test clock. */

import { afterAll, describe, expect, test } from "bun:test";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { KeyLookup } from "../../src/access/key-lookup.ts";
import { KEY_TABLES } from "../../src/access/tables.ts";
import type { AccessPlan } from "../../src/domain/limits.ts";
import type { Event } from "../../src/observe/events.ts";
import { openAccess } from "../../src/open-access.ts";
import { aFolder } from "../support/world.ts";

const root = aFolder();
afterAll(() => root.remove());

let folders = 0;
const freshFolder = () => join(root.path, `deep/${folders++}`);
const fileIn = (folder: string) => join(folder, KEY_TABLES.file);

const PLAN: AccessPlan = {
  tiers: [{ name: "hobby" }, { name: "community", rate: 300, shards: ["*", "beta"] }],
  defaults: { rate: 60, matchesPerDay: 5000 },
  closedShards: ["beta"],
};

const NOW = 1_000_000;
const bearer = (key: string) => `Bearer ${key}`;

/** A key store and a server's lookup. */
async function watched() {
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

describe("a server's keys", () => {
  test("follow a replaced file, and stay valid when the file is deleted, which is reported once", async () => {
    const [folder, backup] = [freshFolder(), freshFolder()];
    const here = openAccess({ data: folder });
    const old = await here.keys.create({ name: "old" }, 1000);
    await here.close();
    const there = openAccess({ data: backup });
    const restored = await there.keys.create({ name: "restored" }, 1000);
    await there.close();

    const events: Event[] = [];
    const serving = openAccess({ data: folder });
    const watch = new KeyLookup(serving.keys, PLAN, (event) => events.push(event));
    await watch.start();
    expect(watch.find(bearer(old.key), NOW)?.name).toBe("old");
    renameSync(fileIn(backup), fileIn(folder));
    await watch.refresh();
    expect(watch.find(bearer(old.key), NOW)).toBeUndefined();
    expect(watch.find(bearer(restored.key), NOW)?.name).toBe("restored");
    events.length = 0;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(fileIn(folder) + suffix, { force: true });
    await watch.reload();
    await watch.reload();
    expect(watch.find(bearer(restored.key), NOW)?.name).toBe("restored");
    const error = expect.objectContaining({
      message: `${fileIn(folder)} was deleted; restore it from a backup`,
    });
    expect(events).toEqual([
      { event: "keys-reload-failed", error },
      { event: "keys-reload-still-failing", error },
    ]);
    // The server itself does not create an empty file, which would end every key.
    expect(serving.keys.create({ name: "in vain" }, 1000)).rejects.toThrow("was deleted");
    events.length = 0;
    const again = openAccess({ data: folder });
    const created = await again.keys.create({ name: "created again" }, 1000);
    await again.close();
    await watch.reload();
    expect(watch.find(bearer(restored.key), NOW)).toBeUndefined();
    expect(watch.find(bearer(created.key), NOW)?.name).toBe("created again");
    expect(events).toEqual([
      { event: "keys-reloaded", live: 1 },
      { event: "keys-reload-recovered" },
    ]);
    await watch.stop();
    await serving.close();
  });
});

describe("an expiry", () => {
  test("takes effect on time, without reading the file", async () => {
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
});

describe("a key's tier", () => {
  test("that is not in the settings counts as the first one, and is logged", async () => {
    const { keyring, watch, events, stop } = await watched();
    const { key } = await keyring.create({ name: "one", tier: "gold" }, NOW);
    await keyring.create({ name: "two", tier: "gold" }, NOW);
    await watch.refresh();
    expect(watch.find(bearer(key), NOW)?.limits).toMatchObject({ tier: "hobby", rate: 60 });
    expect(events).toEqual([
      { event: "unknown-tier", tier: "gold", taken: "hobby" },
      { event: "keys-reloaded", live: 2 },
    ]);
    await stop();
  });
});
