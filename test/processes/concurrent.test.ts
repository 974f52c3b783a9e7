/** Tests concurrent writers while clients read: no errors, and the same state as after one ingest. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Report } from "../../src/ingest/report.ts";
import { demoLines, shuffled, writeLines } from "../support/demo.ts";
import { type Finished, matchbook, startServerProcess } from "../support/process.ts";
import { countsOf, servedPages } from "../support/state.ts";
import { aFolder, JSON_API } from "../support/world.ts";

const MATCHES = 160;
const now = Date.now();
const folder = aFolder();
afterAll(() => folder.remove());

const path = (name: string) => join(folder.path, name);
const ingest = (file: string, data: string) =>
  matchbook(["ingest", path(file), "--data", path(data), "--batch", "20", "--json"]);

test("two concurrent ingests of overlapping files, while a server reads, give the state of one ingest", async () => {
  const lines = demoLines(MATCHES, now);
  const [first, second] = [lines.slice(0, MATCHES * 0.7), lines.slice(MATCHES * 0.3)];
  // The shards exist from the start: a server notices new ones only after a second.
  const known = lines.slice(0, MATCHES * 0.1);
  writeLines(path("known"), known);
  writeLines(path("first"), shuffled(first, 1));
  writeLines(path("second"), shuffled(second, 2));
  writeLines(path("all"), lines);
  expect((await ingest("all", "one")).exitCode).toBe(0);

  const earlier = await ingest("known", "two");
  const made = await matchbook([
    "keys",
    "create",
    "--name",
    "n",
    "--rate",
    "1000000",
    "--data",
    path("two"),
  ]);
  const server = await startServerProcess([
    ...["--data", path("two"), "--log-level", "silent"],
    // The test reads /status as often as it can.
    ...["--open-requests-per-minute", "0"],
  ]);
  let finished: Finished[] = [];
  let seen: Seen;
  try {
    const writing = Promise.all([ingest("first", "two"), ingest("second", "two")]);
    const asking = askUntil(writing, server.url, made.stdout.trim());
    finished = await writing;
    seen = await asking;
  } finally {
    expect(await server.end()).toBe(0);
  }

  expect(finished.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  expect(seen.odd).toEqual([]);
  expect(seen.found).toBeGreaterThan(0);

  const reports: Report[] = [earlier, ...finished].map(({ stdout }) => JSON.parse(stdout));
  const sum = (pick: (report: Report) => number) =>
    reports.reduce((total, report) => total + pick(report), 0);
  const accepted = sum(({ stored, withheld }) =>
    Object.values(withheld).reduce((total, count) => total + count, stored),
  );
  expect(accepted).toBe(MATCHES);
  expect(sum(({ duplicate }) => duplicate)).toBe(
    known.length + first.length + second.length - MATCHES,
  );
  expect(sum(({ conflict, rejected }) => conflict + rejected)).toBe(0);

  expect(await countsOf(path("two"))).toEqual(await countsOf(path("one")));
  expect(await servedPages(path("two"), now)).toEqual(await servedPages(path("one"), now));
}, 180_000);

interface Seen {
  /** Responses that contained a match. */
  found: number;
  /** Responses that were neither data nor 404 for a shard that does not exist yet. */
  odd: string[];
}

/** Fetches pages and players of all shards repeatedly until the work is done. */
async function askUntil(work: Promise<unknown>, url: string, key: string): Promise<Seen> {
  const seen: Seen = { found: 0, odd: [] };
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  const headers = { Authorization: `Bearer ${key}`, Accept: JSON_API };
  while (!isOver) {
    const { shards } = (await (await fetch(`${url}/status`)).json()) as {
      shards: { id: string }[];
    };
    for (const id of ["na", ...shards.map((shard) => shard.id)]) {
      for (const kind of ["matches?sort=-createdAt", "players"]) {
        const response = await fetch(`${url}/shards/${id}/${kind}`, { headers });
        const body = (await response.json()) as { data?: unknown[] };
        if (response.status === 200) seen.found += body.data!.length > 0 ? 1 : 0;
        else if (response.status !== 404)
          seen.odd.push(`${response.status} ${JSON.stringify(body)}`);
      }
    }
    // Requests as fast as possible would only slow down the writers.
    await Bun.sleep(10);
  }
  await over;
  return seen;
}
