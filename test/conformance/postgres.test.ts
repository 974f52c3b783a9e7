/** Runs the store conformance suite on PostgreSQL. */

import { afterAll } from "bun:test";
import { aPostgres } from "../support/postgres.ts";
import { emptyShards } from "./postgres-stores.ts";
import { storeConformance } from "./suite.ts";

const { url, stop } = await aPostgres();
const shards = emptyShards(() => url, true);
afterAll(async () => {
  await shards.remove();
  stop();
});

storeConformance("PostgreSQL", shards.make);
