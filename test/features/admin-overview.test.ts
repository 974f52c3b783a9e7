/** GET /overview on the admin listener, and the page that shows it. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { type AdminWorld, ndjson, startAdminWorld } from "../support/admin.ts";
import { buildPortal } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";

interface Shard {
  id: string;
  [member: string]: unknown;
}

let world: AdminWorld;
beforeAll(async () => {
  world = await startAdminWorld([
    aMatch({ shard: "eu" }),
    aMatch({ shard: "na" }),
    aMatch({ shard: "na", mode: "practice" }),
  ]);
});
afterAll(() => world.stop());

const overview = async () => (await world.ask("GET", "/overview")).body;

async function shard(id: string): Promise<Shard> {
  return (await overview()).shards.find((one: Shard) => one.id === id);
}

const get = async (path: string) => (await world.get(path)).status;

describe("the overview", () => {
  test("counts what each shard serves", async () => {
    expect(await shard("na")).toMatchObject({ available: true, matches: 1 });
    expect(await shard("eu")).toMatchObject({ matches: 1 });
  });

  test("counts requests by shard and result, with their latency, and the usage of keys", async () => {
    const before = (await overview()).requests;
    expect(await get("/shards/eu/players")).toBe(200);
    expect(await get("/shards/eu/players?nonsense=1")).toBe(400);
    expect(await get("/shards/nowhere/players")).toBe(404);
    // Usage is stored every two seconds.
    const body = await until("they are counted", async () => {
      const now = await overview();
      return now.requests === before + 3 && now.keys[0].requestsToday === 3 ? now : undefined;
    });
    const [eu] = body.shards;
    expect(eu).toMatchObject({ id: "eu", requests: { ok: 1, refused: 1 } });
    expect(Object.keys(eu.milliseconds)).toEqual(["p50", "p95", "p99"]);
    expect(eu.milliseconds.p50 > 0 && eu.milliseconds.p50 <= eu.milliseconds.p99).toBe(true);
    expect(body.shards.map(({ id }: Shard) => id)).toEqual(["eu", "na"]);
    expect(body.errors).toMatchObject({ "unknown-parameter": 1, "unknown-shard": 1 });
    // Clients must not be able to create metrics.
    expect((await world.ask("GET", "/metrics")).text).not.toContain('shard="nowhere"');
    expect(body.keyCount).toBe(body.keys.length);
    expect(body.keys[0]).toMatchObject({ state: "live", requestsToday: 3, errorsToday: 2 });
  });

  test("has the requests, errors and latency of each minute of the last hour, and no more", async () => {
    let now = Date.UTC(2026, 2, 14, 18);
    let passed = 0;
    const clock = { now: () => now, monotonic: () => performance.now() + passed };
    await using still = await startAdminWorld([aMatch({ shard: "na" })], {}, undefined, clock);
    const lastHour = async () => {
      // Readings are shared for a second.
      passed += 1000;
      return (await still.ask("GET", "/overview")).body.lastHour;
    };
    await still.get("/shards/na/players");
    await still.get("/shards/na/players?nonsense=1");
    expect(await lastHour()).toEqual([
      { at: "2026-03-14T18:00:00Z", requests: 2, errors: 1, p95: expect.any(Number) },
    ]);
    now += 60_000;
    await lastHour();
    await still.get("/shards/na/players");
    expect((await lastHour()).at(-1)).toEqual({
      at: "2026-03-14T18:01:00Z",
      requests: 1,
      errors: 0,
      p95: expect.any(Number),
    });
    for (let minute = 0; minute < 70; minute++) {
      now += 60_000;
      await lastHour();
    }
    const minutes = await lastHour();
    expect([minutes.length, minutes.at(-1)]).toEqual([
      60,
      { at: "2026-03-14T19:11:00Z", requests: 0, errors: 0, p95: null },
    ]);
  });

  test("counts what is added, also in a new shard", async () => {
    const sent = [aMatch({ shard: "na" }), aMatch({ shard: "sa" })];
    expect((await world.upload(ndjson(sent))).status).toBe(200);
    await until("it is counted", async () => (await shard("sa")) !== undefined);
    expect(await shard("na")).toMatchObject({ matches: 2 });
    expect(await shard("sa")).toMatchObject({ matches: 1 });
    expect((await overview()).uploads).toEqual({ stored: 2 });
  });
});

describe("the page", () => {
  beforeAll(() => buildPortal(), 120_000);

  test("needs no token, has the headers of the portal, and loads only what is here", async () => {
    const page = await world.ask("GET", "/", undefined, { Authorization: null });
    expect(page.status).toBe(200);
    const portal = await fetch(`${world.url}/`);
    for (const name of ["Content-Security-Policy", "Referrer-Policy", "X-Content-Type-Options"]) {
      expect([name, page.headers.get(name)]).toEqual([name, portal.headers.get(name)]);
    }
    const files = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path!);
    expect(files).toHaveLength(2);
    for (const path of files) {
      const file = await world.ask("GET", path, undefined, { Authorization: null });
      expect([path, file.status]).toEqual([path, 200]);
    }
  });

  test("is compressed for those who accept it", async () => {
    const plain = await world.ask("GET", "/", undefined, { "Accept-Encoding": "identity" });
    const response = await fetch(world.adminUrl, {
      headers: { "Accept-Encoding": "gzip" },
      decompress: false,
    });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(await response.arrayBuffer()).toString()).toBe(plain.text);
  });

  test("an unknown asset needs the token, like every unknown path", async () => {
    const path = "/portal/assets/nothing.js";
    const without = await world.ask("GET", path, undefined, { Authorization: null });
    expect(without.status).toBe(401);
    expect((await world.ask("GET", path)).status).toBe(404);
  });
});
