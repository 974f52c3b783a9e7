/** Verify reports no damage where there is none, also of a shard that is being written to. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { prune } from "../../src/prune/prune.ts";
import { redactPlayers } from "../../src/redact/redact.ts";
import { type Engine, engineHomes } from "../support/engine-worlds.ts";
import { settingsAt } from "../support/places.ts";
import { aMatch, duel } from "../support/records.ts";
import { scaled } from "../support/scale.ts";
import { damageOf, verified } from "../support/verify.ts";
import { ingestWith } from "../support/world.ts";
import { history, PLAYER_IDS, SHARD } from "./histories.ts";

const scenario = fc.record({
  before: history,
  // The same ids with other content: replacing them adds, changes and removes matches, players, teams and names.
  meanwhile: fc.tuple(history, history).map((histories) => histories.flat()),
  batch: fc.integer({ min: 1, max: 4 }),
});

const CUTOFF = Date.parse("2024-05-01T00:00:00Z");

const homeOf = engineHomes();
const PLACES: [engine: Engine, runs: number][] = [
  ["SQLite", 20],
  ["PostgreSQL", 5],
];

test.each(PLACES)(
  "%s: withheld records that name a player still, after a redaction was interrupted, are not damage",
  async (engine) => {
    const settings = settingsAt(homeOf(engine).data);
    const shards = openShards(settings, unobserved);
    const writer = shards.writer(SHARD);
    const redaction = [{ playerId: "ada", redactedAt: 0 }];
    // Reading the withheld records is what follows the first transaction.
    const interrupted = new Proxy(writer, {
      get: (target, name) =>
        name === "survey"
          ? () => Promise.reject(new Error("interrupted"))
          : Reflect.get(target, name).bind(target),
    });
    try {
      await ingestWith(shards, settings, [
        aMatch({ id: "served", rosters: duel({ id: "ada" }, { id: "bea" }) }),
        aMatch({ id: "withheld", mode: "practice", rosters: duel({ id: "ada" }, { id: "bea" }) }),
      ]);
      await expect(redactPlayers(interrupted, redaction)).rejects.toThrow("interrupted");
      const clean = { damage: [], isComplete: true };
      expect(await verified(settings, SHARD)).toMatchObject(clean);
      expect(await redactPlayers(writer, redaction)).toEqual({ served: 0, withheld: 1 });
      expect(await verified(settings, SHARD)).toMatchObject(clean);
    } finally {
      await shards.close();
    }
  },
);

test.each(PLACES)(
  "%s: records that are added, replaced, withheld, redacted and pruned meanwhile are not damage",
  async (engine, runs) => {
    const isClean = fc.asyncProperty(scenario, async ({ before, meanwhile, batch }) => {
      const settings = settingsAt(homeOf(engine).data);
      const shards = openShards(settings, unobserved);
      const writer = shards.writer(SHARD);
      const replace = (documents: typeof before) =>
        ingestWith(shards, settings, documents, { replace: true });
      const write = async () => {
        const waiting = [...meanwhile];
        while (waiting.length > 0) await replace(waiting.splice(0, batch));
        await redactPlayers(writer, [{ playerId: PLAYER_IDS[0]!, redactedAt: 0 }]);
        await prune(writer, CUTOFF, { step: 1, rest: 0 });
      };
      try {
        await replace(before);
        let isOver = false;
        const writing = write().finally(() => {
          isOver = true;
        });
        const verifying = async () => {
          while (!isOver) {
            expect(damageOf(await verified(settings, SHARD, true))).toEqual([]);
            expect(damageOf(await verified(settings, SHARD))).toEqual([]);
          }
        };
        // Both end before the store is closed, so that the one that failed is the one that is reported.
        for (const outcome of await Promise.allSettled([verifying(), writing])) {
          if (outcome.status === "rejected") throw outcome.reason;
        }
        expect(await verified(settings, SHARD)).toMatchObject({ damage: [], isComplete: true });
      } finally {
        await shards.close();
      }
    });
    // Where the writer is when a shard is verified differs each time: smaller cases would be searched for in vain.
    await fc.assert(isClean, { numRuns: scaled(runs, 3), endOnFailure: true });
  },
  600_000,
);
