/** A server with the default settings, as docs/settings.md has them: its limits, and that it refuses what is too much. */

import { afterAll, describe, expect, test } from "bun:test";
import type { Clock } from "../../src/access/clock.ts";
import { makeKey } from "../../src/access/key.ts";
import { unobserved } from "../../src/observe/events.ts";
import { openAccess } from "../../src/open-access.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { SqliteReader } from "../../src/store/sqlite/reader.ts";
import { serve } from "../../src/wiring.ts";
import { TestClock } from "../support/keys.ts";
import { expectProblem } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { exchangeAtOnce } from "../support/wire.ts";
import { JSON_API, startWorld } from "../support/world.ts";

const world = await startWorld([
  aMatch({ id: "match-na" }),
  aMatch({ id: "match-eu", shard: "eu" }),
]);
const access = openAccess({ data: world.data });
/** For tests of other limits than the rate. */
const { key: fastKey } = await access.keys.create({ name: "fast", rate: 1_000_000 }, Date.now());
await access.close();
afterAll(() => world.stop());

const MATCH = "/shards/na/matches/match-na";

/** Only what must differ between two servers on a machine is set. */
async function serving(clock: Clock = new TestClock()) {
  const flags = { data: world.data, port: "0" };
  const { values } = loadSettings({ flags, env: {}, cwd: world.data });
  const server = await serve(values, unobserved, clock);
  const get = (path: string, key: string | null = world.key) =>
    world.get(server.url + path, { Authorization: key === null ? null : `Bearer ${key}` });
  return { url: server.url, get, [Symbol.asyncDispose]: () => server.stop("test", 0) };
}

describe("by default", () => {
  test("an address may send 30 invalid keys a minute", async () => {
    const clock = new TestClock();
    await using site = await serving(clock);
    const guess = async () => (await site.get(MATCH, makeKey())).status;
    for (let count = 0; count < 30; count++) expect(await guess()).toBe(401);
    expect(await guess()).toBe(429);
    clock.advance(2000);
    expect([await guess(), await guess()]).toEqual([401, 429]);
  });

  test("an address may send 600 requests without a key a minute, and any number of health checks", async () => {
    await using site = await serving();
    for (let count = 0; count < 600; count++) {
      expect((await site.get("/status", null)).status).toBe(200);
    }
    expect((await site.get("/status", null)).status).toBe(429);
    expect((await site.get("/healthz", null)).status).toBe(200);
  });

  test("more than 256 requests that wait for the database of a shard are refused, and no others, until it responds", async () => {
    const { match } = SqliteReader.prototype;
    const released = Promise.withResolvers<void>();
    let waiting = 0;
    // A database that does not respond.
    SqliteReader.prototype.match = function (this: SqliteReader, id) {
      if (id === "match-eu") return match.call(this, id);
      waiting += 1;
      return released.promise.then(() => match.call(this, id)) as never;
    };
    try {
      await using site = await serving();
      const lines = (path: string) => [
        ...[`GET ${path} HTTP/1.1`, "Host: here", `Authorization: Bearer ${fastKey}`],
        `Accept: ${JSON_API}`,
      ];
      const requests = Array.from({ length: 255 }, (_, at) => lines(`/shards/na/matches/m${at}`));
      const held = exchangeAtOnce(site.url, [...requests, lines(MATCH)]);
      await until("256 requests wait", () => waiting === 256);
      const refused = await site.get(MATCH, fastKey);
      expectProblem(refused, "overloaded");
      expect(refused.headers.get("retry-after")).toBe("1");
      expect((await site.get("/shards/eu/matches/match-eu", fastKey)).status).toBe(200);
      expect((await site.get("/healthz", null)).status).toBe(200);
      expect(waiting).toBe(256);
      released.resolve();
      const statuses = (await held).map(({ status }) => status);
      expect(statuses).toEqual([...Array<number>(255).fill(404), 200]);
      expect((await site.get(MATCH, fastKey)).status).toBe(200);
    } finally {
      released.resolve();
      SqliteReader.prototype.match = match;
    }
  });
});
