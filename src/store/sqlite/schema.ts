/** The tables of a shard's file, and the migrations of formats since the first release. */

import type { Database } from "bun:sqlite";
import { createTable, insertInto } from "../../sqlite/create.ts";
import { DECLARED } from "../all-tables/declared.ts";
import { newDerived } from "../all-tables/derived.ts";
import { newShard } from "../core/shard.ts";
import { FIRST_FORMAT } from "../formats.ts";
import { storedValues } from "../table.ts";
import { DERIVED, SHARD } from "../tables.ts";

/** Creates the tables of the first format. */
export function createTables(database: Database, shard: string): void {
  for (const statement of DECLARED.flatMap(createTable)) database.run(statement);
  database.run(insertInto(SHARD), storedValues(SHARD, newShard(shard)));
  for (const row of newDerived()) database.run(insertInto(DERIVED), storedValues(DERIVED, row));
}

/** Runs in a transaction of its own. */
export type Migration = (database: Database) => void;

/** Entry n migrates from the format FIRST_FORMAT + n to the next one. Only append. */
export const MIGRATIONS: readonly Migration[] = [];

/** The current format. */
export const FORMAT = FIRST_FORMAT + MIGRATIONS.length;

/** Identifies the file as a Matchbook shard: "MTBK". */
export const APPLICATION_ID = 0x4d54424b;
