/** Verify never reports a shard that is only being written to. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { prune } from "../../src/prune/prune.ts";
import { redactPlayers } from "../../src/redact/redact.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import { homeAt, settingsAt } from "../support/places.ts";
import { aPostgres } from "../support/postgres.ts";
import type { MatchDocument } from "../support/records.ts";
import { scaled } from "../support/scale.ts";
import { verifiedInSteps } from "../support/verify.ts";
import { aFolder, ingestWith } from "../support/world.ts";
import { history, PLAYER_IDS, SHARD } from "./histories.ts";

const scenario = fc.record({
  before: history,
  // The same ids with other content: replacing them adds, changes and removes matches, players, teams and names.
  meanwhile: fc.tuple(history, history).map((histories) => histories.flat()),
  batch: fc.integer({ min: 1, max: 4 }),
  limit: fc.integer({ min: 1, max: 9 }),
  redactAfter: fc.integer({ min: 1, max: 4 }),
  /** How many steps there are between two writes. */
  stepsBetween: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 }),
});

const CUTOFF = Date.parse("2024-05-01T00:00:00Z");

type Pass = (
  settings: Settings,
  limit: number,
  between: () => Promise<unknown>,
) => Promise<unknown[]>;

const verify: Pass = (settings, limit, between) => verifiedInSteps(settings, SHARD, limit, between);

const postgres = await aPostgres();
afterAll(() => postgres.stop());

let made = 0;
const inPostgres = () => `${postgres.url}?schema=busy_${process.pid}_${made++}`;
const inFile = (folder: string) => `sqlite:${join(folder, "na.db")}`;

const PASSES: [name: string, pass: Pass, place: (folder: string) => string, runs: number][] = [
  ["verify", verify, inFile, 20],
  ["verify in PostgreSQL", verify, inPostgres, 8],
];

test.each(PASSES)(
  "%s: records that are added, replaced, withheld, redacted and pruned between the steps are not damage",
  async (_, pass, place, runs) => {
    const isFoundWhole = fc.asyncProperty(scenario, async (given) => {
      const folder = aFolder();
      const settings = settingsAt(homeAt(folder.path, place(folder.path)));
      // They stay open: opening them for each write would take most of the time.
      const shards = openShards(settings, unobserved);
      const writer = shards.writer(SHARD);
      const replace = (documents: MatchDocument[]) =>
        ingestWith(shards, settings, documents, { replace: true });
      try {
        await replace(given.before);
        const waiting = [...given.meanwhile];
        let step = 0;
        let writes = 0;
        const meanwhile = async () => {
          step += 1;
          if (step < given.stepsBetween[writes % given.stepsBetween.length]!) return;
          step = 0;
          writes += 1;
          await replace(waiting.splice(0, given.batch));
          if (writes === given.redactAfter) {
            await redactPlayers(writer, [{ playerId: PLAYER_IDS[0]!, redactedAt: 0 }]);
            await writer.emptyLog();
          }
        };
        expect(await pass(settings, given.limit, meanwhile)).toEqual([]);
        await replace(waiting);
        const pruning = prune(writer, CUTOFF, { step: 1, rest: 0 });
        expect(await pass(settings, given.limit, () => Bun.sleep(0))).toEqual([]);
        await pruning;
        // Without writes, the rows are also counted.
        expect(await pass(settings, given.limit, async () => {})).toEqual([]);
      } finally {
        await shards.close();
        folder.remove();
      }
    });
    await fc.assert(isFoundWhole, { numRuns: scaled(runs, 3) });
  },
  600_000,
);
