/** In charge of a shard with a replica: who is read, what is never shown, and that all comes back by itself. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { openKeyring } from "../../src/access/keyring.ts";
import { unobserved } from "../../src/observe/events.ts";
import { loadSettings } from "../../src/settings/load.ts";
import type { Settings } from "../../src/settings/table.ts";
import { serve } from "../../src/wiring.ts";
import { demoLines } from "../support/demo.ts";
import { type Cluster, startCluster, startReplica } from "../support/postgres.ts";
import { until } from "../support/state.ts";
import { aFolder, ingestInto, JSON_API } from "../support/world.ts";

const folder = aFolder();
let primary: Cluster;
let replica: Cluster;

beforeAll(async () => {
  primary = await startCluster(["wal_level = replica"]);
  replica = await startReplica(primary);
}, 60_000);
afterAll(() => {
  replica.remove();
  primary.remove();
  folder.remove();
});

const records = demoLines(60, Date.now() - 60_000).map((line) =>
  JSON.parse(line.replaceAll(/"shardId":"[a-z0-9-]+"/g, '"shardId":"na"')),
) as { data: { id: string } }[];

let made = 0;

/** A server over the two, each time with a shard of its own. */
async function serving(maxLagSeconds: number) {
  const data = join(folder.path, `data-${++made}`);
  const file = join(folder.path, `settings-${made}.toml`);
  const schema = `replicas_${made}`;
  const toml = [
    `data = "${data}"`,
    'port = 0\nfarewell-ms = 0\nrate = 1000000\nmatches-per-day = 0\nlog-level = "silent"',
    "[shards.na]",
    `url = "${primary.url}?schema=${schema}"`,
    `replicas = ["${replica.url}"]`,
    `max-lag-seconds = ${maxLagSeconds}`,
  ];
  writeFileSync(file, `${toml.join("\n")}\n`);
  const settings = loadSettings({ flags: {}, env: {}, cwd: folder.path, configFile: file }).values;
  const keyring = openKeyring(settings.data);
  const { key } = keyring.create({ name: "test" }, Date.now());
  keyring.close();
  await ingestInto(settings, records.slice(0, 20));
  await caughtUp();
  const server = await serve(settings, unobserved);
  return {
    settings,
    /** The status of a match. */
    async get(at: number): Promise<number> {
      const reply = await fetch(`${server.url}/shards/na/matches/${records[at]!.data.id}`, {
        headers: { Authorization: `Bearer ${key}`, Accept: JSON_API },
      });
      await reply.arrayBuffer();
      return reply.status;
    },
    stop: () => server.stop("test"),
  };
}

async function on<T>(cluster: Cluster, text: string): Promise<T> {
  const sql = new SQL(cluster.url, { max: 1 });
  const [row] = await sql.unsafe(text);
  await sql.close();
  return row as T;
}

const pause = () => on(replica, "SELECT pg_wal_replay_pause()");
const resume = () => on(replica, "SELECT pg_wal_replay_resume()");

/** Until the replica has all that the primary has now. */
async function caughtUp(): Promise<void> {
  const { at } = await on<{ at: string }>(primary, "SELECT pg_current_wal_lsn() AS at");
  await until(async () => {
    const { has } = await on<{ has: boolean }>(
      replica,
      `SELECT pg_last_wal_replay_lsn() >= '${at}'::pg_lsn AS has`,
    );
    return has || undefined;
  });
}

const takeIn = (settings: Settings, from: number, to: number) =>
  ingestInto(settings, records.slice(from, to));

/** An index of a record that is served: some of the demo are withheld. */
async function served(get: (at: number) => Promise<number>, from: number): Promise<number> {
  for (let at = from; ; at++) if ((await get(at)) === 200) return at;
}

describe("a replica", () => {
  test("within the bound is what is read, and one behind it is not", async () => {
    const patient = await serving(1000);
    const known = await served(patient.get, 0);
    await pause();
    try {
      await takeIn(patient.settings, 20, 40);
      // Only the replica does not know of them.
      for (let at = 20; at < 40; at++) expect(await patient.get(at)).toBe(404);
      expect(await patient.get(known)).toBe(200);
    } finally {
      await resume();
    }
    await caughtUp();
    await served(patient.get, 20);
    await patient.stop();

    const strict = await serving(1);
    await pause();
    try {
      await takeIn(strict.settings, 20, 40);
      // Within the bound and a look or two, the primary is read instead.
      const began = performance.now();
      await until(async () => {
        for (let at = 20; at < 40; at++) if ((await strict.get(at)) === 200) return true;
        return undefined;
      });
      expect(performance.now() - began).toBeLessThan(10_000);
    } finally {
      await resume();
    }
    await strict.stop();
  }, 60_000);

  test("of a primary that nobody writes to does not lag, and serves when the primary is away", async () => {
    const server = await serving(1);
    const known = await served(server.get, 0);
    primary.stop("immediate");
    try {
      // For longer than the bound.
      const began = performance.now();
      while (performance.now() - began < 2500) expect(await server.get(known)).toBe(200);
    } finally {
      await primary.start();
    }
    await takeIn(server.settings, 20, 40);
    await until(async () => {
      for (let at = 20; at < 40; at++) if ((await server.get(at)) === 200) return true;
      return undefined;
    });
    await server.stop();
  }, 60_000);

  test("that is stopped is not missed, and is read again when it is back", async () => {
    const server = await serving(5);
    const known = await served(server.get, 0);
    replica.stop("immediate");
    for (let round = 0; round < 10; round++) expect(await server.get(known)).toBe(200);
    await replica.start();
    await until(async () => ((await isStreaming()) ? true : undefined));
    // Without the primary, only the replica can answer: at first, perhaps nobody does.
    primary.stop("immediate");
    try {
      await until(async () => ((await server.get(known)) === 200 ? true : undefined));
      replica.stop("immediate");
      const began = performance.now();
      expect(await server.get(known)).toBe(503);
      expect(performance.now() - began).toBeLessThan(10_000);
    } finally {
      await primary.start();
      await replica.start();
    }
    await until(async () => ((await server.get(known)) === 200 ? true : undefined));
    await server.stop();
  }, 60_000);
});

const isStreaming = async () =>
  (await on<{ found: string }>(primary, "SELECT count(*) AS found FROM pg_stat_replication"))
    .found !== "0";

test("under ingest, with the primary stopped and started, nothing acknowledged is lost", async () => {
  const server = await serving(3);
  const acknowledged: number[] = [];
  let isOver = false;
  const ingesting = (async () => {
    for (let at = 20; at < 60 && !isOver; at++) {
      // As whoever sends records does: again, until it is acknowledged.
      await until(async () => {
        try {
          await takeIn(server.settings, at, at + 1);
          return true;
        } catch {
          return undefined;
        }
      });
      acknowledged.push(at);
    }
  })();
  const statuses = new Set<number>();
  const asking = (async () => {
    const known = await served(server.get, 0);
    while (!isOver) statuses.add(await server.get(known));
  })();
  for (const enough of [10, 25]) {
    await until(() => (acknowledged.length >= enough ? true : undefined));
    primary.stop("immediate");
    await primary.start();
  }
  await ingesting;
  isOver = true;
  await asking;
  expect(acknowledged.length).toBe(40);
  expect([...statuses].every((status) => status === 200 || status === 503)).toBe(true);
  const { found } = await on<{ found: string }>(
    primary,
    `SELECT (SELECT count(*) FROM replicas_${made}.sheets) + (SELECT count(*) FROM replicas_${made}.withheld) AS found`,
  );
  expect(Number(found)).toBe(60);
  await server.stop();
}, 120_000);
