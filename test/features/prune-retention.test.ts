/** A server prunes the shards that have a retention, in the background. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MaintenanceThread } from "../../src/maintenance/thread.ts";
import type { Event } from "../../src/observe/events.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { serve } from "../../src/wiring.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
import { withWriter } from "../support/prune.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { aFolder, ingestInto } from "../support/world.ts";

const DAY = 86_400_000;
const NOW = Date.now();

let postgres: Awaited<ReturnType<typeof aPostgres>>;
beforeAll(async () => {
  postgres = await aPostgres();
});
afterAll(() => postgres.stop());

/** Serves the shard na with matches of these ages in days, until one of these events. */
async function serveUntil(
  isWanted: (event: Event) => boolean,
  shard: string,
  ages: Record<string, number>,
) {
  const folder = aFolder();
  writeFileSync(join(folder.path, "matchbook.toml"), `[shards.na]\n${shard}\n`);
  const { values: settings } = loadSettings({
    flags: { data: folder.path, port: "0", "drain-ms": "0" },
    env: {},
    cwd: folder.path,
  });
  const records = Object.entries(ages).map(([id, days]) =>
    aMatch({ id, shard: "na", mode: "casual", createdAt: NOW - days * DAY }),
  );
  await ingestInto(settings, records);
  const events: Event[] = [];
  const server = await serve(
    settings,
    (event) => void events.push(event),
    undefined,
    undefined,
    undefined,
    { firstMs: 0, pauseMs: 50 },
  );
  const event = await until("the event", async () => events.find(isWanted));
  await server.stop("test");
  const left = await withWriter(settings, "na", async (writer) => {
    const found = await Promise.all(records.map(({ data }) => writer.inspect(String(data.id))));
    return found.flatMap((record) => record?.match.id ?? []);
  });
  folder.remove();
  return { event, left };
}

describe.each(["SQLite", "PostgreSQL"])("in %s", (engine) => {
  test("records that are older than the retention are removed", async () => {
    const schema = `retention_${process.pid}`;
    const url = engine === "SQLite" ? "" : `url = "${postgres.url}?schema=${schema}"\n`;
    const { event, left } = await serveUntil(
      (one) => one.event === "shard-pruned" || one.event === "shard-prune-failed",
      `${url}retention = "100d"`,
      { "older-1": 140, "older-2": 101, "younger-1": 99, "younger-2": 2 },
    );
    expect(event).toMatchObject({ event: "shard-pruned", shard: "na", served: 2, withheld: 0 });
    expect(left).toEqual(["younger-1", "younger-2"]);
    if (engine === "PostgreSQL") await dropSchema(postgres.url, schema);
  });
});

test("a clock that is far ahead does not empty the shard", async () => {
  const { event, left } = await serveUntil(
    (one) => one.event === "shard-pruned" || one.event === "shard-prune-failed",
    `retention = "100d"`,
    { "older-1": 140, "older-2": 101 },
  );
  const { error, ...rest } = event as { error?: Error };
  expect(rest).toEqual({ event: "shard-prune-failed", shard: "na" } as object);
  expect(error!.message).toBe(
    "every match is older than its retention of 100 days: check the clock; if it is right, run 'matchbook prune na --older-than 100d'",
  );
  expect(left).toEqual(["older-1", "older-2"]);
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
      () => true,
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
