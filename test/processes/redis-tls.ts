/** Limits that two servers share through Redis with TLS, and invalid certificates. */

import { beforeAll, describe, expect, test } from "bun:test";
import { type Authority, authorityFile, makeAuthority } from "../support/certificates.ts";
import { startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { startRedis } from "../support/redis.ts";
import { shared, sharedFolder } from "../support/shared.ts";
import { getAs, makeKey, startWorld } from "../support/world.ts";

const folder = sharedFolder();
let authority: Authority;
beforeAll(() => {
  authority = makeAuthority(folder, "authority");
});
const world = shared(() => startWorld([aMatch({ id: "match-0" })]));

/** A Redis with TLS only, with a certificate for these names. */
function redisFor(names: string, signer: Authority = authority) {
  const { certificate, key } = signer.sign(names);
  return startRedis([], { certificate, key, authority: signer.file });
}

/** A server process, which reads the system's CAs and additional ones. */
async function serving(redis: string, env: Record<string, string> = {}) {
  const server = await startServerProcess(["--data", world.data, "--rate", "1000000"], {
    env: { MATCHBOOK_REDIS: redis, MATCHBOOK_DRAIN_MS: "0", ...env },
  });
  return {
    end: () => server.end(),
    sharedLimits: async () => (await getAs({ ...server, key: "" }, "/status")).body.sharedLimits,
    get: async (key: string) =>
      (await getAs({ ...server, key }, "/shards/na/matches/match-0")).status,
  };
}

const trusting = { NODE_EXTRA_CA_CERTS: authorityFile(folder, "authority") };

describe("a Redis with TLS", () => {
  test("is shared by servers that trust its CA", async () => {
    const redis = await redisFor("IP:127.0.0.1");
    const { key } = await makeKey(world, { rate: 1, burst: 6 });
    const servers = [await serving(redis.url, trusting), await serving(redis.url, trusting)];
    expect(await Promise.all(servers.map((server) => server.sharedLimits()))).toEqual(["ok", "ok"]);
    const statuses: number[] = [];
    for (let sent = 0; sent < 20; sent++) statuses.push(await servers[sent % 2]!.get(key));
    // The bucket's capacity plus a possible refill; two buckets would allow twice as much.
    expect(statuses.filter((status) => status === 200).length).toBeWithin(6, 10);
    expect(await Promise.all(servers.map((server) => server.end()))).toEqual([0, 0]);
    await redis.remove();
  });

  test.each([
    ["from an untrusted CA", () => redisFor("IP:127.0.0.1"), {}],
    ["for another name", () => redisFor("DNS:redis.example"), trusting],
  ])("with a certificate %s is not used; limits are local", async (_, start, env) => {
    const redis = await start();
    const server = await serving(redis.url, env);
    expect(await server.sharedLimits()).toBe("unavailable");
    expect(await server.end()).toBe(0);
    await redis.remove();
  });
});
