/** Scenarios: cached responses and entity tags. */

import assert from "node:assert/strict";
import { matchbookOf, recording, type Scenario } from "./scenario.ts";

export const CACHING: Record<string, Scenario> = {
  async "a record that has not changed is not sent again"(scene) {
    const { fetch, calls, statuses } = recording();
    const matchbook = matchbookOf(scene, { fetch });
    const first = await matchbook.get("/shards/na/matches/match-00");
    const second = await matchbook.get("/shards/na/matches/match-00");
    assert.deepEqual(statuses(), [200, 304]);
    assert.equal(calls[0]?.headers["If-None-Match"], undefined);
    assert.equal(calls[1]?.headers["If-None-Match"], first.etag);
    assert.deepEqual([first.fromCache, second.fromCache], [false, true]);
    assert.equal(second.document, first.document);
    assert.equal(second.text, first.text);
    assert.equal(second.limits?.limit, 1_000_000);
    assert.equal((await matchbook.shard("na").match("match-00")).gameMode, "ranked");
    assert.deepEqual(statuses(), [200, 304, 304]);
  },

  async "a list that has changed is sent again"(scene) {
    const { fetch, statuses } = recording();
    const eu = matchbookOf(scene, { fetch }).shard("eu");
    const newest = async () => (await eu.matches({ sort: "-createdAt" }).page()).items.length;
    const before = await newest();
    await globalThis.fetch(`${scene.facts.standInUrl}/add-match`);
    assert.equal(await newest(), before + 1);
    assert.equal(await newest(), before + 1);
    assert.deepEqual(statuses(), [200, 200, 304]);
  },

  async "as many responses are cached as configured, the most recently used"(scene) {
    const { fetch, statuses } = recording();
    const na = matchbookOf(scene, { fetch, cache: 2 }).shard("na");
    for (const id of ["00", "01", "00", "02", "00", "01"]) await na.match(`match-${id}`);
    assert.deepEqual(statuses(), [200, 200, 304, 200, 304, 200]);
  },

  async "nothing is cached if the cache is disabled"(scene) {
    const { fetch, statuses } = recording();
    const na = matchbookOf(scene, { fetch, cache: 0 }).shard("na");
    for (const id of ["00", "00"]) await na.match(`match-${id}`);
    assert.deepEqual(statuses(), [200, 200]);
  },

  async "responses for one key are not cached for another"(scene) {
    const { fetch, calls, statuses } = recording();
    await matchbookOf(scene, { fetch }).shard("na").match("match-00");
    await matchbookOf(scene, { fetch }).shard("na").match("match-00");
    assert.deepEqual(statuses(), [200, 200]);
    assert.equal(calls[1]?.headers["If-None-Match"], undefined);
  },
};
