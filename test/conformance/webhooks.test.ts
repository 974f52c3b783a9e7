/** The contract of stored hooks, on both engines. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Hook, type HookStore, reached, resumed } from "../../src/features/webhooks/stored.ts";
import type { AccessStore } from "../../src/open-access.ts";
import { aFilePlace, postgresPlaces, type TestedPlace } from "../support/access-places.ts";
import { hookStore } from "../support/webhooks.ts";

const NOW = Date.UTC(2026, 2, 10, 12);
const HOUR = 3_600_000;
const aPostgresPlace = postgresPlaces();

const ENGINES: Record<string, () => Promise<TestedPlace>> = {
  files: aFilePlace,
  PostgreSQL: async () => aPostgresPlace(),
};

for (const [engine, make] of Object.entries(ENGINES)) {
  describe(`hooks in ${engine}`, () => {
    let tested: TestedPlace;
    let stores: AccessStore[];
    let place: HookStore;
    let rival: HookStore;

    beforeEach(async () => {
      tested = await make();
      stores = [tested.open(), tested.open()];
      [place, rival] = stores.map(hookStore) as [HookStore, HookStore];
    });
    afterEach(async () => {
      for (const store of stores) await store.close();
      await tested.remove();
    });

    const wanted = {
      keyId: "k_a",
      url: "https://example.com/",
      shards: ["na"],
      players: ["p", "q"],
    };
    const at = (number: number) => ({ number, tag: 4_000_000_000 + number });
    const start = new Map([["na", at(5)]]);
    const batch = { id: "msg_1", end: at(9), startedAt: NOW, oldest: NOW - HOUR };
    const delivered = { ...reached(batch.end), lastResult: "HTTP 200", lastAt: NOW };
    const found = async (id: string) => (await rival.list()).find((one) => one.id === id);
    const progress = async (id: string) => (await found(id))!.progress[0]!;

    test("do not exist before the first is added, and checking creates nothing", async () => {
      await stores[0]!.keys.create({ name: "one" }, NOW);
      const exists = () => stores[1]!.features.get("webhooks")!.exists();
      expect(await place.list()).toEqual([]);
      expect(await exists()).toBe(false);
      await place.add(wanted, "whsec_a", start, NOW);
      expect(await exists()).toBe(true);
    });

    test("are listed with their progress, oldest first", async () => {
      const second = await place.add(wanted, "whsec_a", start, NOW + 1);
      const none = { keyId: "k_b", url: "https://b.example/", shards: [], players: [] };
      const first = await place.add(none, "whsec_b", new Map(), NOW);
      expect(await rival.list()).toEqual([first, second]);
      expect(first).toMatchObject({ ...none, progress: [], pausedBy: null, createdAt: NOW });
      expect(second).toMatchObject({
        ...wanted,
        secret: "whsec_a",
        progress: [{ shard: "na", cursor: at(5), isGap: false, batch: null, attempts: 0 }],
      });
    });

    test("move to the end of a batch when it is delivered, once", async () => {
      const { id, progress: before } = await place.add(wanted, "whsec_a", start, NOW);
      expect(await place.advance(id, before[0]!, { batch })).toBeDefined();
      const other = { ...batch, id: "msg_2" };
      expect(await rival.advance(id, before[0]!, { batch: other })).toBeUndefined();
      const begun = await progress(id);
      expect((await progress(id)).batch).toEqual(batch);
      const times = { failingSince: NOW, nextAttempt: NOW + 5, lastAt: NOW };
      const failure = { attempts: 1, lastResult: "no", ...times };
      expect(await place.advance(id, begun, failure)).toBeDefined();
      const failed = await progress(id);
      expect(failed).toMatchObject({ ...failure, cursor: at(5) });
      expect(await rival.advance(id, begun, failure)).toBeUndefined();
      await rival.change(id, resumed);
      expect(await place.advance(id, failed, failure)).toBeUndefined();
      expect(await place.advance(id, begun, delivered)).toBeDefined();
      expect(await rival.advance(id, begun, delivered)).toBeUndefined();
      expect(await rival.advance(id, begun, failure)).toBeUndefined();
      expect(await progress(id)).toMatchObject({ cursor: at(9), batch: null, attempts: 0 });
    });

    test("start no batch while they are paused", async () => {
      const { id, progress: before } = await place.add(wanted, "whsec_a", start, NOW);
      expect(await place.pause(id, "failures", NOW)).toBe(true);
      expect(await rival.pause(id, "operator", NOW)).toBe(false);
      expect(await place.advance(id, before[0]!, { batch })).toBeUndefined();
      await place.change(id, resumed);
      expect(await place.advance(id, before[0]!, { batch })).toBeDefined();
      expect(await place.advance(id, before[0]!, { batch })).toBeUndefined();
    });

    test("skip changes and remember gaps", async () => {
      const { id, progress: before } = await place.add(wanted, "whsec_a", start, NOW);
      expect(await place.advance(id, before[0]!, reached(at(7), true))).toBeDefined();
      expect(await rival.advance(id, before[0]!, reached(at(6)))).toBeUndefined();
      expect(await progress(id)).toMatchObject({ cursor: at(7), isGap: true });
      await place.addShard(id, "eu", at(0));
      await place.addShard(id, "eu", at(1));
      await place.addShard("h_none", "eu", at(1));
      expect(await progress(id)).toMatchObject({ shard: "eu", cursor: at(0) });
    });

    test("take every change of several processes, and nothing after their removal", async () => {
      const { id } = await place.add(wanted, "whsec_a", start, NOW);
      const more = (hook: Hook) => ({ ...hook, players: [...hook.players, "r"] });
      await Promise.all([place, rival, place, rival].map((hooks) => hooks.change(id, more)));
      expect((await found(id))!.players).toEqual(["p", "q", "r", "r", "r", "r"]);
      await place.remove(id);
      expect(await rival.list()).toEqual([]);
      expect(await place.change(id, more)).toBe(false);
    });

    test("are delivered by one owner at a time", async () => {
      await place.add(wanted, "whsec_a", start, NOW);
      const taken = await Promise.all([
        place.takeLease("one", NOW, NOW + 15),
        rival.takeLease("two", NOW, NOW + 15),
      ]);
      expect(taken.toSorted()).toEqual([false, true]);
      const [owner, other] = taken[0] ? ["one", "two"] : ["two", "one"];
      expect(await place.takeLease(owner!, NOW + 5, NOW + 20)).toBe(true);
      expect(await place.takeLease(other!, NOW + 19, NOW + 34)).toBe(false);
      expect(await place.takeLease(other!, NOW + 20, NOW + 35)).toBe(true);
      await place.releaseLease(owner!);
      expect(await place.takeLease(owner!, NOW + 21, NOW + 36)).toBe(false);
      await place.releaseLease(other!);
      expect(await place.takeLease(owner!, NOW + 21, NOW + 36)).toBe(true);
    });
  });
}
