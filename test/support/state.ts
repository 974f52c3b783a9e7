/** Compares data folders by everything they serve. */

import { createHash } from "node:crypto";
import { unobserved } from "../../src/observe/events.ts";
import { openAccess } from "../../src/open-access.ts";
import { openShards } from "../../src/open-stores.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { readSummary } from "../../src/store/core/summary.ts";
import type { Counts, Summary } from "../../src/store/store.ts";
import { serve } from "../../src/wiring.ts";
import { withShards } from "./prune.ts";
import { JSON_API } from "./world.ts";

/** The base URL of links, so that folders served on different ports give equal bytes. */
const PUBLIC_URL = "https://matchbook.example";
const WINDOW = "filter[createdAt-start]=2000-01-01T00:00:00Z&filter[createdAt-end]=";

function settingsFor(data: string) {
  const flags = {
    data,
    port: "0",
    "log-level": "silent",
    rate: "1000000",
    "drain-ms": "0",
    "public-url": PUBLIC_URL,
  };
  return loadSettings({ flags, env: {}, cwd: data }).values;
}

/**
 * A hash of the bytes of every page of every shard, which cover all players and teams in their current
 * state. `until` ends the window, so that links do not depend on when this runs.
 */
export async function servedPages(data: string, until: number): Promise<Map<string, string>> {
  const access = openAccess({ data });
  const { key, record } = await access.keys.create({ name: "state" }, Date.now());
  const settings = settingsFor(data);
  const shards = openShards(settings, unobserved);
  const server = await serve(settings, unobserved);
  const pages = new Map<string, string>();
  try {
    for (const shard of await shards.list()) {
      const end = encodeURIComponent(new Date(until).toISOString());
      let path: string | undefined = `/shards/${shard}/matches?${WINDOW}${end}`;
      while (path !== undefined) {
        const response: Response = await fetch(`${server.url}${path}`, {
          headers: { Authorization: `Bearer ${key}`, Accept: JSON_API },
        });
        const text = await response.text();
        if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
        pages.set(path, createHash("sha256").update(text).digest("hex"));
        path = JSON.parse(text).links.next?.slice(PUBLIC_URL.length);
      }
    }
    return pages;
  } finally {
    await server.stop("test");
    await shards.close();
    await access.keys.revoke(record.id, Date.now());
    await access.close();
  }
}

type ShardCounts = Omit<Counts, "bytes"> & { summary: Summary };

/** The counts of every shard, as operators and readers see them, without sizes. */
export const countsOf = (data: string): Promise<Record<string, ShardCounts>> =>
  withShards(settingsFor(data), async (shards) => {
    const counts: Record<string, ShardCounts> = {};
    for (const id of await shards.list()) {
      const writer = await shards.existingWriter(id);
      if (!writer) continue;
      const { bytes: _, ...rest } = await writer.counts();
      const summary = await (await shards.reader(id))!.read(readSummary);
      counts[id] = { ...rest, summary };
    }
    return counts;
  });

/** The counts summed over all shards. */
export async function sumsOf(data: string) {
  const all = Object.values(await countsOf(data));
  const sum = (pick: (counts: ShardCounts) => number) =>
    all.reduce((total, counts) => total + pick(counts), 0);
  return {
    served: sum(({ served }) => served),
    withheld: {
      "game-mode": sum(({ withheld }) => withheld["game-mode"]),
      ending: sum(({ withheld }) => withheld.ending),
      "no-ranked-player": sum(({ withheld }) => withheld["no-ranked-player"]),
    },
  };
}

type Pending = undefined | false;

/**
 * Polls until there is a result; on timeout the error names what did not happen. The default is shorter
 * than the test runner's timeout, so that the message is shown.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | Pending> | T | Pending,
  seconds = 150,
): Promise<T> {
  const began = performance.now();
  const end = began + seconds * 1000;
  for (;;) {
    const asked = performance.now();
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    const now = performance.now();
    if (now > end) throw new Error(`it did not happen within ${seconds} s: ${what}`);
    // Costly checks and those of long waits are repeated less often, so as not to slow down what is waited for.
    await Bun.sleep(Math.max(5, (now - asked) * 3, (now - began) / 100));
  }
}
