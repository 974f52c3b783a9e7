/** What requests are sent to: two servers with the same records, one of them with the compatibility profile. */

import fc from "fast-check";
import type { Event } from "../../../src/observe/events.ts";
import { State } from "../../model/state.ts";
import { history, TITLE } from "../../properties/histories.ts";
import { hasEndpoint } from "../../support/endpoints.ts";
import type { MatchDocument } from "../../support/records.ts";
import { startWorld, type World } from "../../support/world.ts";

/** The clock of the servers stands still, so that a default time window can be repeated. */
export const NOW = Date.parse("2024-07-15T12:00:00Z");

/** Each shard has its own records: the generator of the property tests, with a fixed seed. */
const SEEDS = { na: 1, eu: 10 } as const;
export type Shard = keyof typeof SEEDS;
export const SHARDS = Object.keys(SEEDS) as Shard[];

export type FuzzWorld = Awaited<ReturnType<typeof startFuzzWorld>>;

export async function startFuzzWorld() {
  const records = new Map(SHARDS.map((shard) => [shard, recordsOf(shard)]));
  let events: Event[] = [];
  const clock = { now: () => NOW, monotonic: () => performance.now() };
  const start = (flags: Record<string, string>) =>
    startWorld(
      [...records.values()].flat(),
      { "title-id": TITLE, ...flags },
      clock,
      "",
      undefined,
      undefined,
      (event) => events.push(event),
    );
  const strict = await start({});
  const compat = await start({ compat: "gamelocker" });
  return {
    strict,
    compat,
    references: new Map<string, State>(
      [...records].map(([shard, documents]) => [shard, State.of(documents, TITLE)]),
    ),
    /** The types and relationship names of all records. */
    words: wordsIn([...records.values()].flat()),
    /** From links of real responses. */
    cursors: await cursorsOf(strict),
    /** What was logged since the last call, by either server. */
    takeEvents() {
      const taken = events;
      events = [];
      return taken;
    },
    async stop() {
      await strict.stop();
      await compat.stop();
    },
  };
}

export function recordsOf(shard: Shard): MatchDocument[] {
  const [documents] = fc.sample(history, { numRuns: 1, seed: SEEDS[shard] });
  const text = JSON.stringify(documents)
    .replaceAll('"shardId":"na"', `"shardId":"${shard}"`)
    // Records may have any names, but the validator of responses knows only those that JSON:API allows.
    .replaceAll(/"(?:__proto__|ünï)":/g, '"extra-name":');
  return JSON.parse(text);
}

function wordsIn(documents: readonly MatchDocument[]): Set<string> {
  const resources = documents.flatMap(({ data, included }) => [data, ...included]);
  return new Set(
    resources.flatMap(({ type, relationships }) => [
      type as string,
      ...Object.keys(relationships ?? {}),
    ]),
  );
}

const WALKS = [
  "matches?filter[createdAt-start]=2024-01-01T00:00:00Z&page[limit]=2",
  "matches?filter[createdAt-start]=2024-01-01T00:00:00Z&page[limit]=3&sort=-createdAt",
  "matches?filter[createdAt-start]=2024-01-01T00:00:00Z&page[limit]=1&filter[playerNames]=Ana,ana",
  "changes?page[after]=oldest&page[limit]=4",
  "leaderboards/win-streak?page[limit]=2",
];

export async function cursorsOf(world: World): Promise<string[]> {
  const found = new Set<string>();
  for (const shard of SHARDS) {
    for (const start of WALKS.map((walk) => `/shards/${shard}/${walk}`).filter(hasEndpoint)) {
      let path: string | undefined = start;
      for (let pages = 0; path !== undefined && pages < 5; pages++) {
        const links: Record<string, string> = (await world.get(path)).body.links;
        for (const link of [links.next, links.prev]) {
          const query = link === undefined ? undefined : new URL(link).searchParams;
          const cursor = query?.get("page[after]") ?? query?.get("page[before]");
          if (cursor) found.add(cursor);
        }
        path = links.next;
      }
    }
  }
  return [...found];
}
