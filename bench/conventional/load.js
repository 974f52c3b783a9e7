// @ts-check
/** Loads all matches that a shard of Matchbook serves into a new database file. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { Rows } from "./rows.js";
import { INDEXES, TABLES } from "./schema.js";

const USAGE = "usage: PEER_KEY=… node load.js FILE http://HOST:PORT/shards/SHARD";
/** Requests per minute, practically unlimited. */
const RATE = 100_000_000;
const BATCH = 1000;

async function load() {
  const [file, shard, ...rest] = process.argv.slice(2);
  const key = process.env.PEER_KEY;
  if (!file || !shard || rest.length > 0) throw new Error(`Wrong arguments. ${USAGE}`);
  if (!key) throw new Error(`Set PEER_KEY to the API key, of both servers. ${USAGE}`);
  if (existsSync(file)) throw new Error(`${file} already exists; remove it or choose another.`);
  const database = createDatabase(file);
  await copyMatches(database, `${shard}/matches?filter[createdAt-start]=2000-01-01T00:00:00Z`, key);
  console.error("creating indexes …");
  database.exec(`UPDATE players SET seen_at =
    (SELECT max(created_at) FROM player_matches WHERE player_key = key)`);
  database.exec(INDEXES);
  const hash = createHash("sha256").update(key).digest("hex");
  database.prepare("INSERT INTO api_keys VALUES (?, 'benchmark', ?)").run(hash, RATE);
  // Statistics for the planner.
  database.exec("ANALYZE");
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
}

/** @param {string} file */
function createDatabase(file) {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  // An interrupted load is repeated, so it need not survive a power failure.
  database.pragma("synchronous = OFF");
  database.pragma("cache_size = -262144");
  database.exec(TABLES);
  return database;
}

/**
 * Follows links.next to the end.
 *
 * @param {import("better-sqlite3").Database} database
 * @param {string} start
 * @param {string} key
 */
async function copyMatches(database, start, key) {
  const rows = new Rows(database);
  const headers = { Authorization: `Bearer ${key}`, Accept: "application/vnd.api+json" };
  /** @type {string | undefined} */
  let url = start;
  database.exec("BEGIN");
  for (let pages = 1; url !== undefined; pages++) {
    const response = await fetch(url, { headers });
    const document = /** @type {any} */ (await response.json());
    if (!response.ok) throw new Error(`${url}: ${JSON.stringify(document).slice(0, 500)}`);
    rows.add(document);
    url = document.links.next;
    if (pages % BATCH === 0) database.exec("COMMIT; BEGIN");
  }
  database.exec("COMMIT");
}

load().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
