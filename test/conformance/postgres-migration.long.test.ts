/** Migrates shards in PostgreSQL that an older Matchbook created. */

import { afterAll, expect, test } from "bun:test";
import { indexKeys } from "../../src/domain/similar-names.ts";
import { sessionForReading } from "../../src/store/postgres/read-session.ts";
import { PostgresReader } from "../../src/store/postgres/reader.ts";
import { FORMAT } from "../../src/store/postgres/schema.ts";
import { Session } from "../../src/store/postgres/session.ts";
import { PostgresWriter } from "../../src/store/postgres/writer.ts";
import { loadPostgres } from "../support/formats.ts";
import { aPostgres } from "../support/postgres.ts";

const { url, stop } = await aPostgres();
const schema = `migration_${process.pid}`;
const place = { url, shown: "the test's", schema, prepares: true, pool: 2 };
const session = new Session(place);
afterAll(async () => {
  await session.run(`DROP SCHEMA "${schema}" CASCADE`);
  await session.close();
  stop();
});

/** More than one step of the migration. */
const MANY = 2500;

test("a shard of format 1 gets a name index when it is migrated", async () => {
  const names = Array.from({ length: MANY }, (_, number) => `名 ${number}`);
  await loadPostgres(url, "postgres-shard-1", schema);
  await session.run("DELETE FROM {players}");
  await session.run(
    `INSERT INTO {players} (num, id, name, seen_at, seen_in, run, played, wins, played_ranked, gold, resource)
     SELECT number, 'p' || number, name, 0, 'm', 0, 0, 0, 0, '0', ''
     FROM unnest($1::text[]) WITH ORDINALITY AS given (name, number)`,
    [[...names, "名 7"]],
  );

  const after = new PostgresWriter(new Session(place), "na");
  expect(await after.ready(() => {})).toBe(FORMAT);
  const reader = new PostgresReader(sessionForReading(place), 0);
  const [listed] = await session.rows<{ names: string; rows: string }>(
    "SELECT count(DISTINCT name) AS names, count(*) AS rows FROM {name_index}",
  );
  expect(listed).toEqual({
    names: String(MANY),
    rows: String(names.flatMap(indexKeys).length),
  });
  expect(await reader.namesAround(indexKeys("名 2345"), 0, 1)).toContain("名 2345");
  await reader.close();
  await after.close();
}, 60_000);
