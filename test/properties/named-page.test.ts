/** A list by name is that of one state of the shard, whatever is committed between the reads of its request. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { readNamedPage } from "../../src/http/matches.ts";
import type { MatchesQuery } from "../../src/query/query.ts";
import type { Page, Reader, Selection } from "../../src/store/store.ts";

/** More reads than the request needs for one attempt. Nothing is committed after them. */
const READS = 24;

const QUERY: MatchesQuery = {
  window: { start: 0, end: READS * 10 },
  sort: "-createdAt",
  pageStart: { from: "offset", offset: 0 },
  limit: 1,
  filters: {
    playerNames: ["Ada"],
    playerIds: undefined,
    teamNames: undefined,
    gameModes: undefined,
    patchVersions: undefined,
  },
  include: undefined,
  fields: undefined,
  given: [],
};

/** Commit n adds match n of the one player, who is called Ada after an even number of commits. Each read is of the latest state. */
function shardWith(commitsBeforeRead: readonly number[]) {
  let commits = 0;
  let reads = 0;
  const read = <T>(answer: () => T): T => {
    commits += commitsBeforeRead[reads++] ?? 0;
    return answer();
  };
  const reader = {
    lastCommit: async () => read(() => commits),
    idsNamed: async () => read(() => (commits % 2 === 0 ? ["player"] : [])),
    matches: ({ players }: Selection) =>
      read((): Page => {
        const latest = { createdAt: commits, id: `match-${commits}` };
        const edges = players[0]!.length > 0 ? { first: latest, last: latest } : undefined;
        const more = { before: false, after: false };
        return { matches: [], players: [], teams: [], edges, more };
      }),
  };
  return { reader: reader as unknown as Reader, commits: () => commits };
}

test("a list by name was right at one moment of its request", async () => {
  const commits = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: READS, maxLength: READS });
  const holds = fc.asyncProperty(commits, async (before) => {
    const shard = shardWith(before);
    const { page } = await readNamedPage(QUERY, shard.reader);
    const shown = page.edges?.first.createdAt;
    if (shown !== undefined) expect(shown % 2).toBe(0);
    else expect(shard.commits()).toBeGreaterThan(0);
  });
  await fc.assert(holds, { numRuns: 2000 });
});
