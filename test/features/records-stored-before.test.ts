/**
 * Tests records stored by an earlier version, which included team attributes in the content of a match and
 * kept an empty `shardId` of participants. The fixture is a shard which that version wrote from the records
 * next to it.
 */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { draftOf, type Loose } from "../support/drafts.ts";
import { servedPages } from "../support/state.ts";
import { startWorld, type World } from "../support/world.ts";

const FIXTURE = join(import.meta.dir, "../fixtures/shard-with-team-hashes");
const records: Loose[] = readFileSync(`${FIXTURE}.ndjson`, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));

let world: World;
beforeEach(async () => {
  world = await startWorld();
  writeFileSync(join(world.data, "na.db"), gunzipSync(readFileSync(`${FIXTURE}.db.gz`)));
});
afterEach(() => world.stop());

/** Changes and resends each record; returns the report and whether anything is served differently. */
async function sendAgain(change: (draft: Loose) => unknown, options = {}) {
  const now = Date.now();
  const before = await servedPages(world.data, now);
  expect(before.size).toBeGreaterThan(0);
  const changed = records.map((record) => {
    const draft = draftOf(record);
    change(draft);
    return draft.document;
  });
  const { report } = await world.ingest(changed, options);
  const isUnchanged = Bun.deepEquals(before, await servedPages(world.data, now));
  return { ...report, isUnchanged };
}

describe("a match that an earlier version stored", () => {
  test.each([false, true])(
    "is a duplicate when it is sent again (replace: %p)",
    async (replace) => {
      const outcome = await sendAgain(() => {}, { replace });
      expect(outcome).toMatchObject({ duplicate: 3, conflict: 0, stored: 0, isUnchanged: true });
    },
  );

  test("is a duplicate after its team changed its tag", async () => {
    const outcome = await sendAgain(({ at }) => {
      at("team/team-1").attributes.name = "NEW";
    });
    expect(outcome).toMatchObject({ duplicate: 3, conflict: 0, isUnchanged: true });
  });

  test("is a conflict when its content differs", async () => {
    const outcome = await sendAgain(({ match }) => {
      match.attributes.duration += 1;
    });
    expect(outcome).toMatchObject({ duplicate: 0, conflict: 3, isUnchanged: true });
  });
});
