/** Empty shards in PostgreSQL for the conformance suite, each in its own schema. */

import { ReadSession } from "../../src/store/postgres/read-session.ts";
import { PostgresReader } from "../../src/store/postgres/reader.ts";
import {
  IN_INDEX_ORDER,
  PATIENCE,
  type PostgresTarget,
  Session,
} from "../../src/store/postgres/session.ts";
import { PostgresWriter } from "../../src/store/postgres/writer.ts";
import type { Writer } from "../../src/store/store.ts";
import type { TestStore } from "./suite.ts";

const CACHE_BYTES = 8192;

/**
 * The empty shards of one database; `remove` drops them. The next shard gets the schema of one that is
 * closed, emptied, and its connections: new ones would take most of the time of the suite.
 */
export function emptyShards(url: () => string, prepares: boolean) {
  const idle: EmptySchema[] = [];
  let made = 0;
  const create = async (): Promise<EmptySchema> => {
    const schema = `test_${process.pid}_${++made}`;
    const place = { url: url(), shown: "the test's database", schema, prepares, pool: 4 };
    const session = new KeptSession(place);
    await new PostgresWriter(session).ready();
    const reading = new KeptSession(place, PATIENCE, IN_INDEX_ORDER);
    return { place, session, reading, row: await shardRow(session) };
  };
  return {
    async make(): Promise<TestStore> {
      const schema = idle.pop() ?? (await create());
      const { place, session, reading } = schema;
      const rivals: Writer[] = [];
      return {
        writer: new PostgresWriter(session),
        place,
        reader: () => new PostgresReader(new ReadSession(reading), CACHE_BYTES),
        rival(patienceMs) {
          const rival = new PostgresWriter(new Session(place), Date.now, patienceMs);
          rivals.push(rival);
          return rival;
        },
        async close() {
          for (const rival of rivals) await rival.close();
          await empty(schema);
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
    },
  };
}

interface EmptySchema {
  place: PostgresTarget;
  session: KeptSession;
  reading: KeptSession;
  /** The row of its table `shard` when it was new. */
  row: string;
}

/** Stays open when the store that uses it is closed. */
class KeptSession extends Session {
  override async close(): Promise<void> {}

  end(): Promise<void> {
    return super.close();
  }
}

async function shardRow(session: Session): Promise<string> {
  const [found] = await session.rows<{ row: string }>(
    "SELECT to_jsonb(shard)::text AS row FROM {shard}",
  );
  return found!.row;
}

/** Makes it like a new one, except for partitions, which stay. */
async function empty({ place, session, row }: EmptySchema): Promise<void> {
  await session.run(`DO $$ DECLARE emptied regclass; BEGIN
    FOR emptied IN SELECT oid FROM pg_class WHERE relnamespace = '"${place.schema}"'::regnamespace
      AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'format'
    LOOP EXECUTE 'DELETE FROM ' || emptied; END LOOP; END $$`);
  await session.run(
    "INSERT INTO {shard} SELECT (jsonb_populate_record(NULL::{shard}, $1::text::jsonb)).*",
    [row],
  );
}
