/**
 * Measures the search for players in a shard with many names: how long a request takes, and how large the name index is.
 *
 *   bun bench/search.ts [--names 1000000] [--searches 300] [--postgres]
 *
 * The names are those of the demo data. Requests are sent one after another, so that none waits for another.
 */

import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SQL } from "bun";
import { playerName } from "../src/demo/names.ts";
import { Random } from "../src/demo/random.ts";
import { writeFollowing } from "../src/document/fragment.ts";
import { openWriter } from "../src/open-stores.ts";
import { parsePostgres } from "../src/settings/database-urls.ts";
import type { PlayerRow } from "../src/store/store.ts";
import { shardsFile } from "../test/support/places.ts";
import { type Cluster, startCluster } from "../test/support/postgres.ts";
import { endChildrenOnExit, run, startServer } from "./children.ts";
import { progress } from "./failure.ts";
import { MATCHBOOK, SHARD } from "./places.ts";

const { values } = parseArgs({
  options: {
    names: { type: "string", default: "1000000" },
    searches: { type: "string", default: "300" },
    postgres: { type: "boolean", default: false },
  },
});
const [NAMES, SEARCHES] = [Number(values.names), Number(values.searches)];
const BATCH = 5000;
const SCRIPTS = [16, 1, 1, 1, 1] as const;
const DAY_MS = 86_400_000;
const random = new Random(7);
const now = Date.now();

/** A player as of the demo data, with a record of the usual size. */
function player(number: number): PlayerRow {
  const name = playerName(new Random(1, number), SCRIPTS, number, true);
  const id = `player-${number}`;
  const stats = { played: 120, wins: 61, skillTier: random.int(-1, 29), winStreak: 2 };
  const attributes = { name, patchVersion: "4.13", shardId: SHARD, stats, titleID: "demo" };
  const createdAt = now - random.int(0, 365 * DAY_MS);
  return {
    ...{ id, name, run: 2, skillTier: stats.skillTier, companions: undefined },
    totals: { played: 120, wins: 61, playedRanked: 40, rankedWins: 20, gold: 1_000_000n },
    latest: { createdAt, matchId: "match" },
    resource: writeFollowing(JSON.stringify({ type: "player", id, attributes })),
  };
}

async function fill(location: Parameters<typeof openWriter>[1]): Promise<void> {
  const writer = openWriter(SHARD, location);
  for (let first = 0; first < NAMES; first += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, NAMES - first) }, (_, at) =>
      player(first + at),
    );
    await writer.write(async (transaction) => transaction.putPlayers(rows));
  }
  await writer.close();
}

/** The bytes of the table and its indexes. */
async function indexBytes(data: string, cluster: Cluster | undefined): Promise<number> {
  if (cluster) {
    const sql = new SQL(cluster.url);
    await sql.unsafe("VACUUM ANALYZE");
    const size = "pg_total_relation_size('search.name_index')::float8 AS bytes";
    const [row] = await sql.unsafe(`SELECT ${size}`);
    await sql.close();
    return row.bytes;
  }
  // SQLite does not say how large a table is: its pages become free with it.
  const path = join(data, "copy.db");
  await Bun.write(path, Bun.file(join(data, `${SHARD}.db`)));
  const copy = new Database(path);
  const freePages = () => Object.values(copy.query("PRAGMA freelist_count").get()!)[0] as number;
  const before = freePages();
  copy.run("DELETE FROM name_index");
  const pages = freePages() - before;
  const [bytes] = Object.values(copy.query("PRAGMA page_size").get()!) as number[];
  copy.close();
  rmSync(path);
  return pages * bytes!;
}

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz0123456789"];

function mistyped(text: string): string {
  const letters = Array.from(text);
  const at = random.int(Math.min(2, letters.length - 1), letters.length - 1);
  letters.splice(at, random.int(0, 1), ...(random.chance(0.5) ? [random.pick(LETTERS)] : []));
  return letters.join("");
}

const someName = (): string =>
  playerName(new Random(1, random.int(0, NAMES - 1)), SCRIPTS, NAMES, true);
const beginning = (name: string, letters: number) => Array.from(name).slice(0, letters).join("");

const TEXTS: Record<string, () => string> = {
  "a name, letter by letter": () => beginning(someName(), random.int(1, 12)),
  "a mistyped beginning": () => mistyped(beginning(someName(), random.int(4, 10))),
  "a mistyped name": () => mistyped(someName()),
  "a later word": () => random.pick(["gecko", "drake", "panda", "wolf", "phan", "spar"]),
  "nothing similar": () => Array.from({ length: 9 }, () => random.pick(LETTERS)).join(""),
};

async function measure(url: string, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, Accept: "application/vnd.api+json" };
  const search = async (text: string): Promise<number> => {
    const began = performance.now();
    const query = `filter[near]=${encodeURIComponent(text)}`;
    const response = await fetch(`${url}/player-names?${query}`, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${text}: ${response.status}`);
    return performance.now() - began;
  };
  for (let at = 0; at < 200; at++) await search(TEXTS["a mistyped name"]!());
  const all: number[] = [];
  for (const [kind, text] of Object.entries(TEXTS)) {
    const times: number[] = [];
    for (let at = 0; at < SEARCHES; at++) times.push(await search(text()));
    all.push(...times);
    report(kind, times);
  }
  report("all", all);
}

function report(kind: string, times: number[]): void {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]!.toFixed(1);
  console.log(`${kind}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`);
}

endChildrenOnExit();
const data = mkdtempSync(join(tmpdir(), "matchbook-search-"));
const cluster = values.postgres ? await startCluster(["shared_buffers = 512MB"]) : undefined;
try {
  const url = `${cluster?.url}?schema=search`;
  const parsed = cluster ? parsePostgres(url) : undefined;
  if (parsed && "error" in parsed) throw new Error(parsed.error);
  progress(`storing ${NAMES} players …`);
  const began = performance.now();
  await fill(parsed ? parsed.value : { engine: "sqlite", path: join(data, `${SHARD}.db`) });
  const seconds = (performance.now() - began) / 1000;
  console.log(`stored in ${seconds.toFixed(1)} s`);
  const bytes = await indexBytes(data, cluster);
  console.log(`name index: ${(bytes / NAMES).toFixed(1)} bytes per name`);
  const settings = cluster ? ["--config", shardsFile(`${data}.toml`, { [SHARD]: url })] : [];
  const limits = ["--rate", "100000000"];
  const { stdout } = await run([
    MATCHBOOK,
    "keys",
    "create",
    "--name",
    "bench",
    ...limits,
    "--data",
    data,
  ]);
  const serve = [MATCHBOOK, "serve", "--data", data, "--port", "0", "--drain-ms", "0"];
  const server = await startServer("Matchbook", [...serve, ...settings], join(data, "log"));
  await measure(server.url, stdout.trim());
  await server.stop();
} finally {
  cluster?.remove();
  rmSync(data, { recursive: true, force: true });
  rmSync(`${data}.toml`, { force: true });
}
