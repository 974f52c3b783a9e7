/**
 * A process that prunes the shard at its first argument (sqlite:PATH or postgres://…) to the time in the second one,
 * prints a line after a few records are removed, and then waits to be killed.
 */

import { writeSync } from "node:fs";
import { openWriter } from "../../src/open-stores.ts";
import { prune } from "../../src/prune/prune.ts";
import { parseLocation } from "../../src/settings/shard-locations.ts";

const parsed = parseLocation(process.argv[2]!);
if ("error" in parsed) throw new Error(parsed.error);
await prune(openWriter("na", parsed.value), Number(process.argv[3]), {
  step: 7,
  onStep() {
    writeSync(1, "some are removed\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
