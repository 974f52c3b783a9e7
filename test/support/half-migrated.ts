/**
 * A process that migrates the shard at its first argument (sqlite:PATH or postgres://…), prints a line before the
 * commit, or with a second argument after some rows are rewritten, and then waits to be killed.
 */

import { writeSync } from "node:fs";
import { migrateShard } from "../../src/open-stores.ts";
import { parseLocation } from "../../src/settings/shard-locations.ts";
import { COMPLETIONS as POSTGRES } from "../../src/store/postgres/schema.ts";
import { COMPLETIONS as SQLITE } from "../../src/store/sqlite/schema.ts";

/** Stops at the end of the first migration, which both engines have. */
function stopEarly<Argument>(steps: ReadonlyMap<number, (argument: Argument) => unknown>): void {
  (steps as Map<number, unknown>).set(1, waitForTheEnd);
}

function waitForTheEnd(): void {
  writeSync(1, "all but committed\n");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

if (process.argv[3] === undefined) {
  stopEarly(SQLITE);
  stopEarly(POSTGRES);
}
const parsed = parseLocation(process.argv[2]!);
if ("error" in parsed) throw new Error(parsed.error);
await migrateShard("na", parsed.value, () => waitForTheEnd);
