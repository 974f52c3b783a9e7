/** Tests ingest into a database that becomes unavailable: it waits, reports it, and loses no record. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { unobserved } from "../../src/observe/events.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { serve } from "../../src/wiring.ts";
import { AUTHORIZATION, TOKEN, uploadTo } from "../support/admin.ts";
import { linesOf, shardsFile } from "../support/places.ts";
import { startCluster } from "../support/postgres.ts";
import { matchbook, spawnMatchbook } from "../support/process.ts";
import { testLong } from "../support/scale.ts";
import { shared, sharedFolder } from "../support/shared.ts";
import { until } from "../support/state.ts";

// Several processes may share a slow machine.
const folder = sharedFolder();
const lines = linesOf("na", 60, Date.now() - 60_000);
const text = (from: number, to: number) => `${lines.slice(from, to).join("\n")}\n`;
const cluster = shared(() => startCluster());
let made = 0;

/** The environment for a settings file that stores the shard na at this URL. */
const envFor = (name: string, na: string) => ({
  MATCHBOOK_CONFIG: shardsFile(join(folder, `${name}.toml`), { na }),
});

/** A new shard and its settings. */
function aShard() {
  const schema = `away_${++made}`;
  const na = `${cluster.url.replace("matchbook@", "matchbook:open-sesame@")}?schema=${schema}`;
  return { schema, env: { ...envFor(schema, na), MATCHBOOK_BATCH: "10" } };
}

/** The number of stored records, served or not. */
async function storedIn(schema: string): Promise<number> {
  const sql = new SQL(cluster.url, { max: 1 });
  try {
    const [row] = await sql.unsafe(`SELECT count(*) AS found FROM ${schema}.records`);
    return Number(row.found);
  } catch {
    return 0;
  } finally {
    await sql.close();
  }
}

const digest = async (env: Record<string, string>) =>
  (await matchbook(["shards", "digest", "na"], { cwd: folder, env })).stdout;

let expected: Promise<string> | undefined;

/** The digest of the same records ingested without faults. */
function expectedDigest(): Promise<string> {
  expected ??= (async () => {
    const env = envFor("expected", `sqlite:${join(folder, "expected.db")}`);
    await matchbook(["ingest", "-"], { cwd: folder, env, stdin: text(0, 60) });
    return digest(env);
  })();
  return expected;
}

/** A running ingest that records are written to, and its output on standard error. */
function ingesting(env: Record<string, string>, ...flags: string[]) {
  const child = spawnMatchbook(["ingest", "-", "--json", ...flags], { cwd: folder, env });
  let output = "";
  const listening = (async () => {
    for await (const piece of child.stderr) output += Buffer.from(piece).toString();
  })();
  return {
    async write(from: number, to: number) {
      child.stdin.write(text(from, to));
      await child.stdin.flush();
    },
    saying: (words: string) => until(`ingest says ${words}`, () => output.includes(words)),
    async finished() {
      await child.stdin.end();
      const stdout = await new Response(child.stdout).text();
      await listening;
      return { exitCode: await child.exited, stdout, stderr: output };
    },
  };
}

describe("matchbook ingest", () => {
  test("continues when the database is restarted in the middle", async () => {
    const { schema, env } = aShard();
    const ingest = ingesting(env);
    await ingest.write(0, 30);
    await until("ten records are stored", async () => (await storedIn(schema)) >= 10);
    await cluster.stop("immediate");
    await ingest.write(30, 60);
    await ingest.saying("Waiting up to 120 s for shard na: cannot use postgres://");
    await cluster.start();
    const { exitCode, stdout, stderr } = await ingest.finished();
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/Shard na is available again after \d+ s/),
    ]);
    expect(stderr).not.toContain("open-sesame");
    // Once per outage, however often it was retried.
    expect(stderr.match(/Waiting/g)?.length).toBe(stderr.match(/available again/g)!.length);
    const { withheld, ...report } = JSON.parse(stdout);
    const held = Object.values<number>(withheld).reduce((sum, count) => sum + count, 0);
    expect(report.stored + held + report.duplicate).toBe(60);
    expect(await digest(env)).toBe(await expectedDigest());
  });

  testLong(
    "gives up in time, with its own exit code; after another run, nothing is missing",
    async () => {
      const { schema, env } = aShard();
      await matchbook(["ingest", "-"], { cwd: folder, env, stdin: text(0, 20) });
      await cluster.stop("immediate");
      try {
        const stdin = text(0, 60);
        const refused = await matchbook(["ingest", "-", "--wait", "1"], {
          cwd: folder,
          env,
          stdin,
        });
        expect(refused.exitCode).toBe(3);
        expect(refused.stdout).toBe("");
        expect(refused.stderr).toMatch(/^Waiting up to 1 s for shard na: /);
        expect(refused.stderr).toMatch(/\nmatchbook: cannot use .*\b1 s\b/);
        expect(refused.stderr).not.toContain("open-sesame");
      } finally {
        await cluster.start();
      }
      expect(await storedIn(schema)).toBe(20);
      const again = await matchbook(["ingest", "-", "--json"], {
        cwd: folder,
        env,
        stdin: text(0, 60),
      });
      expect([again.exitCode, JSON.parse(again.stdout).duplicate]).toEqual([0, 20]);
      expect(await digest(env)).toBe(await expectedDigest());
    },
  );

  test("does not wait when waiting cannot help", async () => {
    const env = envFor("nowhere", cluster.url.replace(/postgres$/, "nowhere"));
    const refused = await matchbook(["ingest", "-"], { cwd: folder, env, stdin: text(0, 1) });
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('database "nowhere" does not exist');
    expect(refused.stderr).not.toContain("Waiting");
  });
});

// What an upload says of records that were stored or rejected before: test/features/admin-uploads.test.ts.
test("an upload into a shard whose database is unavailable gets 503 with Retry-After, and can be sent again", async () => {
  const { schema, env } = aShard();
  const flags = { data: join(folder, schema), port: "0", "admin-port": "0", batch: "10" };
  const { values } = loadSettings({
    flags: { ...flags, "drain-ms": "0", "log-level": "silent" },
    env: { MATCHBOOK_CONFIG: env.MATCHBOOK_CONFIG, MATCHBOOK_ADMIN_TOKEN: TOKEN },
    cwd: folder,
  });
  const server = await serve(values, unobserved);
  const url = server.adminUrl!;
  await cluster.stop("immediate");
  try {
    const request = { method: "POST", headers: AUTHORIZATION, body: text(0, 60) };
    const response = await fetch(`${url}/ingest`, request);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    const message = expect.stringContaining("send the request again");
    expect(await response.json()).toMatchObject({
      error: { code: "shard-unavailable", message },
      report: { stored: 0 },
    });
  } finally {
    await cluster.start();
  }
  // It did not permanently occupy one of the upload slots.
  for (const _ of [1, 2, 3]) expect((await uploadTo(url, text(0, 60))).status).toBe(200);
  await server.stop("test");
  expect(await digest(env)).toBe(await expectedDigest());
});
