/** Limits that servers share through Redis with TLS, and invalid certificates. */

import { beforeAll, expect, test } from "bun:test";
import { type Authority, authorityFile, makeAuthority } from "../support/certificates.ts";
import { startServerProcess } from "../support/process.ts";
import { startRedis } from "../support/redis.ts";
import { sharedFolder } from "../support/shared.ts";
import { getAs } from "../support/world.ts";

const folder = sharedFolder();
let authority: Authority;
beforeAll(() => {
  authority = makeAuthority(folder, "authority");
});

const trusting = { NODE_EXTRA_CA_CERTS: authorityFile(folder, "authority") };

// "ok" when a script has written something. What limits are then: shared-limits.ts.
test.each([
  ["from a trusted CA is used", "IP:127.0.0.1", trusting, "ok"],
  ["from an untrusted CA is not used; limits are local", "IP:127.0.0.1", {}, "unavailable"],
  ["for another name is not used either", "DNS:redis.example", trusting, "unavailable"],
] as const)("a Redis with TLS, with a certificate %s", async (_, name, env, state) => {
  const { certificate, key } = authority.sign(name);
  const redis = await startRedis([], { certificate, key, authority: authority.file });
  // A process reads the system's CAs and additional ones.
  const server = await startServerProcess(["--data", folder, "--drain-ms", "0"], {
    env: { MATCHBOOK_REDIS: redis.url, ...env },
  });
  const { body } = await getAs({ ...server, key: "" }, "/status");
  expect(body.sharedLimits).toBe(state);
  expect(await server.end()).toBe(0);
  await redis.remove();
});
