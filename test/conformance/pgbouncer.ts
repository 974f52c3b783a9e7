/**
 * In charge of running the store conformance suite through a pgbouncer that lends a connection for one
 * transaction at a time. Older ones cannot carry prepared statements, so none may be used.
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startPgbouncer } from "../support/pgbouncer.ts";
import { type Cluster, startCluster } from "../support/postgres.ts";
import { emptyShard } from "./postgres-stores.ts";
import { storeConformance } from "./suite.ts";

let cluster: Cluster;
let pgbouncer: Awaited<ReturnType<typeof startPgbouncer>>;
beforeAll(async () => {
  cluster = await startCluster(["log_statement = 'all'"]);
  pgbouncer = await startPgbouncer(cluster.port);
});
afterAll(async () => {
  await pgbouncer.stop();
  cluster.remove();
});

storeConformance("PostgreSQL behind pgbouncer", () =>
  emptyShard(`postgres://matchbook@127.0.0.1:${pgbouncer.port}/postgres`, false),
);

test("no statement has a name that a connection would have to know", () => {
  const log = readFileSync(join(cluster.folder, "log"), "utf8");
  const executed = [...log.matchAll(/LOG: {2}execute (\S+): /g)].map(([, name]) => name);
  expect(executed.length).toBeGreaterThan(1000);
  expect(new Set(executed)).toEqual(new Set(["<unnamed>"]));
  expect(pgbouncer.log()).not.toContain("prepared statement");
});
