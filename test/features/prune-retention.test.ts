/** A server prunes the shards that have a retention, in the background. */

import { describe, expect, test } from "bun:test";
import { MaintenanceThread } from "../../src/maintenance/thread.ts";
import type { Event } from "../../src/observe/events.ts";
import { ENGINES, type Engine, engineWorlds } from "../support/engine-worlds.ts";
import { startInstance } from "../support/instances.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";

const DAY = 86_400_000;
const NOW = Date.now();
const worldIn = engineWorlds(undefined, { firstMs: 3_600_000 });

/** Serves matches of these ages in days with a retention of 100 days: what is reported, and the status of each. */
async function retained(engine: Engine, ages: Record<string, number>) {
  const records = Object.entries(ages).map(([id, days]) =>
    aMatch({ id, mode: "casual", createdAt: NOW - days * DAY }),
  );
  await using world = await worldIn(engine, records, undefined, 'retention = "100d"\n');
  const one = await startInstance(world, {}, { firstMs: 0, pauseMs: 50 });
  const event = await until("it is pruned", () =>
    one.events.find((some) => some.event.startsWith("shard-prune")),
  );
  await one.stop();
  const statuses = [];
  for (const id of Object.keys(ages)) {
    statuses.push((await world.get(`/shards/na/matches/${id}`)).status);
  }
  return { event, statuses };
}

test.each(ENGINES)(
  "in %s, records that are older than the retention are removed",
  async (engine) => {
    const ages = { "older-1": 140, "older-2": 101, "younger-1": 99, "younger-2": 2 };
    const { event, statuses } = await retained(engine, ages);
    expect(event).toMatchObject({ event: "shard-pruned", shard: "na", served: 2, withheld: 0 });
    expect(statuses).toEqual([404, 404, 200, 200]);
  },
);

test("a clock that is far ahead does not empty the shard", async () => {
  const { event, statuses } = await retained("SQLite", { "older-1": 140, "older-2": 101 });
  expect(event).toMatchObject({
    ...{ event: "shard-prune-failed", shard: "na" },
    error: { message: expect.stringMatching(/^every match is older .* 100 days: check the clock/) },
  });
  expect(statuses).toEqual([200, 200]);
});

describe("the thread of the maintenance", () => {
  const BROKEN = { throws: "throw new Error('broken');", exits: "process.exit(3);" };
  const HEALTHY =
    "self.onmessage = ({ data }) => data === 'stop' ? process.exit(0) : self.postMessage({ event: 'keys-reloaded', live: 1 });";
  const DEAF = "self.onmessage = () => self.postMessage({ event: 'keys-reloaded', live: 1 });";

  /** Runs one thread after the other, and waits for the event of the last one. */
  async function runThreads(...scripts: string[]) {
    const events: Event[] = [];
    const thread = new MaintenanceThread(
      "prune",
      async () => true,
      () => new Worker(URL.createObjectURL(new Blob([scripts.shift() ?? ""]))),
      { data: "", shards: [{ id: "na", location: undefined, retentionDays: 1 }] },
      (event) => void events.push(event),
      { firstMs: 0, pauseMs: 1, stopMs: 10 },
    );
    await until("it runs", async () => events.some(({ event }) => event === "keys-reloaded"));
    await thread.stop();
    return events.filter(({ event }) => event !== "keys-reloaded");
  }

  test("runs again after each failure, which is reported once", async () => {
    const events = await runThreads(BROKEN.throws, BROKEN.exits, BROKEN.throws, HEALTHY);
    expect(events).toMatchObject([
      { event: "shard-prune-failed", error: { message: expect.stringContaining("broken") } },
      {
        event: "shard-prune-failed",
        error: { message: "the thread failed: it exited with code 3" },
      },
      { event: "shard-prune-failed", error: { message: expect.stringContaining("broken") } },
    ]);
  });

  test("does not keep the server from stopping when it does not respond", async () => {
    expect(await runThreads(DEAF)).toEqual([]);
  });
});
