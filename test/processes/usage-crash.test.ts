/**
 * Usage when a server is killed under load: written counts are kept, and counting continues from
 * them.
 */

import { afterAll, expect, test } from "bun:test";
import { ndjson } from "../support/admin.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { matchbook, startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { aFolder, JSON_API } from "../support/world.ts";

await awayFromMidnight();

/** docs/operate.md promises two seconds; the machine may be busy. */
const WRITTEN_WITHIN_S = 30;

const folder = aFolder();
const cwd = folder.path;
afterAll(() => folder.remove());

/** The number of requests that another process reads from the data folder. */
async function written(): Promise<number> {
  const { stdout } = await matchbook(["keys", "list", "--json"], { cwd });
  const [one]: { requestsToday: number }[] = JSON.parse(stdout);
  return one!.requestsToday;
}

test("a server killed under load loses only the usage since its last write", async () => {
  await matchbook(["ingest", "-"], { cwd, stdin: ndjson([aMatch(), aMatch()]) });
  const create = ["keys", "create", "--name", "one", "--rate", "100000"];
  const key = (await matchbook(create, { cwd })).stdout.trim();
  const headers = { Authorization: `Bearer ${key}`, Accept: JSON_API };

  const first = await startServerProcess(["--log-level", "silent"], { cwd });
  let answered = 0;
  const sizes = new Set<number>();
  /** Sends requests until the server is gone. */
  const load = (async () => {
    for (;;) {
      const reply = await fetch(`${first.url}/shards/na/matches`, { headers }).catch(() => null);
      const body = await reply?.json().catch(() => null);
      if (!body) return;
      sizes.add((body as { data: unknown[] }).data.length);
      answered += 1;
      // Requests as fast as possible would only slow down the rest.
      await Bun.sleep(5);
    }
  })();
  // Written repeatedly, each time with the new counts.
  const once = await until(
    "usage is written",
    async () => (await written()) || false,
    WRITTEN_WITHIN_S,
  );
  const more = async () => {
    const count = await written();
    return count > once && count;
  };
  const twice = await until("usage is written again", more, WRITTEN_WITHIN_S);
  await until("requests are counted after it was written", () => answered > twice);
  await first.end("SIGKILL");
  await load;

  const [size] = sizes;
  expect([sizes.size, size! > 0]).toEqual([1, true]);
  const second = await startServerProcess([], { cwd });
  const usage = async () => {
    const reply = await fetch(`${second.url}/usage`, { headers });
    const { today, days } = (await reply.json()) as {
      today: { matches: number };
      days: { requests: Record<string, number>; records: number }[];
    };
    return { matches: today.matches, requests: days[0]!.requests[200]!, records: days[0]!.records };
  };
  const after = await usage();
  // The request in flight at the kill may have been counted.
  expect(after.requests).toBeWithin(twice, answered + 2);
  expect([after.records, after.matches]).toEqual([after.requests * size!, size!]);

  await (await fetch(`${second.url}/shards/na/matches`, { headers })).json();
  expect(await usage()).toEqual({
    matches: size!,
    // The request for usage counts too.
    requests: after.requests + 2,
    records: after.records + size!,
  });
  await second.end();
});
