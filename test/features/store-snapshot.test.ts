/** What a request sees of an SQLite file that other processes write. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { readLogEnds } from "../../src/store/core/change-log.ts";
import type { LogPosition, Reader } from "../../src/store/store.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const MATCHBOOK = join(import.meta.dir, "..", "..", "bin", "matchbook");

test("a request sees what was committed before it, although its turn of the event loop began earlier", async () => {
  await using world = await startWorld([aMatch({ id: "first" })]);
  const shards = openShards(world.settings, unobserved);
  await shards.reader("na");
  const reader = () => shards.reader("na") as Reader;
  const { end } = reader().read(readLogEnds) as { end: LogPosition };
  // The turn does not end meanwhile.
  const { exitCode } = Bun.spawnSync([MATCHBOOK, "ingest", "-", "--data", world.data], {
    stdin: Buffer.from(JSON.stringify(aMatch({ id: "second" }))),
  });
  expect(exitCode).toBe(0);
  expect(await reader().changes(end, 10)).toMatchObject({ changes: [{ match: { id: "second" } }] });
  await shards.close();
});
