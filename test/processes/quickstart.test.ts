/** Tests `matchbook quickstart`: what a newcomer sees at the first start and at later ones. */

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DEMO_SHARDS } from "../../src/demo/people.ts";
import type { Resource } from "../../src/domain/json.ts";
import { demoLines } from "../support/demo.ts";
import { matchbook, spawnMatchbook } from "../support/process.ts";
import { sharedFolder } from "../support/shared.ts";
import { countsOf, sumsOf, until } from "../support/state.ts";
import { getAs } from "../support/world.ts";

const folder = sharedFolder();
const data = join(folder, "data");

type Started = Awaited<ReturnType<typeof quickstart>>;

/** Starts it and reads its output up to the curl line. */
async function quickstart(flags: string[] = []) {
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
  /** Its output on standard error so far. */
  const notes = () => noted.text;
  return { child, url, key: /Bearer (\w+)/.exec(curl)![1]!, curl, notes };
}

function collect(stream: ReadableStream<Uint8Array>): { text: string } {
  const collected = { text: "" };
  (async () => {
    for await (const chunk of stream) collected.text += Buffer.from(chunk).toString();
  })();
  return collected;
}

const statusOf = async (started: Started) => (await getAs(started, "/shards/na/players")).status;

/** The key that the portal offers to every visitor. */
async function offeredBy({ url }: Started): Promise<string | undefined> {
  const page = await (await fetch(`${url}/`)).text();
  return /<meta name="matchbook-offer" content="([^"]*)">/.exec(page)?.[1];
}

/** Whether the portal gets a token without a key. */
const visitorStatus = async ({ url }: { url: string }) =>
  (await fetch(`${url}/portal/visitor-token`)).status;

/** What the printed curl line finds. */
async function playersOf({ curl }: Started): Promise<Resource[]> {
  const asked = Bun.spawn(["sh", "-c", curl], { stdout: "pipe", stderr: "ignore" });
  const { data: players } = JSON.parse(await new Response(asked.stdout).text());
  expect(await asked.exited).toBe(0);
  return players;
}

async function keyStates(): Promise<string[]> {
  const { stdout } = await matchbook(["keys", "list", "--json", "--data", data]);
  const keys: { id: string; state: string }[] = JSON.parse(stdout);
  return keys.map(({ id, state }) => `${id} ${state}`);
}

async function recordsIn(): Promise<number> {
  const { served, withheld } = await sumsOf(data);
  return Object.values(withheld).reduce((sum, count) => sum + count, served);
}

test.skipIf(Bun.which("curl") === null)(
  "the first start creates demo matches in every shard, later ones use the same and the same key, and it prints a line that works (needs curl)",
  async () => {
    const first = await quickstart();
    const [, created] = /^Creating (\d+) demo matches/.exec(first.notes())!;
    expect(await recordsIn()).toBe(Number(created));
    const counts = await countsOf(data);
    expect(Object.keys(counts).sort()).toEqual(DEMO_SHARDS.toSorted());
    for (const [shard, { newestMatch }] of Object.entries(counts)) {
      expect([shard, newestMatch! <= Date.now()]).toEqual([shard, true]);
    }

    const [player] = await playersOf(first);
    expect(player!.type).toBe("player");

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
    expect(await statusOf(first)).toBe(200);

    first.child.kill("SIGTERM");
    expect(await first.child.exited).toBe(0);

    // A second run creates nothing, and the key is the same.
    const second = await quickstart();
    expect(second.notes()).not.toContain("Creating");
    expect(await recordsIn()).toBe(Number(created));
    expect(second.key).toBe(first.key);
    expect(await statusOf(second)).toBe(200);
    expect(await offeredBy(second)).toBe(second.key);
    expect(statSync(join(data, "demo-key")).mode & 0o777).toBe(0o600);
    second.child.kill("SIGINT");
    expect(await second.child.exited).toBe(0);

    // A revoked key is replaced. With several processes, each offers the new one.
    await matchbook(["keys", "revoke", keys[0]!.split(" ")[0]!, "--data", data]);
    const third = await quickstart(["--workers", "2"]);
    expect(third.key).not.toBe(first.key);
    expect(await statusOf(third)).toBe(200);
    for (let at = 0; at < 6; at++) expect(await offeredBy(third)).toBe(third.key);
    expect(await visitorStatus(third)).toBe(200);
    third.child.kill("SIGTERM");
    expect(await third.child.exited).toBe(0);
  },
  300_000,
);

/** A small terminal, without the four lines that `npm start` prints first and the one of the first start. */
const SCREEN = { columns: 80, rows: 19 };

const rowsOf = (line: string) => Math.max(1, Math.ceil(line.length / SCREEN.columns));

/** What it prints until it is stopped, after a request. */
async function linesOf(place: string, flags: string[]): Promise<string[]> {
  const child = spawnMatchbook(["quickstart", "--port", "0", "--data", place, ...flags]);
  const [said, noted] = [collect(child.stdout), collect(child.stderr)];
  const url = await until(
    "it serves",
    () => /listening on (http:\S+)\n.*^ *curl .+\n/ms.exec(said.text)?.[1],
  );
  expect((await fetch(url)).status).toBe(200);
  // Without the setting, visitors have access.
  const isClosed = flags.includes("--portal-visitors");
  expect(await visitorStatus({ url })).toBe(isClosed ? 404 : 200);
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
  return `${said.text}${noted.text}`.trimEnd().split("\n");
}

const eventsIn = (lines: string[]): string[] =>
  lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line).event);

test("what it prints fits a screen, without log lines below a warning unless they are asked for; a setting keeps visitors out", async () => {
  const place = join(folder, "screen");
  await matchbook(["ingest", "-", "--data", place], {
    stdin: demoLines(20, Date.now()).join("\n"),
  });
  for (const workers of ["1", "2"]) {
    const flags = ["--workers", workers, "--portal-visitors", "off"];
    const lines = await linesOf(place, flags);
    expect(eventsIn(lines)).toEqual([]);
    expect(lines.reduce((sum, line) => sum + rowsOf(line), 0)).toBeLessThanOrEqual(SCREEN.rows);
  }

  new Database(join(place, "other.db")).run("CREATE TABLE of_another_program (id)");
  expect(eventsIn(await linesOf(place, []))).toEqual(["file-ignored"]);
  const all = eventsIn(await linesOf(place, ["--log-level", "info"]));
  expect(all).toContain("request");
});
