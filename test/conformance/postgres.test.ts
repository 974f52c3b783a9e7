/** Runs the store conformance suite on PostgreSQL. */

import { afterAll } from "bun:test";
import { aPostgres } from "../support/postgres.ts";
import { emptyShard } from "./postgres-stores.ts";
import { storeConformance } from "./suite.ts";

const { url, stop } = await aPostgres();
afterAll(stop);

storeConformance("PostgreSQL", () => emptyShard(url, true));
