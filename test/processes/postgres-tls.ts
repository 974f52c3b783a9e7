/** Shards in a PostgreSQL that takes connections with TLS only, and certificates that do not verify. */

import { beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { authorityFile, makeAuthority } from "../support/certificates.ts";
import { giveAway, startCluster } from "../support/postgres.ts";
import { startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { shared, sharedFolder } from "../support/shared.ts";
import { aFolder, startWorld } from "../support/world.ts";

const folder = sharedFolder();
const KNOWN = authorityFile(folder, "known");
const OTHER_CA = authorityFile(folder, "other");

/** Two addresses of this machine: the certificate is for the first. */
const [NAMED, OTHER] = ["127.0.0.1", "127.0.0.2"];
const cluster = shared(() => startCluster([`listen_addresses = '${NAMED},${OTHER}'`]));
beforeAll(async () => {
  makeAuthority(folder, "other");
  await onlyTls(makeAuthority(folder, "known").sign(`IP:${NAMED}`));
  const world = await startWorld([], {}, undefined, shardAt(urlAt(NAMED, "sslmode=require")));
  await world.ingest([aMatch({ id: "match-0" })]);
  await world.stop();
});

/** Refuses connections without TLS. */
async function onlyTls({ certificate, key }: { certificate: string; key: string }): Promise<void> {
  const data = join(cluster.folder, "data");
  for (const [from, name] of [
    [certificate, "server.crt"],
    [key, "server.key"],
  ] as const) {
    copyFileSync(from, join(data, name));
    chmodSync(join(data, name), 0o600);
    giveAway(join(data, name));
  }
  writeFileSync(join(data, "pg_hba.conf"), "hostssl all all 127.0.0.0/8 trust\n");
  writeFileSync(join(data, "postgresql.auto.conf"), "ssl = on\n");
  await cluster.stop();
  await cluster.start();
}

const urlAt = (host: string, parameters: string) => {
  const url = cluster.url.replace(NAMED, host);
  return `${url}?schema=tls${parameters === "" ? "" : `&${parameters}`}`;
};
const shardAt = (url: string) => `[shards.na]\nurl = "${url}"\n`;
const TRUSTED = `sslrootcert=${KNOWN}`;

/** What a reader gets from a server with this shard, in which a match was stored before. */
async function readVia(host: string, parameters: string): Promise<[ready: number, match: number]> {
  const world = await startWorld([], {}, undefined, shardAt(urlAt(host, parameters)));
  const ready = await world.get("/readyz", { Accept: null });
  const match = await world.get("/shards/na/matches/match-0");
  await world.stop();
  return [ready.status, match.status];
}

describe("a PostgreSQL with TLS", () => {
  test.each([
    ["sslmode=require, whatever its certificate", OTHER, "sslmode=require"],
    [
      "sslmode=verify-ca, whatever name is in its certificate",
      OTHER,
      `sslmode=verify-ca&${TRUSTED}`,
    ],
    ["sslmode=verify-full", NAMED, `sslmode=verify-full&${TRUSTED}`],
  ])("is read with %s", async (_, host, parameters) => {
    expect(await readVia(host, parameters)).toEqual([200, 200]);
  });

  test.each([
    ["without TLS", NAMED, ""],
    ["if its CA is unknown", NAMED, "sslmode=verify-full"],
    ["if its CA is another one", NAMED, `sslmode=verify-full&sslrootcert=${OTHER_CA}`],
    [
      "if its CA is another one, with verify-ca",
      NAMED,
      `sslmode=verify-ca&sslrootcert=${OTHER_CA}`,
    ],
    ["if its certificate is for another address", OTHER, `sslmode=verify-full&${TRUSTED}`],
  ])("is not used %s: the shard is unavailable", async (_, host, parameters) => {
    expect(await readVia(host, parameters)).toEqual([503, 503]);
  });

  test("is verified with the CAs that the process trusts", async () => {
    using home = aFolder();
    writeFileSync(join(home.path, "matchbook.toml"), shardAt(urlAt(NAMED, "sslmode=verify-full")));
    const readiness = async (env: Record<string, string>) => {
      const server = await startServerProcess(["--data", home.path, "--drain-ms", "0"], {
        env: { MATCHBOOK_CONFIG: join(home.path, "matchbook.toml"), ...env },
      });
      const { status } = await fetch(`${server.url}/readyz`);
      await server.end();
      return status;
    };
    expect(await readiness({ NODE_EXTRA_CA_CERTS: KNOWN })).toBe(200);
    expect(await readiness({})).toBe(503);
  });
});
