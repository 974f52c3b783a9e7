/** In charge of usage and budgets when a server is killed: what was written down stays. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { openAccess } from "../../src/access/open.ts";
import { demoLines } from "../support/demo.ts";
import { matchbook, startServerProcess } from "../support/process.ts";
import { aFolder, JSON_API } from "../support/world.ts";

/** docs/operating.md promises two seconds; the machine may be busy. */
const WRITTEN_WITHIN_MS = 10_000;

const folder = aFolder();
const cwd = folder.path;
afterAll(() => folder.remove());

test("a killed server loses at most the last two seconds of counting", async () => {
  await matchbook(["ingest", "-"], { cwd, stdin: demoLines(20, Date.now()).join("\n") });
  const made = await matchbook(["keys", "create", "--name", "one"], { cwd });
  const key = made.stdout.trim();
  const headers = { Authorization: `Bearer ${key}`, Accept: JSON_API };

  const first = await startServerProcess([], { cwd });
  let records = 0;
  for (let time = 0; time < 7; time++) {
    const reply = await fetch(`${first.url}/shards/na/matches`, { headers });
    records += ((await reply.json()) as { data: unknown[] }).data.length;
  }
  expect(records).toBeGreaterThan(0);
  const began = performance.now();
  while ((await requestsIn(join(cwd, "data"))) < 7) {
    expect(performance.now() - began).toBeLessThan(WRITTEN_WITHIN_MS);
    await Bun.sleep(20);
  }
  await first.end("SIGKILL");

  const second = await startServerProcess([], { cwd });
  const reply = await fetch(`${second.url}/usage`, { headers });
  const { today, days } = (await reply.json()) as {
    today: { matches: number };
    days: { requests: object; records: number }[];
  };
  expect(today.matches).toBe(records / 7);
  expect(days[0]!.requests).toEqual({ 200: 7 });
  expect(days[0]!.records).toBe(records);
  await second.end();
});

async function requestsIn(data: string): Promise<number> {
  const access = openAccess({ data });
  const days = await access.usage.read(0);
  await access.close();
  return days.reduce((sum, { requests }) => sum + (requests.get(200) ?? 0), 0);
}
