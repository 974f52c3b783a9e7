/** The upload thread on a nearly full disk: SQLite may add only a few pages to each shard. */

import "../../src/upload-worker.ts";
import { Database } from "bun:sqlite";

const MAX_PAGES = 150;

const { query } = Database.prototype;
Database.prototype.query = function (this: Database, sql: string) {
  this.run(`PRAGMA max_page_count = ${MAX_PAGES}`);
  return query.call(this, sql);
} as typeof query;
