/**
 * Shards behind pgbouncer in transaction mode. Older versions do not support prepared statements,
 * so none may be used.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { IN_INDEX_ORDER, Session } from "../../src/store/postgres/session.ts";
import { type Cluster, giveAway, startCluster } from "../support/postgres.ts";
import { ROOT } from "../support/process.ts";
import { onFreePort } from "../support/redis.ts";
import { start } from "../trial/failover/programs.ts";
import { emptyShards } from "./postgres-stores.ts";
import { storeConformance } from "./suite.ts";

let cluster: Cluster;
let pgbouncer: Awaited<ReturnType<typeof startPgbouncer>>;
beforeAll(async () => {
  cluster = await startCluster(["log_statement = 'all'"]);
  pgbouncer = await startPgbouncer(cluster.port);
});
const shards = emptyShards(
  () => `postgres://matchbook@127.0.0.1:${pgbouncer.port}/postgres`,
  false,
);
afterAll(async () => {
  await shards.remove();
  await pgbouncer.stop();
  cluster.remove();
});

// A pooler can break transactions and unprepared statements: these have all of them.
const TOPICS = ["compared with a model", "writing", "records"];
storeConformance("PostgreSQL behind pgbouncer", shards.make, (topic) => TOPICS.includes(topic));

test("no statement is prepared by name", () => {
  const log = readFileSync(join(cluster.folder, "log"), "utf8");
  const executed = [...log.matchAll(/LOG: {2}execute (\S+): /g)].map(([, name]) => name);
  expect(executed.length).toBeGreaterThan(1000);
  expect(new Set(executed)).toEqual(new Set(["<unnamed>"]));
  expect(pgbouncer.log()).not.toContain("prepared statement");
});

describe("the planner settings in docs/scaling.md", () => {
  const page = readFileSync(join(ROOT, "docs/scaling.md"), "utf8");
  const section = page.slice(
    page.indexOf("### Behind pgbouncer"),
    page.indexOf("### Moving a shard"),
  );
  const statements = section.split("```sql\n")[1]!.split("```")[0]!.trimEnd().split("\n");

  test("without pgbouncer, readers have their settings", async () => {
    expect(await settingsThrough(cluster.port)).toEqual(IN_INDEX_ORDER);
  });

  test.each(["statement", "transaction"] as const)(
    "through pgbouncer they are lost, and reads still work: a %s comes first",
    async (first) => {
      expect(await through("", first)).toMatchObject({ enable_seqscan: "on", enable_sort: "on" });
    },
  );

  test("the connect_query of deploy/pgbouncer.ini sets all of them", async () => {
    const pooler = readFileSync(join(ROOT, "deploy/pgbouncer.ini"), "utf8");
    const query = /connect_query='[^']*'/.exec(pooler)![0];
    expect(await through(query)).toEqual(IN_INDEX_ORDER);
  });

  test("defaults of the user as in the guide set all of them", async () => {
    const sql = new SQL(cluster.url, { max: 1 });
    for (const statement of statements) await sql.unsafe(statement);
    await sql.close();
    expect(await through("")).toEqual(IN_INDEX_ORDER);
  });

  /** The planner settings of a reader's connection. */
  async function settingsThrough(
    port: number,
    first: "statement" | "transaction" = "statement",
  ): Promise<Record<string, string>> {
    const url = `postgres://matchbook@127.0.0.1:${port}/postgres`;
    const target = { url, shown: "the test's", schema: "public", prepares: false, pool: 2 };
    const session = new Session(target, undefined, IN_INDEX_ORDER);
    const read = (connection: Pick<Session, "rows">) =>
      connection.rows<{ name: string; setting: string }>(
        "SELECT name, setting FROM pg_settings WHERE name = ANY($1::text[])",
        [Object.keys(IN_INDEX_ORDER)],
      );
    const rows = await (first === "statement" ? read(session) : session.snapshot(read));
    await session.close();
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  }

  async function through(
    more: string,
    first?: "statement" | "transaction",
  ): Promise<Record<string, string>> {
    const pgbouncer = await startPgbouncer(cluster.port, more);
    try {
      return await settingsThrough(pgbouncer.port, first);
    } finally {
      await pgbouncer.stop();
    }
  }
});

/**
 * Starts pgbouncer in front of the server, with few connections, so that they are shared. `more` is
 * added to the database's line in its configuration.
 */
const startPgbouncer = (serverPort: number, more = "") =>
  onFreePort((port) => startPgbouncerAt(port, serverPort, more));

async function startPgbouncerAt(port: number, serverPort: number, more: string) {
  const folder = mkdtempSync(join(tmpdir(), "matchbook-pgbouncer-"));
  const settings = join(folder, "pgbouncer.ini");
  const users = join(folder, "users.txt");
  writeFileSync(users, '"matchbook" ""\n');
  writeFileSync(
    settings,
    [
      "[databases]",
      `* = host=127.0.0.1 port=${serverPort} ${more}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = trust",
      `auth_file = ${users}`,
      "pool_mode = transaction",
      "default_pool_size = 4",
      "max_client_conn = 200",
      "verbose = 1",
      "",
    ].join("\n"),
  );
  for (const path of [folder, settings, users]) giveAway(path);
  const child = start("pgbouncer", [settings], folder, "log");
  const said = () => readFileSync(join(folder, "log"), "utf8");
  while (!said().includes("process up")) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended at once:\n${said()}`);
    await Bun.sleep(20);
  }
  return {
    port,
    /** Its output so far. */
    log: said,
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
