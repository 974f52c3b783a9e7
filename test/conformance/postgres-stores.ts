/** Empty shards in PostgreSQL for the conformance suite, each in its own schema. */

import { sessionForReading } from "../../src/store/postgres/read-session.ts";
import { PostgresReader } from "../../src/store/postgres/reader.ts";
import { Session } from "../../src/store/postgres/session.ts";
import { PostgresWriter } from "../../src/store/postgres/writer.ts";
import type { Writer } from "../../src/store/store.ts";
import type { TestStore } from "./suite.ts";

const CACHE_BYTES = 8192;
let made = 0;

export async function emptyShard(url: string, prepares: boolean): Promise<TestStore> {
  const schema = `test_${process.pid}_${++made}`;
  const place = { url, shown: "the test's database", schema, prepares, pool: 4 };
  const writer = new PostgresWriter(new Session(place));
  await writer.ready();
  const others: (PostgresReader | Writer)[] = [];
  return {
    writer,
    place,
    reader() {
      const reader = new PostgresReader(sessionForReading(place), CACHE_BYTES);
      others.push(reader);
      return reader;
    },
    rival(patienceMs) {
      const rival = new PostgresWriter(new Session(place), Date.now, patienceMs);
      others.push(rival);
      return rival;
    },
    async close() {
      for (const store of [...others, writer]) await store.close();
      const session = new Session(place);
      await session.run(`DROP SCHEMA "${schema}" CASCADE`);
      await session.close();
    },
  };
}
