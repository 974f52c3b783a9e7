/**
 * What is acknowledged is on the disk of PostgreSQL, also where commits do not wait for it by default. All processes of
 * the database are killed: what was only in its memory is lost.
 */

import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { hasFeature } from "../support/endpoints.ts";
import { doneAt, homeAt, linesOf, matchbookAt } from "../support/places.ts";
import { startCluster } from "../support/postgres.ts";
import { shared, sharedFolder } from "../support/shared.ts";

const lines = linesOf("na", 30, Date.now() - 3_600_000);
const folder = sharedFolder();
// What is not written by a commit stays in memory for longer than the test takes.
const cluster = shared(() =>
  startCluster(["fsync = on", "wal_writer_delay = 10s", "autovacuum = off"]),
);
let home: string;

beforeAll(async () => {
  await execute("ALTER DATABASE postgres SET synchronous_commit = off");
  home = homeAt(join(folder, "home"), `${cluster.url}?schema=durable`);
});

/** Each statement alone: ALTER SYSTEM cannot be part of a transaction. */
async function execute(...statements: string[]): Promise<void> {
  const sql = new Bun.SQL(cluster.url, { max: 1 });
  for (const one of statements) await sql.unsafe(one);
  await sql.close();
}

async function crash(): Promise<void> {
  await cluster.kill();
  await cluster.start();
}

async function idsStored(): Promise<string[]> {
  return (await doneAt(home, ["export", "na"]))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).data.id)
    .sort();
}

/** With the keys in a schema. */
const doneIn = async (schema: string, ...args: string[]) =>
  (await doneAt(home, [...args, "--keys-database", `${cluster.url}?schema=${schema}`])).trim();

const idsOf = (some: readonly string[]) => some.map((line) => JSON.parse(line).data.id).sort();

test("every record of an ingest survives a crash of the database right after its report", async () => {
  for (const end of [1, 10, 30]) {
    await doneAt(home, ["ingest", "-"], lines.slice(0, end).join("\n"));
    await crash();
    expect(await idsStored()).toEqual(idsOf(lines.slice(0, end)));
  }
  await doneAt(home, ["verify", "--full-speed"]);
});

test("so do a new key and a key that was revoked", async () => {
  const keys = (...args: string[]) => doneIn("durable_keys", "keys", ...args);
  await keys("create", "--name", "one");
  await crash();
  const [made] = JSON.parse(await keys("list", "--json"));
  expect(made).toMatchObject({ name: "one", revokedAt: null });
  await keys("revoke", made.id);
  await crash();
  const [revoked] = JSON.parse(await keys("list", "--json"));
  expect(revoked.revokedAt).toBeString();
});

if (hasFeature("webhooks"))
  test("so does the new secret of a webhook", async () => {
    const run = (...args: string[]) => doneIn("durable_hooks", ...args);
    await run("keys", "create", "--name", "one");
    const [{ id: key }] = JSON.parse(await run("keys", "list", "--json"));
    const id = await run("hooks", "add", "--key", key, "--url", "https://example.com/hook");
    const secret = () => run("hooks", "show", id, "--secret");
    const before = await secret();
    await run("hooks", "rotate-secret", id);
    const after = await secret();
    await crash();
    expect(await secret()).toBe(after);
    expect(after).not.toBe(before);
  });

test("doctor warns if the database does not wait for its disk, or writes incomplete pages to its log", async () => {
  const complaints = async () => {
    const { stdout } = await matchbookAt(home, ["doctor", "--json"]);
    const { findings } = JSON.parse(stdout) as { findings: { message: string }[] };
    return findings.flatMap(
      ({ message }) => /^(fsync|full_page_writes) is off/.exec(message)?.[1] ?? [],
    );
  };
  expect(await complaints()).toEqual([]);
  for (const setting of ["fsync", "full_page_writes"]) {
    await execute(`ALTER SYSTEM SET ${setting} = off`, "SELECT pg_reload_conf()");
    await cluster.stop();
    await cluster.start();
    expect(await complaints()).toEqual([setting]);
    await execute(`ALTER SYSTEM RESET ${setting}`);
  }
});
