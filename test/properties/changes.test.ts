/** Everyone who follows the changes sees what happened: at least once, in order, and nothing else. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { StreamClient } from "../support/event-stream.ts";
import { aMatch, duel } from "../support/records.ts";
import { scaled } from "../support/scale.ts";
import { startWorld, type World } from "../support/world.ts";

const IDS = ["a", "b", "c", "d", "e"] as const;
/** Added last, so that followers know that they have seen everything. */
const LAST = "z";

/** New versions of some matches, in one transaction. A withheld one is not served. */
type Write = { id: string; isServed: boolean }[];

interface Follower {
  how: "pages" | "long polling" | "stream";
  limit: number;
  /** The matches to follow; undefined: all. */
  only: string[] | undefined;
}

const writes: fc.Arbitrary<Write[]> = fc.array(
  fc.uniqueArray(fc.record({ id: fc.constantFrom(...IDS), isServed: fc.boolean() }), {
    selector: ({ id }) => id,
    minLength: 1,
  }),
  { minLength: 1, maxLength: 12 },
);
const follower: fc.Arbitrary<Follower> = fc.record({
  how: fc.constantFrom("pages", "long polling", "stream"),
  limit: fc.integer({ min: 1, max: 4 }),
  only: fc.option(fc.subarray([...IDS], { minLength: 1 }), { nil: undefined }),
});

interface Seen {
  number: number;
  kind: string;
  id: string;
}

test("any followers of any writes see each change of a served match", async () => {
  const see = fc.asyncProperty(
    writes,
    fc.array(follower, { minLength: 1, maxLength: 6 }),
    async (given, followers) => {
      const world = await startWorld([aMatch()], {}, undefined, "", undefined, { pollMs: 2 });
      try {
        const start = new URL((await world.get(CHANGES)).body.links.next).searchParams;
        const cursor = start.get("page[after]")!;
        const following = Promise.all(followers.map((one) => follow(world, one, cursor)));
        const log = await carryOut(world, given);
        for (const [at, seen] of (await following).entries()) compare(seen, log, followers[at]!);
      } finally {
        await world.stop();
      }
    },
  );
  await fc.assert(see, { numRuns: scaled(60) });
}, 600_000);

/** The changes of each transaction, which may come in any order. */
type Log = Omit<Seen, "number">[][];

async function carryOut(world: World, given: Write[]): Promise<Log> {
  const served = new Set<string>();
  const log: Log = [];
  const began = Date.now() - 60_000;
  let version = 0;
  for (const write of [...given, [{ id: LAST, isServed: true }]]) {
    const documents = write.map(({ id, isServed }) =>
      aMatch({
        id,
        mode: isServed ? "casual" : "practice",
        // No two versions are equal: one that is would change nothing.
        createdAt: began - ++version,
        rosters: duel({ id: `player-${id}` }, { id: "other" }),
      }),
    );
    await world.ingest(documents, { replace: true });
    log.push(write.flatMap(({ id, isServed }) => changeOf(served, id, isServed) ?? []));
  }
  return log;
}

function changeOf(served: Set<string>, id: string, isServed: boolean) {
  const wasServed = served.has(id);
  if (!isServed) return served.delete(id) ? { kind: "removed", id } : undefined;
  served.add(id);
  return { kind: wasServed ? "replaced" : "added", id };
}

const CHANGES = "/shards/na/changes";

async function follow(
  world: World,
  { how, limit, only }: Follower,
  cursor: string,
): Promise<Seen[]> {
  const ids = only && [...only, LAST].map((id) => `player-${id}`).join(",");
  const filter = ids ? `&filter[playerIds]=${ids}` : "";
  if (how === "stream") return followStream(world, `${CHANGES}?${filter}`, cursor, limit);
  const wait = how === "long polling" ? "&page[wait]=25" : "";
  const seen: Seen[] = [];
  let url = `${CHANGES}?page[after]=${cursor}&page[limit]=${limit}${wait}${filter}`;
  while (seen.at(-1)?.id !== LAST) {
    const { body } = await world.get(url);
    expect(body.data.length).toBeLessThanOrEqual(limit);
    seen.push(...body.data.map(seenOf));
    url = body.links.next;
  }
  return seen;
}

/** Connects again after a few changes each time. */
async function followStream(
  world: World,
  path: string,
  cursor: string,
  limit: number,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  let lastId = cursor;
  while (seen.at(-1)?.id !== LAST) {
    const client = await StreamClient.open(`${world.url}${path}`, {
      Authorization: `Bearer ${world.key}`,
      "Last-Event-ID": lastId,
    });
    for (let count = 0; count < limit && seen.at(-1)?.id !== LAST; count++) {
      const event = (await client.next())!;
      seen.push(seenOf(JSON.parse(event.data)));
      lastId = event.lastId;
    }
    client.close();
  }
  return seen;
}

// biome-ignore lint/suspicious/noExplicitAny: a resource of the feed.
function seenOf({ id, attributes, relationships }: any): Seen {
  const number = Number.parseInt(id.split("-")[0], 36);
  return { number, kind: attributes.kind, id: relationships.match.data.id };
}

/** The world begins with one match. */
const FIRST_NUMBER = 2;

function compare(seen: Seen[], log: Log, { only }: Follower): void {
  const numbers = seen.map(({ number }) => number);
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
  let first = FIRST_NUMBER;
  for (const [at, changes] of log.entries()) {
    const end = first + changes.length;
    const inTransaction = seen.filter(({ number }) => number >= first && number < end);
    const found = inTransaction.map(({ kind, id }) => `${kind} ${id}`).sort();
    const wanted = changes.filter(({ id }) => !only || [...only, LAST].includes(id));
    // A change may be left out if its match was removed meanwhile.
    const needed = wanted.filter(
      ({ kind, id }) =>
        kind === "removed" ||
        !log
          .slice(at + 1)
          .some((later) => later.some((one) => one.kind === "removed" && one.id === id)),
    );
    const written = (some: Log[number]) => some.map(({ kind, id }) => `${kind} ${id}`).sort();
    expect(written(wanted)).toEqual(expect.arrayContaining(found));
    expect(found).toEqual(expect.arrayContaining(written(needed)));
    expect(new Set(found).size).toBe(found.length);
    first = end;
  }
  expect([numbers.find((number) => number < FIRST_NUMBER), numbers.at(-1)]).toEqual([
    undefined,
    first - 1,
  ]);
}
