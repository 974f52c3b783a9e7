/** Tests error documents: what failures reveal, and when limits are looked at. The order of the other checks is in requests.test.ts. */

import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { writeDamagedShard } from "../support/damaged-shard.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld([
  aMatch({ id: "match-a" }),
  aMatch({ id: "match-b", shard: "hurt" }),
]);
const HURT = Uint8Array.of(0, 0, 0, 0, 0x0b, 0xad, 0xca, 0xfe);
sqliteRows(join(world.data, "hurt.db")).change("match", {}, { document: HURT });
writeDamagedShard(join(world.data, "away.db"));
// Its clock stands still, so that nothing is refilled.
const server = await serveWithKeys(world, [{ rate: 1 }], {}, new TestClock());
await server.ask("/shards/na/players");
afterAll(async () => {
  await server.stop();
  await world.stop();
});

const M = "/shards/na/matches";

describe("failures of the service itself", () => {
  test.each(["/shards/hurt/matches/match-b", "/shards/hurt/matches", "/shards/away/matches"])(
    "reveal no internals: %s",
    async (path) => {
      const { status, text, headers } = await world.get(path);
      expect(status).toBeGreaterThanOrEqual(500);
      const all = text + JSON.stringify([...headers]);
      expect(all).not.toContain(world.data);
      expect(all).not.toMatch(/sqlite|SQLite|fragment|checksum|\.ts|Error| {4}at /);
      // Charged like any other.
      expect(headers.get("ratelimit")).not.toBeNull();
    },
  );
});

describe("the rate limit is looked at", () => {
  test.each([
    ["Accept", M, { Accept: "text/html" }],
    ["the shard", "/shards/nowhere/matches", {}],
    ["parameters", `${M}?nonsense=1`, {}],
  ])("before %s", async (_, path, headers) => {
    expect(problemIn(await server.ask(path, headers)).code).toBe("rate-limited");
  });

  test("after credentials", async () => {
    const clock = new TestClock();
    const terms = { rate: 1, burst: 1, expiresAt: clock.now() + 1000 };
    await using other = await startWorld([aMatch()]);
    await using limited = await serveWithKeys(other, [terms], {}, clock);
    const request = async () => (await limited.ask(M)).status;
    expect([await request(), await request()]).toEqual([200, 429]);
    clock.advance(2000);
    expect(await request()).toBe(401);
  });
});
