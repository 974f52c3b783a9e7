/** The upload thread on a disk that has become read-only: SQLite opens each shard, and cannot write to it. */

import "../../src/upload-worker.ts";
import { Database } from "bun:sqlite";

const { query } = Database.prototype;
Database.prototype.query = function (this: Database, sql: string) {
  if (sql === "BEGIN IMMEDIATE") this.run("PRAGMA query_only = 1");
  return query.call(this, sql);
} as typeof query;
