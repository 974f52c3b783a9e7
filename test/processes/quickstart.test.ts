/** Tests `matchbook quickstart`: what a newcomer sees, also while demo data is loaded and after an interrupted run. */

import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DemoPlan, demoOptions, olderMatches } from "../../src/cli/demo-load.ts";
import { demoDocuments } from "../../src/demo/demo.ts";
import { DEMO_SHARDS } from "../../src/demo/regions.ts";
import type { Resource } from "../../src/domain/json.ts";
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
  notes(): string;
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
  return { child, url, key: /Bearer (\w+)/.exec(curl)![1]!, curl, notes: () => noted.text };
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

/** Whether the portal gets a token without a key. */
const visitorStatus = async ({ url }: Started) =>
  (await fetch(`${url}/portal/visitor-token`)).status;

/** What the printed curl line finds. */
async function matchesOf({ curl }: Started): Promise<Resource[]> {
  const asked = Bun.spawn(["sh", "-c", curl], { stdout: "pipe", stderr: "ignore" });
  const { data: matches, included } = JSON.parse(await new Response(asked.stdout).text());
  expect(await asked.exited).toBe(0);
  expect(included.map(({ type }: Resource) => type)).toContain("participant");
  return matches;
}

async function digestsOf(folder: string): Promise<string[]> {
  const digests: string[] = [];
  // One after the other: at the same time, each would have a process of its own.
  for (const shard of DEMO_SHARDS) {
    const { stdout } = await matchbook(["shards", "digest", shard, "--data", folder]);
    digests.push(stdout);
  }
  return digests;
}

/** The digests of the shards if all matches are ingested in their order. */
async function digestsAtOnce(plan: DemoPlan): Promise<string[]> {
  const [file, other] = [join(folder.path, "demo.ndjson"), join(folder.path, "other")];
  const lines = Array.from(demoDocuments(demoOptions(plan)), (one) => JSON.stringify(one));
  writeFileSync(file, `${lines.join("\n")}\n`);
  expect((await matchbook(["ingest", file, "--data", other])).exitCode).toBe(0);
  return digestsOf(other);
}

async function keyStates(): Promise<string[]> {
  const { stdout } = await matchbook(["keys", "list", "--json", "--data", data]);
  const keys: { id: string; state: string }[] = JSON.parse(stdout);
  return keys.map(({ id, state }) => `${id} ${state}`);
}

/**
 * A small plan. The newest matches, which are stored before it serves, are not in the smallest shard; neither is the
 * first of the others.
 */
function aPlan(matches: number): DemoPlan {
  const plan = { until: Date.now(), matches, complete: false };
  for (; ; plan.until -= 1) {
    const documents = [...demoDocuments(demoOptions(plan))] as unknown as { data: Resource }[];
    const at = documents.map(({ data }) => data.attributes.shardId).indexOf(SMALLEST);
    const last = documents.findLastIndex(({ data }) => data.attributes.shardId === SMALLEST);
    if (at > 0 && last < olderMatches(plan)) return plan;
  }
}

const SMALLEST = "tournament-na";

async function recordsIn(): Promise<number> {
  const { served, withheld } = await sumsOf(data);
  return Object.values(withheld).reduce((sum, count) => sum + count, served);
}

test.skipIf(Bun.which("curl") === null)(
  "it serves the newest matches while the others are loaded; killed then, the next run completes them, and prints a line that works (needs curl)",
  async () => {
    // The smallest shard cannot be written to, so that the others cannot be complete when it serves.
    const planned = 200;
    const plan = aPlan(planned);
    mkdirSync(data);
    writeFileSync(join(data, "demo.json"), JSON.stringify(plan));
    const held = openForWriting(join(data, `${SMALLEST}.db`), SMALLEST);
    held.run("BEGIN IMMEDIATE");
    const early = await quickstart();
    expect((await fetch(`${early.url}/`)).status).toBe(200);
    expect(await matchesOf(early)).toHaveLength(1);
    const newest = planned - olderMatches(plan);
    expect(await recordsIn()).toBeGreaterThanOrEqual(newest);
    await until("some of the others are stored", async () => (await recordsIn()) > newest);
    early.child.kill("SIGKILL");
    await early.child.exited;
    expect(await recordsIn()).toBeLessThan(planned);
    held.close();

    const first = await quickstart();
    expect(first.notes()).toContain(`Creating ${planned} demo matches`);
    await until("the demo data is complete", () =>
      first.notes().includes(`All ${planned} demo matches`),
    );
    expect(await recordsIn()).toBe(planned);
    expect(await digestsOf(data)).toEqual(await digestsAtOnce(plan));
    for (const [shard, { newestMatch }] of Object.entries(await countsOf(data))) {
      expect([shard, newestMatch! <= Date.now()]).toEqual([shard, true]);
    }

    const [match] = await matchesOf(first);
    expect(match!.type).toBe("match");

    expect(await offeredBy(first)).toBe(first.key);
    expect(await visitorStatus(first)).toBe(200);

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
    expect(second.notes()).not.toContain("Creating");
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
    expect(await visitorStatus(third)).toBe(200);
    third.child.kill("SIGTERM");
    expect(await third.child.exited).toBe(0);
  },
  300_000,
);

/** A small terminal, without the four lines that `npm start` prints first. */
const SCREEN = { columns: 80, rows: 20 };

const rowsOf = (line: string) => Math.max(1, Math.ceil(line.length / SCREEN.columns));

/** What it prints until it is stopped, after a request. */
async function linesOf(place: string, flags: string[], last: string): Promise<string[]> {
  const child = spawnMatchbook(["quickstart", "--port", "0", "--data", place, ...flags]);
  const [said, noted] = [collect(child.stdout), collect(child.stderr)];
  const url = await until("it has loaded its data", () => {
    const [, found] = /listening on (http:\S+)\n.*^ *curl .+\n/ms.exec(said.text) ?? [];
    return noted.text.includes(last) ? found : undefined;
  });
  expect((await fetch(url)).status).toBe(200);
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
  return `${said.text}${noted.text}`.trimEnd().split("\n");
}

const eventsIn = (lines: string[]): string[] =>
  lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line).event);

test("what it prints fits a screen, without log lines below a warning unless they are asked for", async () => {
  const place = join(folder.path, "screen");
  mkdirSync(place);
  const plan = { until: Date.now(), matches: 60, complete: false };
  writeFileSync(join(place, "demo.json"), JSON.stringify(plan));
  for (const [flags, last] of [
    [[], "All 60 demo matches are loaded."],
    [[], ""],
    [["--workers", "2"], ""],
  ] as const) {
    const lines = await linesOf(place, [...flags], last);
    expect(eventsIn(lines)).toEqual([]);
    expect(lines.reduce((sum, line) => sum + rowsOf(line), 0)).toBeLessThanOrEqual(SCREEN.rows);
  }

  new Database(join(place, "other.db")).run("CREATE TABLE of_another_program (id)");
  expect(eventsIn(await linesOf(place, [], ""))).toEqual(["file-ignored"]);
  const all = eventsIn(await linesOf(place, ["--log-level", "info"], ""));
  expect(all).toContain("request");
}, 120_000);
