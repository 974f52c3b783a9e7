/** Starts a Matchbook with keys of two tiers and an admin listener, and generates traffic for metrics. */

import { join } from "node:path";
import type { Event } from "../../src/observe/events.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import { serve } from "../../src/wiring.ts";
import { AUTHORIZATION, TOKEN, uploadTo } from "./admin.ts";
import { writeDamagedShard } from "./damaged-shard.ts";
import { sqliteRows } from "./engine-sqlite.ts";
import { aMatch } from "./records.ts";
import { readScrape } from "./scrape.ts";
import { makeKey, startWorld } from "./world.ts";

export type Monitored = Awaited<ReturnType<typeof startMonitored>>;

/** `settings` are added to the defaults. */
export async function startMonitored(
  settings: Partial<Settings> = {},
  maintenancePace?: Parameters<typeof serve>[5],
) {
  const now = Date.now();
  const newestMatch = now - 90_000;
  const zoe = { members: [{ id: "player-zoe", name: "Zoe of Tests" }] };
  const other = { members: [{ id: "player-other" }] };
  const world = await startWorld(
    [
      aMatch({ id: "match-a", createdAt: newestMatch, rosters: [zoe, other] }),
      aMatch({ id: "match-b", createdAt: newestMatch - 1000, rosters: [other, zoe] }),
      aMatch({ id: "match-c", createdAt: newestMatch + 500, mode: "practice" }),
    ],
    { "open-requests-per-minute": "60" },
    undefined,
    "[tiers.hobby]\n[tiers.partner]\nrate = 6000\n",
  );
  const make = (name: string, options = {}) => makeKey(world, { name, ...options });
  const keys = {
    hobbyist: await make("Secret Name of a Hobbyist"),
    partner: await make("Secret Name of a Partner", { tier: "partner" }),
    hurried: await make("in a hurry", { rate: 1 }),
    greedy: await make("wants it all", { matchesPerDay: 1 }),
  };
  const events: Event[] = [];
  const server = await serve(
    {
      ...world.settings,
      "admin-port": { host: "127.0.0.1", port: 0 },
      "admin-token": TOKEN,
      ...settings,
    },
    (event) => events.push(event),
    { now: () => now, monotonic: () => performance.now() },
    undefined,
    undefined,
    maintenancePace,
  );
  interface Wishes {
    as?: keyof typeof keys;
    key?: string;
    method?: string;
  }
  return {
    /** The server's clock; it stands still. */
    now,
    newestMatch,
    /** By their role in the traffic. */
    keys,
    /** Everything the server logged. */
    events,
    /** Sends a request, without a key unless one is named, and returns its status. */
    async ask(path: string, { as, key = as && keys[as].key, method = "GET" }: Wishes = {}) {
      const headers: Record<string, string> = { Accept: "application/vnd.api+json" };
      if (key !== undefined) headers.Authorization = `Bearer ${key}`;
      const reply = await fetch(`${server.url}${path}`, { method, headers });
      await reply.arrayBuffer();
      return reply.status;
    },
    /** Must be the first request to the admin listener. */
    async upload(text: string) {
      const { status } = await uploadTo(server.adminUrl!, text);
      // The server logs an upload shortly after the last byte of the response.
      const isTold = () => events.some(({ event }) => event === "admin-request");
      while (!isTold()) await new Promise((resolve) => setImmediate(resolve));
      return status;
    },
    async scrape() {
      const reply = await fetch(`${server.adminUrl}/metrics`, { headers: AUTHORIZATION });
      const text = await reply.text();
      if (reply.status !== 200) throw new Error(`${reply.status}: ${text}`);
      return { text, contentType: reply.headers.get("content-type"), read: readScrape(text) };
    },
    /** Damages the newest match of a shard. */
    damage(shard: string) {
      sqliteRows(join(world.data, `${shard}.db`)).change(
        "match",
        { id: "match-a" },
        { document: new Uint8Array(100) },
      );
    },
    /** Overwrites a shard's file so that the server cannot read it. */
    spoil(shard: string) {
      writeDamagedShard(join(world.data, `${shard}.db`));
    },
    async stop() {
      await server.stop("test");
      await world.stop();
    },
  };
}

/** One request of every kind that metrics distinguish. */
export async function makeTraffic({ ask, upload, spoil }: Monitored): Promise<void> {
  const matches = "/shards/na/matches";
  for (let time = 0; time < 3; time++) await ask(matches, { as: "hobbyist" });
  await ask(`${matches}?filter[playerNames]=Zoe%20of%20Tests`, { as: "partner" });
  await ask(matches, { as: "partner", method: "HEAD" });
  await ask(`${matches}/match-a`, { as: "partner" });
  await ask(`${matches}/match-none`, { as: "partner" });
  await ask("/shards/na/players/player-zoe", { as: "partner" });
  await ask("/usage", { as: "partner" });
  await ask("/some/secret-address");
  await ask("/status", { method: "PROPFIND" });
  await ask(`${matches}?nonsense=1`, { as: "hobbyist" });
  await ask(matches);
  await ask(matches, { as: "hurried" });
  await ask(matches, { as: "hurried" });
  await ask(`${matches}/match-a`, { as: "greedy" });
  await ask(`${matches}/match-b`, { as: "greedy" });
  for (let guess = 0; guess < 4; guess++) await ask(matches, { key: "mb_wrong" });
  await upload(
    `${JSON.stringify(aMatch({ id: "match-d", shard: "sa" }))}\n{"data":{"type":"match"}}\n`,
  );
  spoil("eu");
  await ask("/status");
}
