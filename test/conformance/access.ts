/** In charge of what any place of keys and usage must do: every adapter passes this suite. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { KeptBudget } from "../../src/access/budget.ts";
import { MemoryBudgets } from "../../src/access/budget.ts";
import type { Hash } from "../../src/access/distinct.ts";
import { DistinctCounter } from "../../src/access/distinct.ts";
import { hashKey } from "../../src/access/key.ts";
import type { Keyring } from "../../src/access/keyring.ts";
import { Ledger } from "../../src/access/ledger.ts";
import type { AccessPlace } from "../../src/access/place.ts";
import type { LiveSecret } from "../../src/access/secrets.ts";
import type { KeyDay } from "../../src/access/usage.ts";
import { unobserved } from "../../src/observe/events.ts";

/** A new, empty place. `open` opens it as one more process would. */
export interface TestedPlace {
  open(): AccessPlace;
  remove(): Promise<void>;
}

const NOW = Date.UTC(2026, 2, 10, 12);
const DAY = Math.floor(NOW / 86_400_000);
const HOUR = 3_600_000;

export function accessConformance(engine: string, make: () => Promise<TestedPlace>): void {
  let tested: TestedPlace;
  let place: AccessPlace;
  let rival: AccessPlace;

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

  async function inKeyring<T>(work: (keyring: Keyring) => Promise<T>, at = place): Promise<T> {
    const keyring = await at.keyring();
    try {
      return await work(keyring);
    } finally {
      await keyring.close();
    }
  }

  describe(`keys in ${engine}`, () => {
    test("are not there before one is made, and to look makes nothing", async () => {
      expect(await place.hasKeys()).toBe(false);
      expect(await place.hasUsage()).toBe(false);
      expect(await place.hasKeys()).toBe(false);
      await inKeyring(async (keyring) => void (await keyring.create({ name: "one" }, NOW)));
      expect(await rival.hasKeys()).toBe(true);
    });

    test("come back with all their terms, in the order in which they were made", async () => {
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
      await inKeyring(async (keyring) => {
        const second = await keyring.create(terms, NOW + 1);
        const first = await keyring.create({ name: "plain" }, NOW);
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
        expect(await keyring.list()).toEqual([first.record, second.record]);
        expect(await keyring.find(second.record.id)).toEqual(second.record);
        expect(await keyring.find("k_nobody")).toBeUndefined();
      });
    });

    test("change in what is named alone", async () => {
      await inKeyring(async (keyring) => {
        const { record } = await keyring.create({ name: "one", rate: 5, shards: ["na"] }, NOW);
        const changed = await keyring.change(record.id, { rate: null, shards: ["eu", "na"] });
        expect(changed).toEqual({ ...record, rate: null, shards: ["eu", "na"] });
        expect(await keyring.change(record.id, {})).toEqual(changed!);
        expect(await keyring.change("k_nobody", { rate: 1 })).toBeUndefined();
      });
    });

    test("are rotated while they are live, and the secret before ends after the overlap", async () => {
      await inKeyring(async (keyring) => {
        const { record, key } = await keyring.create(
          { name: "one", expiresAt: NOW + 9 * HOUR },
          NOW,
        );
        const rotated = await keyring.rotate(record.id, HOUR, NOW + 1);
        if (typeof rotated === "string") throw new Error(rotated);
        expect(rotated.key).not.toBe(key);
        expect(rotated.record.secrets).toEqual([
          { createdAt: NOW + 1, expiresAt: null },
          { createdAt: NOW, expiresAt: NOW + 1 + HOUR },
        ]);
        // An earlier end stays.
        const again = await keyring.rotate(record.id, 5 * HOUR, NOW + 2);
        expect(
          typeof again === "object" && again.record.secrets.map((one) => one.expiresAt),
        ).toEqual([null, NOW + 2 + 5 * HOUR, NOW + 1 + HOUR]);
        expect(await keyring.rotate(record.id, HOUR, NOW + 9 * HOUR)).toBe("ended");
        expect(await keyring.rotate("k_nobody", HOUR, NOW)).toBe("unknown");
      });
    });

    test("are revoked once", async () => {
      await inKeyring(async (keyring) => {
        const { record } = await keyring.create({ name: "one" }, NOW);
        expect(await keyring.revoke(record.id, NOW + 1)).toBe("revoked");
        expect(await keyring.revoke(record.id, NOW + 2)).toBe("already-revoked");
        expect(await keyring.revoke("k_nobody", NOW)).toBe("unknown");
        expect((await keyring.find(record.id))!.revokedAt).toBe(NOW + 1);
        expect(await keyring.rotate(record.id, HOUR, NOW + 3)).toBe("ended");
      });
    });

    test("may be made by several processes at once, the very first ones too", async () => {
      const places = Array.from({ length: 4 }, () => tested.open());
      await Promise.all(
        places.map((one, index) =>
          inKeyring(
            async (keyring) => void (await keyring.create({ name: `n${index}` }, NOW)),
            one,
          ),
        ),
      );
      const names = await inKeyring(async (keyring) =>
        (await keyring.list()).map(({ name }) => name),
      );
      expect(names.toSorted()).toEqual(["n0", "n1", "n2", "n3"]);
      for (const one of places) await one.close();
    });
  });

  describe(`live secrets in ${engine}`, () => {
    const byHash = (secrets: readonly LiveSecret[] | undefined) =>
      new Map(secrets?.map((secret) => [secret.hash, secret]));

    test("are given whenever a key changed elsewhere, and only then", async () => {
      const source = rival.keys();
      const first = await source.changed();
      expect(first).toEqual([]);
      const { key, record } = await inKeyring(async (keyring) =>
        keyring.create({ name: "one", rate: 9, shards: ["na"] }, NOW),
      );
      const secrets = byHash(await source.changed());
      expect([...secrets.keys()]).toEqual([hashKey(key)]);
      expect(secrets.get(hashKey(key))).toEqual({
        hash: hashKey(key),
        id: record.id,
        name: "one",
        tier: null,
        own: { rate: 9, burst: null, matchesPerDay: null, shards: ["na"] },
        until: Number.POSITIVE_INFINITY,
      });
      expect(await source.changed()).toBeUndefined();
      await inKeyring(async (keyring) => void (await keyring.change(record.id, { tier: "x" })));
      expect((await source.changed())!.map(({ tier }) => tier)).toEqual(["x"]);
      await inKeyring(async (keyring) => void (await keyring.revoke(record.id, NOW)));
      expect(await source.changed()).toEqual([]);
      await source.close();
    });

    test("end with their key or by themselves, whichever is earlier", async () => {
      const source = rival.keys();
      await inKeyring(async (keyring) => {
        const { record } = await keyring.create({ name: "one", expiresAt: NOW + 2 * HOUR }, NOW);
        await keyring.rotate(record.id, HOUR, NOW);
      });
      const ends = (await source.changed())!.map(({ until }) => until - NOW);
      expect(ends.toSorted((one, other) => one - other)).toEqual([HOUR, 2 * HOUR]);
      await source.close();
    });
  });

  const aDay = (keyId: string, day: number, counts: [number, number][], more = {}): KeyDay => ({
    keyId,
    day,
    requests: new Map(counts),
    records: 3,
    lastSeen: day * 24 * HOUR + 5,
    ...more,
  });

  describe(`usage in ${engine}`, () => {
    test("adds up over several processes", async () => {
      const [here, there] = [await place.book(), await rival.book()];
      await here.write([aDay("k_a", DAY, [[200, 5]]), aDay("k_b", DAY, [[404, 1]])], []);
      await there.write(
        [
          aDay(
            "k_a",
            DAY,
            [
              [200, 2],
              [429, 1],
            ],
            { lastSeen: NOW + 7 },
          ),
        ],
        [],
      );
      await there.write([aDay("k_a", DAY - 1, [[200, 1]])], []);
      await here.write([aDay("k_a", DAY, [[429, 1]], { lastSeen: NOW + 3 })], []);
      expect(await here.read(DAY - 1, "k_a")).toEqual([
        aDay("k_a", DAY - 1, [[200, 1]]),
        aDay(
          "k_a",
          DAY,
          [
            [200, 7],
            [429, 2],
          ],
          { records: 9, lastSeen: NOW + 7 },
        ),
      ]);
      expect((await there.read(DAY)).map(({ keyId }) => keyId)).toEqual(["k_a", "k_b"]);
      expect(await there.lastSeen()).toEqual(
        new Map([
          ["k_a", NOW + 7],
          ["k_b", DAY * 24 * HOUR + 5],
        ]),
      );
      await Promise.all([here.close(), there.close()]);
    });

    test("may be written by several processes at the same moment", async () => {
      const books = await Promise.all([place.book(), rival.book()]);
      const keys = ["k_c", "k_a", "k_b"];
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const order = index % 2 === 0 ? keys : keys.toReversed();
          return books[index % 2]!.write(
            order.map((key) => aDay(key, DAY, [[200, 1]])),
            order.map((keyId) => aBudget(keyId, [index])),
          );
        }),
      );
      const days = await books[0]!.read(DAY);
      expect(days.map(({ keyId, requests }) => [keyId, requests.get(200)])).toEqual([
        ["k_a", 20],
        ["k_b", 20],
        ["k_c", 20],
      ]);
      const kept = await books[1]!.budget("k_b", DAY);
      expect(DistinctCounter.fromBytes(kept!.counter)!.count).toBe(20);
      for (const book of books) await book.close();
    });

    test("is dropped after 400 days, budgets after their own", async () => {
      const book = await place.book();
      await book.write(
        [aDay("k_a", DAY - 401, [[200, 1]]), aDay("k_a", DAY - 400, [[200, 1]])],
        [aBudget("k_a", [1], DAY - 1), aBudget("k_a", [1], DAY)],
      );
      await book.prune(DAY);
      expect((await book.read(0)).map(({ day }) => day)).toEqual([DAY - 400]);
      expect(await book.budget("k_a", DAY - 1)).toBeUndefined();
      expect(await book.budget("k_a", DAY)).toBeDefined();
      await book.close();
    });

    test("of nothing is nothing", async () => {
      const book = await place.book();
      expect(await book.write([], [])).toEqual([]);
      expect(await book.read(0)).toEqual([]);
      expect(await book.lastSeen()).toEqual(new Map());
      expect(await book.budget("k_a", DAY)).toBeUndefined();
      await book.close();
    });
  });

  const hashes = (numbers: readonly number[]): Hash[] =>
    numbers.map((number) => {
      const hash = Bun.hash(`match ${number}`) as bigint;
      return { high: Number(hash >> 32n), low: Number(hash & 0xffffffffn) };
    });

  function aBudget(
    keyId: string,
    numbers: number[],
    day = DAY,
    exceeded: number | null = null,
  ): KeptBudget {
    const counter = new DistinctCounter();
    for (const hash of hashes(numbers)) counter.addWithin([hash], Number.POSITIVE_INFINITY);
    return { keyId, day, counter: counter.toBytes(), exceeded };
  }

  const range = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => from + index);

  describe(`budgets in ${engine}`, () => {
    test.each([
      ["few", 30, 20, 50],
      ["more than are counted one by one, together", 800, 800, 1600],
      ["many here", 3000, 10, 3010],
      ["many there", 10, 3000, 3010],
    ])("of two processes are joined: %s", async (_, here, there, together) => {
      const books = [await place.book(), await rival.book()] as const;
      // Ten are the same.
      await books[0].write([], [aBudget("k_a", range(0, here))]);
      const [kept] = await books[1].write(
        [],
        [aBudget("k_a", [...range(here, there), ...range(0, 10)], DAY, 99)],
      );
      const count = DistinctCounter.fromBytes(kept!.counter)!.count;
      expect(Math.abs(count - together) / together).toBeLessThan(together > 1024 ? 0.03 : 1e-9);
      expect(kept!.exceeded).toBe(99);
      const read = (await books[0].budget("k_a", DAY))!;
      expect([...read.counter]).toEqual([...kept!.counter]);
      expect(read.exceeded).toBe(99);
      await Promise.all([books[0].close(), books[1].close()]);
    });

    test("are known to the next process, and to others with the next writing", async () => {
      const first = new Ledger(await place.book(), () => NOW, unobserved);
      expect(await first.budgets.spend("k_a", hashes(range(0, 5)), 8, NOW)).toBe(true);
      await first.write();
      const second = new Ledger(await rival.book(), () => NOW, unobserved);
      expect(await second.budgets.count("k_a", NOW)).toBe(5);
      expect(await second.budgets.spend("k_a", hashes(range(5, 5)), 8, NOW)).toBe(false);
      expect(await second.budgets.isSpent("k_a", 8, NOW)).toBe(true);
      await second.write();
      expect(await first.budgets.isSpent("k_a", 8, NOW)).toBe(false);
      await first.budgets.spend("k_a", hashes(range(0, 5)), 8, NOW);
      await first.write();
      expect(await first.budgets.isSpent("k_a", 8, NOW)).toBe(true);
      await first.stop();
      await second.stop();
    });

    test("cannot be read when they are damaged, and count from nothing then", async () => {
      const book = await place.book();
      await book.write(
        [],
        [{ keyId: "k_a", day: DAY, counter: Uint8Array.of(9, 9), exceeded: null }],
      );
      expect(await new MemoryBudgets(book).count("k_a", NOW)).toBe(0);
      const [kept] = await book.write([], [aBudget("k_a", [1, 2])]);
      expect(DistinctCounter.fromBytes(kept!.counter)!.count).toBe(2);
      await book.close();
    });
  });
}
