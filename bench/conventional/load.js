// @ts-check
/** Loads match documents from standard input into a new database file. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import Database from "better-sqlite3";
import { completePlayers } from "./loading/players.js";
import { readRecord } from "./loading/record.js";
import { Visibility } from "./loading/visibility.js";
import { Writer } from "./loading/writer.js";
import { INDEXES, TABLES } from "./schema.js";

const USAGE = "usage: PEER_KEY=… [PEER_RATE=…] node load.js FILE < matches.ndjson";
const BATCH = 2000;
const DEFAULT_RATE = 100_000_000;

/** @typedef {{ stored: number, withheld: number, duplicate: number }} Counts */

async function load() {
  const { file, key, rate } = readArguments();
  const began = performance.now();
  const database = createDatabase(file);
  const counts = { stored: 0, withheld: 0, duplicate: 0 };
  const visibility = new Visibility();
  const writer = new Writer(database);

  await storeLines(database, writer, visibility, counts);
  storeUndecided(database, writer, visibility, counts);
  console.error("computing player stats …");
  completePlayers(database, writer.playerCount);
  console.error("creating indexes …");
  database.exec(INDEXES);
  addKey(database, key, rate);
  // Statistics for the planner.
  database.exec("ANALYZE");
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
  const seconds = (performance.now() - began) / 1000;
  console.error(`${JSON.stringify(counts)} in ${seconds.toFixed(1)} s`);
}

function readArguments() {
  const [file, ...rest] = process.argv.slice(2);
  const key = process.env.PEER_KEY;
  if (!file || rest.length > 0) throw new Error(`Specify one output file. ${USAGE}`);
  if (!key) throw new Error(`Set PEER_KEY to the API key. ${USAGE}`);
  if (existsSync(file))
    throw new Error(`${file} already exists; remove it or choose another file.`);
  const rate = Number(process.env.PEER_RATE ?? DEFAULT_RATE);
  if (!Number.isSafeInteger(rate) || rate < 1) {
    throw new Error("PEER_RATE must be an integer (requests per minute).");
  }
  return { file, key, rate };
}

/** @param {string} file */
function createDatabase(file) {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  // An interrupted load is repeated, so it need not survive a power failure.
  database.pragma("synchronous = OFF");
  database.pragma("cache_size = -262144");
  database.exec(TABLES);
  database.exec("CREATE TEMP TABLE undecided (line TEXT NOT NULL)");
  return database;
}

/**
 * @param {import("better-sqlite3").Database} database
 * @param {Writer} writer
 * @param {Visibility} visibility
 * @param {Counts} counts
 */
async function storeLines(database, writer, visibility, counts) {
  const keep = database.prepare("INSERT INTO undecided VALUES (?)");
  let number = 0;
  database.exec("BEGIN");
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    number += 1;
    if (line.trim() === "") continue;
    try {
      const record = readRecord(line);
      const verdict = visibility.judge(record);
      if (verdict === "undecided") keep.run(line);
      else if (verdict === "withheld") counts.withheld += 1;
      else counts[writer.write(record) ? "stored" : "duplicate"] += 1;
    } catch (error) {
      throw new Error(`cannot load line ${number}: ${/** @type {Error} */ (error).message}`);
    }
    if (number % BATCH === 0) database.exec("COMMIT; BEGIN");
    if (number % (10 * BATCH) === 0) console.error(`${number} matches read …`);
  }
  database.exec("COMMIT");
}

/**
 * Stores private matches whose players were not known to be ranked when they were read.
 *
 * @param {import("better-sqlite3").Database} database
 * @param {Writer} writer
 * @param {Visibility} visibility
 * @param {Counts} counts
 */
function storeUndecided(database, writer, visibility, counts) {
  const next = database.prepare("SELECT rowid, line FROM undecided WHERE rowid > ? LIMIT 1");
  database.transaction(() => {
    let row = /** @type {{ rowid: number, line: string } | undefined} */ (next.get(0));
    while (row) {
      const record = readRecord(row.line);
      if (!visibility.hasRankedPlayer(record)) counts.withheld += 1;
      else counts[writer.write(record) ? "stored" : "duplicate"] += 1;
      row = /** @type {typeof row} */ (next.get(row.rowid));
    }
  })();
}

/**
 * @param {import("better-sqlite3").Database} database
 * @param {string} key
 * @param {number} rate
 */
function addKey(database, key, rate) {
  const hash = createHash("sha256").update(key).digest("hex");
  database.prepare("INSERT INTO api_keys VALUES (?, 'benchmark', ?)").run(hash, rate);
}

load().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
