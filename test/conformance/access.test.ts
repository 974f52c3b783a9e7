/** Runs the conformance suite of keys and usage on both engines, with tests for single engines. */

import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { AccessError } from "../../src/access/key-database.ts";
import { openAccess } from "../../src/open-access.ts";
import type { PostgresTarget } from "../../src/postgres/session.ts";
import { parseKeysDatabase } from "../../src/settings/database-urls.ts";
import { aFilePlace, postgresPlaces } from "../support/access-places.ts";
import { startCluster } from "../support/postgres.ts";
import { accessConformance } from "./access.ts";

accessConformance("files", aFilePlace);

const aPlace = postgresPlaces();

accessConformance("PostgreSQL", async () => aPlace());

describe("the schema of keys in PostgreSQL", () => {
  test("written by a newer Matchbook is refused", async () => {
    const { open, schema, sql, remove } = aPlace();
    const place = open();
    await place.keys.list();
    await sql.unsafe(`UPDATE ${schema}.format SET version = 99`);
    const later = open();
    expect(() => later.keys.list()).toThrow(AccessError);
    expect(() => later.keys.list()).toThrow(/\b99\b/);
    await Promise.all([place.close(), later.close()]);
    await remove();
  });

  test("may have been created by a user with more privileges", async () => {
    const cluster = await startCluster();
    const owner = new SQL(cluster.url);
    await owner.unsafe("CREATE ROLE guest LOGIN");
    await owner.unsafe("CREATE SCHEMA theirs");
    await owner.unsafe("GRANT USAGE, CREATE ON SCHEMA theirs TO guest");
    const guests = (schema: string) => {
      const url = `postgres://guest@127.0.0.1:${cluster.port}/postgres?schema=${schema}`;
      const database = (parseKeysDatabase(url) as { value: PostgresTarget }).value;
      return openAccess({ data: "", "keys-database": database });
    };
    const [allowed, refused] = [guests("theirs"), guests("another")];
    await allowed.keys.create({ name: "one" }, 1);
    expect(await allowed.keys.list()).toHaveLength(1);
    expect(() => refused.keys.list()).toThrow(/permission denied/);
    await Promise.all([allowed.close(), refused.close(), owner.close()]);
    cluster.remove();
  });

  test("contains only the hash of a key", async () => {
    const { open, schema, sql, remove } = aPlace();
    const place = open();
    const { key } = await place.keys.create({ name: "one" }, 1);
    const rows = await sql.unsafe(
      `SELECT keys::text || secrets::text AS text FROM ${schema}.keys, ${schema}.key_secrets AS secrets`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].text).not.toContain(key);
    await place.close();
    await remove();
  });
});
