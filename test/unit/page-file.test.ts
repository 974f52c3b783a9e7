/** Pages of an SQLite file are read with what is committed in its WAL, as SQLite does. */

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { closeSync, copyFileSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { PageFile } from "../../src/store/sqlite/page-file.ts";
import { isWalCut } from "../../src/store/sqlite/wal-frames.ts";
import { aFolder } from "../support/world.ts";

let folder: ReturnType<typeof aFolder>;
let path: string;
let writer: Database;
beforeEach(() => {
  folder = aFolder();
  path = join(folder.path, "source.db");
  writer = new Database(path);
  writer.run("PRAGMA page_size = 8192");
  writer.run("PRAGMA auto_vacuum = INCREMENTAL");
  writer.run("PRAGMA journal_mode = WAL");
  writer.run("CREATE TABLE rows (num INTEGER PRIMARY KEY, body BLOB)");
  add(40);
});
afterEach(() => {
  writer.close();
  folder.remove();
});

const add = (count: number) =>
  writer.run(
    `WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO rows (body) SELECT randomblob(3000) FROM n`,
  );

/** A copy with its WAL, as after a crash. */
function copy(): string {
  const to = join(folder.path, "copy.db");
  for (const end of ["", "-wal"]) copyFileSync(`${path}${end}`, `${to}${end}`);
  return to;
}

/** What SQLite has made of a file and its WAL. */
function checkpointed(file: string): Buffer[] {
  const database = new Database(file);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  const bytes = readFileSync(file);
  return Array.from({ length: bytes.length / 8192 }, (_, at) =>
    bytes.subarray(at * 8192, (at + 1) * 8192),
  );
}

function pagesIn(file: string): Buffer[] {
  const pages = new PageFile(file);
  const read = Array.from({ length: pages.pages }, (_, at) => pages.read(at + 1)!);
  pages.close();
  return read;
}

test("the pages of committed transactions are those in the WAL", () => {
  const file = copy();
  const read = pagesIn(file);
  expect(read.length).toBeGreaterThan(20);
  expect(read).toEqual(checkpointed(file));
});

test("frames from before the WAL was started over are ignored", () => {
  writer.run("PRAGMA wal_checkpoint(RESTART)");
  writer.run("UPDATE rows SET body = x'00' WHERE num = 3");
  const file = copy();
  const read = pagesIn(file);
  expect(read).toEqual(checkpointed(file));
});

test("damage to the WAL ends it, and is reported", () => {
  const { size } = statSync(`${path}-wal`);
  add(1);
  const file = copy();
  const handle = openSync(`${file}-wal`, "r+");
  writeSync(handle, "damage", size + 2000);
  closeSync(handle);
  expect(isWalCut(`${path}-wal`)).toBe(false);
  expect(isWalCut(`${file}-wal`)).toBe(true);
  const read = pagesIn(file);
  expect(read).toEqual(checkpointed(file));
});

test("pages that were freed are recognized", () => {
  writer.run("DELETE FROM rows WHERE num > 10");
  writer.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const { freelist_count } = writer
    .query<{ freelist_count: number }, []>("PRAGMA freelist_count")
    .get()!;
  const pages = new PageFile(path);
  const free = Array.from({ length: pages.pages }, (_, at) => pages.isFree(at + 1));
  expect(free.filter(Boolean).length).toBe(freelist_count);
  expect(freelist_count).toBeGreaterThan(10);
});
