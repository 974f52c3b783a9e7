/** Empty shards in PostgreSQL for the conformance suite, each in its own schema. */

import { SQL } from "bun";
import { PostgresReader } from "../../src/store/postgres/reader.ts";
import { IN_INDEX_ORDER, PATIENCE, Session } from "../../src/store/postgres/session.ts";
import { PostgresWriter } from "../../src/store/postgres/writer.ts";
import type { Writer } from "../../src/store/store.ts";
import { rowsOf } from "../support/engine-postgres.ts";
import type { TestStore } from "./suite.ts";

const CACHE_BYTES = 8192;

/**
 * The empty shards of one database; `remove` drops them. The next shard gets the schema of one that is
 * closed, emptied, and its connections: new ones would take most of the time of the suite.
 */
export function emptyShards(url: () => string, prepares: boolean) {
  let made = 0;
  let sql: SQL | undefined;
  const create = async () => {
    const schema = `test_${process.pid}_${++made}`;
    const place = { url: url(), shown: "the test's database", schema, prepares, pool: 4 };
    const session = new KeptSession(place);
    await new PostgresWriter(session, "na").ready();
    const reading = new KeptSession(place, PATIENCE, IN_INDEX_ORDER);
    sql ??= new SQL(url(), { max: 1, prepare: prepares });
    return { place, session, reading, empty: await rowsOf(sql, schema) };
  };
  const idle: Awaited<ReturnType<typeof create>>[] = [];
  return {
    async make(): Promise<TestStore> {
      const schema = idle.pop() ?? (await create());
      const { place, session, reading } = schema;
      const rivals: Writer[] = [];
      return {
        writer: new PostgresWriter(session, "na"),
        place,
        reader: () => new PostgresReader(reading, CACHE_BYTES),
        rival(patienceMs, now = Date.now) {
          const rival = new PostgresWriter(new Session(place), "na", now, patienceMs);
          rivals.push(rival);
          return rival;
        },
        async close() {
          for (const rival of rivals) await rival.close();
          await schema.empty();
          idle.push(schema);
        },
      };
    },
    async remove(): Promise<void> {
      for (const { place, session, reading } of idle) {
        await reading.end();
        await session.run(`DROP SCHEMA "${place.schema}" CASCADE`);
        await session.end();
      }
      await sql?.close();
    },
  };
}

/** Stays open when the store that uses it is closed. */
class KeptSession extends Session {
  override async close(): Promise<void> {}

  end(): Promise<void> {
    return super.close();
  }
}
