/** Tests that the write-ahead log of a SQLite shard stays small, although clients read without a pause. */

import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { openForWriting } from "../../src/store/sqlite/open.ts";
import { SqliteWriter } from "../../src/store/sqlite/writer.ts";
import { withheld } from "../conformance/entries.ts";
import { readOn } from "../support/engine-sqlite.ts";
import { aFolder } from "../support/world.ts";

const LIMIT = 512 * 1024;
const RECORD_BYTES = 64 * 1024;
const BUSY_READER = new URL("../support/busy-reader.ts", import.meta.url);

/** A shard whose writer has a low limit. */
function aShard(patienceMs?: number) {
  const folder = aFolder();
  const path = join(folder.path, "shard.db");
  const limits = { maxBytes: LIMIT, ...(patienceMs === undefined ? {} : { patienceMs }) };
  const writer = new SqliteWriter(openForWriting(path, "na"), undefined, limits);
  let records = 0;
  return {
    path,
    /** Stores a record in a transaction, and returns the size of the WAL. */
    async store(): Promise<number> {
      const encoded = crypto.getRandomValues(new Uint8Array(RECORD_BYTES));
      const record = { ...withheld(`m${records++}`, "ending"), encoded };
      await writer.write(async (transaction) => transaction.addWithheld([record]));
      return statSync(`${path}-wal`).size;
    },
    stored: async () => (await writer.counts()).withheld.ending,
    close() {
      writer.close();
      folder.remove();
    },
  };
}

test.each([
  ["threads", startThread],
  ["processes", startProcess],
])(
  "the WAL stays below its limit plus one transaction while %s read without a pause",
  async (_, start) => {
    const shard = aShard();
    const readers = await Promise.all([start(shard.path), start(shard.path)]);
    const sizes: number[] = [];
    for (let number = 0; number < 50; number++) sizes.push(await shard.store());
    for (const reader of readers) await reader.end();
    expect(await shard.stored()).toBe(50);
    shard.close();
    expect(Math.max(...sizes)).toBeGreaterThan(LIMIT / 2);
    expect(Math.max(...sizes)).toBeLessThan(LIMIT + 2 * RECORD_BYTES);
  },
);

test("a long read does not stop writers, and the first transaction after it empties the WAL", async () => {
  const shard = aShard(0);
  await shard.store();
  const endRead = readOn(shard.path);
  let size = 0;
  while (size < LIMIT + 3 * RECORD_BYTES) size = await shard.store();
  endRead();
  expect(await shard.store()).toBeLessThan(LIMIT);
  shard.close();
});

/** As in a server that stores uploads. */
async function startThread(path: string) {
  const thread = new Worker(BUSY_READER.href);
  const nextMessage = () =>
    new Promise<void>((resolve, reject) => {
      thread.onmessage = () => resolve();
      thread.onerror = ({ message }) => reject(new Error(message));
    });
  const reading = nextMessage();
  thread.postMessage(path);
  await reading;
  return {
    async end() {
      const ended = nextMessage();
      thread.postMessage("end");
      await ended;
      thread.terminate();
    },
  };
}

/** As beside `matchbook ingest`. */
async function startProcess(path: string) {
  const child = Bun.spawn([process.execPath, BUSY_READER.pathname, path], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  expect(Buffer.from(value!).toString()).toBe("reading\n");
  return {
    async end() {
      child.kill();
      await child.exited;
    },
  };
}
