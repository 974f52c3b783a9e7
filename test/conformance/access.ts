/** The contract of stored keys, usage and redactions: both engines pass this suite. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { hashKey } from "../../src/access/key.ts";
import type { KeyStore, LiveSecret } from "../../src/access/key-store.ts";
import type { CountedMatches } from "../../src/access/quota.ts";
import type { UsageCount } from "../../src/access/usage.ts";
import { UsageRecorder } from "../../src/access/usage-recorder.ts";
import { unobserved } from "../../src/observe/events.ts";
import type { AccessStore } from "../../src/open-access.ts";
import type { TestedPlace } from "../support/access-places.ts";
import { matchbook } from "../support/process.ts";

const NOW = Date.UTC(2026, 2, 10, 12);
const DAY = Math.floor(NOW / 86_400_000);
const HOUR = 3_600_000;

export function accessConformance(engine: string, make: () => Promise<TestedPlace>): void {
  let tested: TestedPlace;
  let place: AccessStore;
  let rival: AccessStore;

  beforeEach(async () => {
    tested = await make();
    place = tested.open();
    rival = tested.open();
  });
  afterEach(async () => {
    await place.close();
    await rival.close();
    await tested.remove();
  });

  describe(`the list of redactions in ${engine}`, () => {
    test("does not exist before the first one, and checking creates nothing", async () => {
      expect(await place.redactions.entries()).toEqual([]);
      expect(await place.keys.exists()).toBe(false);
    });

    test("has each redaction once, also if several processes add it, and keeps its time", async () => {
      const ada = { playerId: "ada", redactedAt: NOW };
      const later = { playerId: "ada", redactedAt: NOW + 1 };
      await place.redactions.add("na", [ada]);
      await Promise.all([
        place.redactions.add("na", [later, { playerId: "bob", redactedAt: NOW }]),
        rival.redactions.add("na", [later, { playerId: "bob", redactedAt: NOW }]),
        rival.redactions.add("eu", [later]),
      ]);
      const entries = (await rival.redactions.entries()).map(
        ({ shard, playerId, redactedAt }) => `${shard} ${playerId} ${redactedAt - NOW}`,
      );
      expect(entries.sort()).toEqual(["eu ada 1", "na ada 0", "na bob 0"]);
    });
  });

  describe(`keys in ${engine}`, () => {
    test("do not exist before the first is created, and checking creates nothing", async () => {
      expect(await place.keys.exists()).toBe(false);
      expect(await place.keys.exists()).toBe(false);
      await place.keys.create({ name: "one" }, NOW);
      expect(await rival.keys.exists()).toBe(true);
    });

    test("are listed with all their options, oldest first", async () => {
      const terms = {
        name: "größer, 'quoted' \u{1f3c6}",
        note: "ask Ana",
        tier: "community",
        rate: 100_000_000,
        burst: 7,
        matchesPerDay: 1_000_000_000,
        shards: ["*", "beta"],
        expiresAt: NOW + HOUR,
      };
      const second = await place.keys.create(terms, NOW + 1);
      const first = await place.keys.create({ name: "plain" }, NOW);
      expect(second.record).toEqual({
        id: expect.stringMatching(/^k_\w{10}$/),
        ...terms,
        createdAt: NOW + 1,
        revokedAt: null,
        secrets: [{ createdAt: NOW + 1, expiresAt: null }],
      });
      expect(first.record).toMatchObject({
        note: null,
        tier: null,
        rate: null,
        burst: null,
        matchesPerDay: null,
        shards: null,
        expiresAt: null,
      });
      expect(await place.keys.list()).toEqual([first.record, second.record]);
      expect(await place.keys.find(second.record.id)).toEqual(second.record);
      expect(await place.keys.find("k_nobody")).toBeUndefined();
    });

    test("change only in the given options", async () => {
      const { record } = await place.keys.create({ name: "one", rate: 5, shards: ["na"] }, NOW);
      const changed = await place.keys.change(record.id, { rate: null, shards: ["eu", "na"] });
      expect(changed).toEqual({ ...record, rate: null, shards: ["eu", "na"] });
      expect(await place.keys.change(record.id, {})).toEqual(changed!);
      expect(await place.keys.change("k_nobody", { rate: 1 })).toBeUndefined();
    });

    test("can be rotated while active, and the old secret expires after the overlap", async () => {
      const { record, key } = await place.keys.create(
        { name: "one", expiresAt: NOW + 9 * HOUR },
        NOW,
      );
      const rotated = await place.keys.rotate(record.id, HOUR, NOW + 1);
      if (typeof rotated === "string") throw new Error(rotated);
      expect(rotated.key).not.toBe(key);
      expect(rotated.record.secrets).toEqual([
        { createdAt: NOW + 1, expiresAt: null },
        { createdAt: NOW, expiresAt: NOW + 1 + HOUR },
      ]);
      // An earlier end stays.
      const again = await place.keys.rotate(record.id, 5 * HOUR, NOW + 2);
      expect(typeof again === "object" && again.record.secrets.map((one) => one.expiresAt)).toEqual(
        [null, NOW + 2 + 5 * HOUR, NOW + 1 + HOUR],
      );
      expect(await place.keys.rotate(record.id, HOUR, NOW + 9 * HOUR)).toBe("ended");
      expect(await place.keys.rotate("k_nobody", HOUR, NOW)).toBe("unknown");
    });

    test("are revoked once", async () => {
      const { record } = await place.keys.create({ name: "one" }, NOW);
      expect(await place.keys.revoke(record.id, NOW + 1)).toBe("revoked");
      expect(await place.keys.revoke(record.id, NOW + 2)).toBe("already-revoked");
      expect(await place.keys.revoke("k_nobody", NOW)).toBe("unknown");
      expect((await place.keys.find(record.id))!.revokedAt).toBe(NOW + 1);
      expect(await place.keys.rotate(record.id, HOUR, NOW + 3)).toBe("ended");
    });

    test("may be created by several processes at once, the very first ones too", async () => {
      const names = ["n0", "n1", "n2", "n3"];
      const created = await Promise.all(
        names.map((name) => matchbook(["keys", "create", "--name", name], { env: tested.env })),
      );
      expect(created.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
      const listed = await place.keys.list();
      expect(listed.map(({ name }) => name).toSorted()).toEqual(names);
      const live = new Set((await place.keys.liveSecrets()).map(({ hash }) => hash));
      expect(created.every(({ stdout }) => live.has(hashKey(stdout.trim())))).toBe(true);
    });
  });

  describe(`active secrets in ${engine}`, () => {
    const byHash = (secrets: readonly LiveSecret[] | undefined) =>
      new Map(secrets?.map((secret) => [secret.hash, secret]));

    /** The active secrets, if anything has changed since the last call. */
    const changesOf = (keys: KeyStore) => {
      let known: string | undefined = "nothing yet";
      return async (): Promise<LiveSecret[] | undefined> => {
        const version = await keys.version();
        if (version === known) return undefined;
        known = version;
        return version === undefined ? [] : keys.liveSecrets();
      };
    };

    test("are reloaded when another process changed a key, and only then", async () => {
      const source = changesOf(rival.keys);
      const first = await source();
      expect(first).toEqual([]);
      const { key, record } = await place.keys.create(
        { name: "one", rate: 9, shards: ["na"] },
        NOW,
      );
      const secrets = byHash(await source());
      expect([...secrets.keys()]).toEqual([hashKey(key)]);
      expect(secrets.get(hashKey(key))).toEqual({
        hash: hashKey(key),
        id: record.id,
        name: "one",
        tier: null,
        own: { rate: 9, burst: null, matchesPerDay: null, shards: ["na"] },
        until: Number.POSITIVE_INFINITY,
      });
      expect(await source()).toBeUndefined();
      await place.keys.change(record.id, { tier: "x" });
      expect((await source())!.map(({ tier }) => tier)).toEqual(["x"]);
      await place.keys.revoke(record.id, NOW);
      expect(await source()).toEqual([]);
    });

    test("expire with their key or on their own, whichever is earlier", async () => {
      const source = changesOf(rival.keys);
      const { record } = await place.keys.create({ name: "one", expiresAt: NOW + 2 * HOUR }, NOW);
      await place.keys.rotate(record.id, HOUR, NOW);
      const ends = (await source())!.map(({ until }) => until - NOW);
      expect(ends.toSorted((one, other) => one - other)).toEqual([HOUR, 2 * HOUR]);
    });
  });

  const used = (keyId: string, day: number, more: Partial<UsageCount> = {}): UsageCount => ({
    ...{ keyId, day, status: 200, requests: 1, records: 3, lastSeen: day * 24 * HOUR + 5 },
    ...more,
  });

  describe(`usage in ${engine}`, () => {
    test("adds up over several processes", async () => {
      const [here, there] = [place.usage, rival.usage];
      await here.add([used("k_a", DAY, { requests: 5 }), used("k_b", DAY, { status: 404 })], []);
      await there.add(
        [
          used("k_a", DAY, { requests: 2, lastSeen: NOW + 7 }),
          used("k_a", DAY, { status: 429, records: 0 }),
        ],
        [],
      );
      await there.add([used("k_a", DAY - 1)], []);
      await here.add([used("k_a", DAY, { status: 429, records: 0, lastSeen: NOW + 3 })], []);
      const dayBefore = { records: 3, lastSeen: (DAY - 1) * 24 * HOUR + 5 };
      expect(await here.read(DAY - 1, "k_a")).toEqual([
        { keyId: "k_a", day: DAY - 1, requests: new Map([[200, 1]]), ...dayBefore },
        {
          ...{ keyId: "k_a", day: DAY, records: 6, lastSeen: NOW + 7 },
          requests: new Map([200, 429].map((status) => [status, status === 200 ? 7 : 2])),
        },
      ]);
      expect((await there.read(DAY)).map(({ keyId }) => keyId)).toEqual(["k_a", "k_b"]);
      expect(await there.lastSeen()).toEqual(
        new Map(Object.entries({ k_a: NOW + 7, k_b: DAY * 24 * HOUR + 5 })),
      );
    });

    test("can be written by several processes at the same time", async () => {
      const books = [place.usage, rival.usage];
      const keys = ["k_c", "k_a", "k_b"];
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const order = index % 2 === 0 ? keys : keys.toReversed();
          return books[index % 2]!.add(
            order.map((key) => used(key, DAY)),
            order.map((keyId) => ({ keyId, day: DAY, matches: [index] })),
          );
        }),
      );
      const days = await books[0]!.read(DAY);
      expect(days.map(({ keyId, requests }) => [keyId, requests.get(200)])).toEqual([
        ["k_a", 20],
        ["k_b", 20],
        ["k_c", 20],
      ]);
      expect(await books[1]!.distinctMatches(DAY, "k_b")).toBe(20);
      const { counted, position } = await books[1]!.countedAfter(0);
      expect([counted.length, position]).toEqual([60, 60]);
    });

    test("is deleted after 400 days, and quotas after one more day", async () => {
      const book = place.usage;
      await book.add(
        [used("k_a", DAY - 401), used("k_a", DAY - 400)],
        [DAY - 2, DAY - 1, DAY].map((day) => ({ keyId: "k_a", day, matches: [1] })),
      );
      await book.prune(DAY);
      expect((await book.read(0)).map(({ day }) => day)).toEqual([DAY - 400]);
      const { counted } = await book.countedAfter(0);
      expect(counted.map(({ day }) => day)).toEqual([DAY - 1, DAY]);
    });

    test("is empty without writes", async () => {
      const book = place.usage;
      await book.add([], []);
      expect(await book.read(0)).toEqual([]);
      expect(await book.lastSeen()).toEqual(new Map());
      expect(await book.countedAfter(0)).toEqual({ counted: [], position: 0 });
    });
  });

  /** As large as hashes get. */
  const matchesFrom = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => Number.MAX_SAFE_INTEGER - from - index);

  describe(`the matches that quotas have counted in ${engine}`, () => {
    const CLOCK = { now: () => NOW, monotonic: () => NOW };

    test("are read in the order in which they were stored, from any position, exactly", async () => {
      const entries: CountedMatches[] = [
        { keyId: "k_a", day: DAY, matches: matchesFrom(0, 3000) },
        { keyId: "k_b", day: DAY - 1, matches: [0, 1, 2 ** 32] },
        { keyId: "k_a", day: DAY, matches: matchesFrom(2990, 20) },
      ];
      await place.usage.add([], entries.slice(0, 2));
      await rival.usage.add([], entries.slice(2));
      expect(await place.usage.countedAfter(0)).toEqual({ counted: entries, position: 3 });
      expect(await place.usage.countedAfter(2)).toEqual({
        counted: entries.slice(2),
        position: 3,
      });
      expect(await place.usage.countedAfter(3)).toEqual({ counted: [], position: 3 });
      expect(await place.usage.distinctMatches(DAY, "k_a")).toBe(3010);
      expect(await place.usage.distinctMatches(DAY, "k_b")).toBe(0);
    });

    test("are read from the start if the log is shorter than it was", async () => {
      const entry = { keyId: "k_a", day: DAY, matches: [1] };
      await place.usage.add([], [entry]);
      expect(await place.usage.countedAfter(9)).toEqual({ counted: [entry], position: 1 });
    });

    test("are read page by page", async () => {
      const keys = Array.from({ length: 2500 }, (_, index) => `k_${index}`);
      await place.usage.add(
        [],
        keys.map((keyId) => ({ keyId, day: DAY, matches: [7] })),
      );
      const recorder = new UsageRecorder(rival.usage, CLOCK, unobserved);
      await recorder.start();
      expect(keys.filter((keyId) => recorder.quotas.count(keyId, NOW) !== 1)).toEqual([]);
      await recorder.stop();
    });
  });
}
