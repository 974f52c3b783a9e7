/** Runs the store conformance suite on SQLite. */

import { join } from "node:path";
import { openForReading, openForWriting } from "../../src/store/sqlite/open.ts";
import { SqliteReader } from "../../src/store/sqlite/reader.ts";
import { SqliteWriter } from "../../src/store/sqlite/writer.ts";
import type { Writer } from "../../src/store/store.ts";
import { aFolder } from "../support/world.ts";
import { storeConformance } from "./suite.ts";

/** Room for a few players only, so that entries are evicted. */
const CACHE_BYTES = 8192;

storeConformance("SQLite", async () => {
  const folder = aFolder();
  const path = join(folder.path, "shard.db");
  const writer = new SqliteWriter(openForWriting(path, "na"));
  const others: (SqliteReader | Writer)[] = [];
  return {
    writer,
    place: path,
    reader() {
      const reader = new SqliteReader(openForReading(path)!, CACHE_BYTES);
      others.push(reader);
      return reader;
    },
    rival(patienceMs, now) {
      const database = openForWriting(path, "na", undefined, patienceMs);
      const rival = new SqliteWriter(database, undefined, undefined, now);
      others.push(rival);
      return rival;
    },
    async close() {
      for (const store of [...others, writer]) await store.close();
      folder.remove();
    },
  };
});
