/** The tables of a new shard's file. */

import type { Database } from "bun:sqlite";
import { createTable, insertInto } from "../../sqlite/create.ts";
import { DECLARED } from "../all-tables/declared.ts";
import { newDerived } from "../all-tables/derived.ts";
import { newShard } from "../core/shard.ts";
import { storedValues } from "../table.ts";
import { DERIVED, SHARD } from "../tables.ts";

export function createTables(database: Database, shard: string): void {
  for (const statement of DECLARED.flatMap(createTable)) database.run(statement);
  database.run(insertInto(SHARD), storedValues(SHARD, newShard(shard)));
  for (const row of newDerived()) database.run(insertInto(DERIVED), storedValues(DERIVED, row));
}

/** Identifies the file as a Matchbook shard: "MTBK". */
export const APPLICATION_ID = 0x4d54424b;
