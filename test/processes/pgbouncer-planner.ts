/** In charge of docs/scaling.md on pgbouncer: what is lost there, and that both ways given bring it back. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { IN_INDEX_ORDER, sessionForReading } from "../../src/store/postgres/session.ts";
import { startPgbouncer } from "../support/pgbouncer.ts";
import { type Cluster, startCluster } from "../support/postgres.ts";
import { ROOT } from "../support/process.ts";

const page = readFileSync(join(ROOT, "docs/scaling.md"), "utf8");
const section = page.slice(
  page.indexOf("### Behind pgbouncer"),
  page.indexOf("### Moving a shard"),
);
const block = (language: string) =>
  section.split(`\`\`\`${language}\n`)[1]!.split("```")[0]!.trimEnd();

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

/** The settings that a reader's connection has, of those that readers want. */
async function settingsThrough(port: number): Promise<Record<string, string>> {
  const session = sessionForReading({
    url: `postgres://matchbook@127.0.0.1:${port}/postgres`,
    shown: "the test's",
    schema: "public",
    prepares: false,
    pool: 2,
  });
  const rows = await session.rows<{ name: string; setting: string }>(
    "SELECT name, setting FROM pg_settings WHERE name = ANY($1::text[])",
    [Object.keys(IN_INDEX_ORDER)],
  );
  await session.close();
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

async function through(more: string): Promise<Record<string, string>> {
  const pgbouncer = await startPgbouncer(cluster.port, more);
  try {
    return await settingsThrough(pgbouncer.port);
  } finally {
    await pgbouncer.stop();
  }
}

test("without pgbouncer, readers have their settings", async () => {
  expect(await settingsThrough(cluster.port)).toEqual(IN_INDEX_ORDER);
});

test("through pgbouncer they are lost, and readers are served all the same", async () => {
  expect(await through("")).toMatchObject({ enable_seqscan: "on", enable_sort: "on" });
});

test("a connect_query as in the guide gives all of them", async () => {
  const query = /connect_query='[^']*'/.exec(block("ini"))![0];
  expect(await through(query)).toEqual(IN_INDEX_ORDER);
});

test("defaults of the user as in the guide give all of them", async () => {
  const sql = new SQL(cluster.url, { max: 1 });
  for (const statement of block("sql").split("\n")) await sql.unsafe(statement);
  await sql.close();
  expect(await through("")).toEqual(IN_INDEX_ORDER);
});
