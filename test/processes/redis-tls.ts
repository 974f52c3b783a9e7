/** Limits that two servers share through Redis with TLS, and invalid certificates. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAccess } from "../../src/open-stores.ts";
import { startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { startRedis } from "../support/redis.ts";
import { aFolder, JSON_API, startWorld } from "../support/world.ts";

setDefaultTimeout(60_000);

const DAYS = ["-days", "2"];
const AUTHORITY = "authority.crt";
const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

const folder = aFolder();
let authority: Authority;
beforeAll(() => {
  authority = makeAuthority(folder.path);
});
const world = await startWorld([aMatch({ id: "match-0" })]);
afterAll(async () => {
  await world.stop();
  folder.remove();
});

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
    sharedLimits: async () =>
      ((await (await fetch(`${server.url}/status`)).json()) as { sharedLimits: string })
        .sharedLimits,
    async get(key: string): Promise<number> {
      const reply = await fetch(`${server.url}/shards/na/matches/match-0`, {
        headers: { Authorization: `Bearer ${key}`, Accept: JSON_API },
      });
      await reply.arrayBuffer();
      return reply.status;
    },
  };
}

const trusting = { NODE_EXTRA_CA_CERTS: join(folder.path, AUTHORITY) };

describe("a Redis with TLS", () => {
  test("is shared by servers that trust its CA", async () => {
    const redis = await redisFor("IP:127.0.0.1");
    const access = openAccess({ data: world.data });
    const { key } = await access.keys.create({ name: "test", rate: 1, burst: 6 }, Date.now());
    await access.close();
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

interface Authority {
  /** Its certificate file. */
  file: string;
  /** A certificate for these names, e.g. "DNS:localhost,IP:127.0.0.1", and its key, as files. */
  sign(names: string): { certificate: string; key: string };
}

function makeAuthority(folder: string): Authority {
  const inFolder = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const [file, ownKey] = [inFolder(AUTHORITY), inFolder("authority.key")];
  const subject = ["-subj", "/CN=an authority of the tests"];
  openssl("req", "-x509", ...NEW_KEY, "-keyout", ownKey, "-out", file, ...DAYS, ...subject);
  let made = 0;
  return {
    file,
    sign(names) {
      const name = `signed-${++made}`;
      const [key, request, certificate, extensions] = ["key", "csr", "crt", "ext"].map((suffix) =>
        inFolder(`${name}.${suffix}`),
      ) as [string, string, string, string];
      openssl("req", ...NEW_KEY, "-keyout", key, "-out", request, "-subj", `/CN=${name}`);
      writeFileSync(extensions, `subjectAltName=${names}\n`);
      const signer = ["-CA", file, "-CAkey", ownKey, "-CAcreateserial"];
      const given = ["-in", request, "-out", certificate, "-extfile", extensions];
      openssl("x509", "-req", ...given, ...signer, ...DAYS);
      return { certificate, key };
    },
  };
}
