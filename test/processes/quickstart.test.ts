/** Tests `matchbook quickstart`: what a newcomer sees, also after an interrupted first run. */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { demoLines } from "../../src/cli/demo.ts";
import { DEMO_SEED } from "../../src/cli/quickstart.ts";
import { openForWriting } from "../../src/store/sqlite/open.ts";
import { matchbook, spawnMatchbook } from "../support/process.ts";
import { countsOf, sumsOf, until } from "../support/state.ts";
import { aFolder, JSON_API } from "../support/world.ts";

const folder = aFolder();
const data = join(folder.path, "data");
afterAll(() => folder.remove());

interface Started {
  child: ReturnType<typeof spawnMatchbook>;
  url: string;
  key: string;
  curl: string;
  /** Its output on standard error so far. */
  notes: string;
}

/** Starts it and reads its output up to the curl line. */
async function quickstart(flags: string[] = []): Promise<Started> {
  const child = spawnMatchbook([
    ...["quickstart", "--port", "0", "--data", data, "--drain-ms", "0"],
    ...flags,
  ]);
  const [said, noted] = [collect(child.stdout), collect(child.stderr)];
  const curl = await until(
    "quickstart prints its curl line",
    () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${said.text}${noted.text}`);
      return /^ *(curl .+)\n/m.exec(said.text)?.[1];
    },
    120,
  );
  const url = /listening on (http:\S+)\n/.exec(said.text)![1]!;
  expect(said.text).toMatch(new RegExp(`Portal +${url}/\\n`));
  return { child, url, key: /Bearer (\w+)/.exec(curl)![1]!, curl, notes: noted.text };
}

function collect(stream: ReadableStream<Uint8Array>): { text: string } {
  const collected = { text: "" };
  (async () => {
    for await (const chunk of stream) collected.text += Buffer.from(chunk).toString();
  })();
  return collected;
}

async function statusWith({ url }: Started, key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, Accept: JSON_API };
  return (await fetch(`${url}/shards/na/players`, { headers })).status;
}

/** The key that the portal offers to every visitor. */
async function offeredBy({ url }: Started): Promise<string | undefined> {
  const page = await (await fetch(`${url}/`)).text();
  return /<meta name="matchbook-offer" content="([^"]*)">/.exec(page)?.[1];
}

async function keyStates(): Promise<string[]> {
  const { stdout } = await matchbook(["keys", "list", "--json", "--data", data]);
  const keys: { id: string; state: string }[] = JSON.parse(stdout);
  return keys.map(({ id, state }) => `${id} ${state}`);
}

/** The shard of the first demo match, which depends on the time. */
function firstShard(matches: number, until: number): string | undefined {
  const [first] = demoLines({ matches, seed: DEMO_SEED, until });
  return /"shardId":"([^"]+)"/.exec(first!)?.[1];
}

async function recordsIn(): Promise<number> {
  const { served, withheld } = await sumsOf(data);
  return Object.values(withheld).reduce((sum, count) => sum + count, served);
}

test("a first run that is killed is completed by the next, which serves and prints a line that works", async () => {
  // A small plan is enough. The smallest shard cannot be filled, so that the run is killed after it has
  // stored records of other shards.
  const planned = 600;
  mkdirSync(data);
  let newest = Date.now();
  while (firstShard(planned, newest) === "tournament-na") newest -= 1;
  const plan = { until: newest, matches: planned, complete: false };
  writeFileSync(join(data, "demo.json"), JSON.stringify(plan));
  const held = openForWriting(join(data, "tournament-na.db"));
  held.run("BEGIN IMMEDIATE");
  const killed = spawnMatchbook(["quickstart", "--port", "0", "--data", data]);
  await until("the first records are stored", async () => (await recordsIn()) > 0);
  killed.kill("SIGKILL");
  await killed.exited;
  expect(await recordsIn()).toBeLessThan(planned);
  held.close();

  const first = await quickstart();
  expect(first.notes).toContain(`Creating ${planned} demo matches`);
  expect(await recordsIn()).toBe(planned);
  for (const [shard, { newestMatch }] of Object.entries(await countsOf(data))) {
    expect([shard, newestMatch! <= Date.now()]).toEqual([shard, true]);
  }

  const asked = Bun.spawn(["sh", "-c", first.curl], { stdout: "pipe", stderr: "ignore" });
  const answer = await new Response(asked.stdout).text();
  expect(await asked.exited).toBe(0);
  const { data: matches, included } = JSON.parse(answer);
  expect(matches).toHaveLength(1);
  expect(matches[0].type).toBe("match");
  expect(included.map(({ type }: { type: string }) => type)).toContain("participant");

  expect(await offeredBy(first)).toBe(first.key);

  // A second start on the same port fails, and the key in use stays valid.
  const { port } = new URL(first.url);
  const keys = await keyStates();
  const beside = await matchbook(["quickstart", "--port", port, "--data", data]);
  expect([beside.exitCode, beside.stdout]).toEqual([1, ""]);
  expect(beside.stderr).toContain(`cannot listen on 127.0.0.1:${port}`);
  expect(await keyStates()).toEqual(keys);

  // A start whose private port is taken does not change it either.
  const withAdmin = ["quickstart", "--port", "0", "--admin-port", port, "--data", data];
  const failed = await matchbook(withAdmin, {
    env: { MATCHBOOK_ADMIN_TOKEN: "a-token-of-the-tests-0123456789" },
  });
  expect([failed.exitCode, failed.stdout]).toEqual([1, ""]);
  expect(await keyStates()).toEqual(keys);
  expect(await statusWith(first, first.key)).toBe(200);

  first.child.kill("SIGTERM");
  expect(await first.child.exited).toBe(0);

  // A second run creates nothing, and the key is the same.
  const second = await quickstart();
  expect(second.notes).not.toContain("Creating");
  expect(await recordsIn()).toBe(planned);
  expect(second.key).toBe(first.key);
  expect(await statusWith(second, second.key)).toBe(200);
  expect(await offeredBy(second)).toBe(second.key);
  expect(statSync(join(data, "demo-key")).mode & 0o777).toBe(0o600);
  second.child.kill("SIGINT");
  expect(await second.child.exited).toBe(0);

  // A revoked key is replaced. With several processes, each offers the new one.
  await matchbook(["keys", "revoke", keys[0]!.split(" ")[0]!, "--data", data]);
  const third = await quickstart(["--workers", "2"]);
  expect(third.key).not.toBe(first.key);
  expect(await statusWith(third, third.key)).toBe(200);
  for (let at = 0; at < 6; at++) expect(await offeredBy(third)).toBe(third.key);
  third.child.kill("SIGTERM");
  expect(await third.child.exited).toBe(0);
}, 300_000);
