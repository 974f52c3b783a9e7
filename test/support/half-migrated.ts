/**
 * A process that migrates the shard at its first argument (sqlite:PATH or postgres://…), prints a line before the
 * commit, or with a second argument after some rows are rewritten, and then waits to be killed.
 */

import { writeSync } from "node:fs";
import { migrateShard } from "../../src/open-stores.ts";
import { parseLocation } from "../../src/settings/shard-locations.ts";
import { COMPLETIONS as POSTGRES } from "../../src/store/postgres/schema.ts";
import { COMPLETIONS as SQLITE } from "../../src/store/sqlite/schema.ts";

function stopAfter<Argument>(steps: ReadonlyMap<number, (argument: Argument) => unknown>): void {
  for (const [number, step] of steps) {
    (steps as Map<number, typeof step>).set(number, (argument) => {
      const done = step(argument);
      return done instanceof Promise ? done.then(waitForTheEnd) : waitForTheEnd();
    });
  }
}

function waitForTheEnd(): void {
  writeSync(1, "all but committed\n");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

if (process.argv[3] === undefined) {
  stopAfter(SQLITE);
  stopAfter(POSTGRES);
}
const parsed = parseLocation(process.argv[2]!);
if ("error" in parsed) throw new Error(parsed.error);
await migrateShard(parsed.value, () => waitForTheEnd);
