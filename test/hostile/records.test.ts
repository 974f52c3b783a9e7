/** Thousands of hostile records: each is stored completely or rejected with reasons, and none does harm. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { recordsIn as recordsOf } from "../../src/ingest/report.ts";
import { changesIn, getAsSent } from "../model/as-sent.ts";
import { SEED } from "../support/chance.ts";
import { scaled } from "../support/scale.ts";
import { startWorld, type World } from "../support/world.ts";
import { type HostileRecord, hostileRecords, UNTIL } from "../trial/fuzz/hostile-records.ts";
import {
  fates,
  isReadable,
  matchesIn,
  recordsIn,
  type Taken,
  takeIn,
} from "../trial/fuzz/intake.ts";

const COUNT = scaled(6000);
const DAY = 24 * 60 * 60 * 1000;

let world: World;
let records: HostileRecord[];
let taken: Taken;

beforeAll(async () => {
  records = [...hostileRecords(SEED, COUNT)];
  world = await startWorld();
  taken = await takeIn(
    world.settings,
    records.map(({ line }) => line),
    UNTIL + DAY,
  );
}, 600_000);
afterAll(() => world.stop());

/** Names a record so that it can be reproduced. */
const nameOf = (number: number) =>
  `record ${number} of HOSTILE_SEED=${SEED} (${records[number]!.kind})`;

/** The numbers of the records that were not rejected. */
const accepted = () => [...records.keys()].filter((number) => !taken.rejections.has(number + 1));

test(`every record is accounted for (HOSTILE_SEED=${SEED})`, () => {
  // Unlinked included resources in a list of matches are one additional rejection.
  const counts = records.map(({ line }) => recordsIn(line));
  const least = counts.reduce((sum, count) => sum + count, 0);
  const lists = counts.filter((count) => count !== 1).length;
  expect(recordsOf(taken.report)).toBeWithin(least, least + lists + 1);
  expect(taken.report.stored).toBeGreaterThan(COUNT / 10);
  expect(taken.report.rejected).toBeGreaterThan(COUNT / 4);
}, 600_000);

test("every rejection has readable reasons", () => {
  const unreadable = [...taken.rejections].flatMap(([line, rejections]) =>
    rejections
      .filter(({ problems }) => problems.length === 0 || !problems.every(isReadable))
      .map(({ problems }) => [nameOf(line - 1), problems]),
  );
  expect(unreadable).toEqual([]);
});

test("records that cannot be read, or would lose data, are never stored", () => {
  const hopeless = new Set([
    "cut off",
    "front missing",
    "broken UTF-8",
    "raw NUL",
    "abyss",
    "noise",
  ]);
  for (const kind of ["repeated member", "doubled", "byte order mark", "strays", "repeats"]) {
    hopeless.add(kind);
  }
  const survivors = accepted().filter((number) => hopeless.has(records[number]!.kind));
  expect(survivors.map(nameOf)).toEqual([]);
});

test("a repeated member is the reason given", () => {
  const repeated = [...records.keys()].filter(
    (number) => records[number]!.kind === "repeated member",
  );
  expect(repeated.length).toBeGreaterThan(COUNT / 100);
  for (const number of repeated) {
    const [rejection] = taken.rejections.get(number + 1)!;
    expect(rejection!.problems.join()).toContain("member");
  }
});

test("every record that was accepted is served as it was sent, or withheld", async () => {
  const matches = accepted().flatMap((number) =>
    matchesIn(records[number]!.line).map((match) => ({ ...match, number })),
  );
  const known = await fates(world.settings, matches);
  const troubles: unknown[] = [];
  for (const { shard, id, number } of matches) {
    const fate = known.get(`${shard}/${id}`);
    const reply = await getAsSent(world, `/shards/${shard}/matches/${id}`);
    // Several records may share any other id; the first one is kept.
    const isOnly = id === `m-${number}`;
    const trouble =
      fate === undefined
        ? "it is not in the store"
        : reply.status !== (fate.state === "served" ? 200 : 404)
          ? `it is ${fate.state}, the reply is ${reply.status}`
          : (reply.complaint ??
            (reply.status === 200 && isOnly
              ? changesIn(records[number]!.line, id, reply.body)
              : undefined));
    if (trouble !== undefined) troubles.push([nameOf(number), trouble]);
  }
  expect(troubles).toEqual([]);
  expect(matches.length).toBeGreaterThan(COUNT / 10);
}, 600_000);

test("the collections of these shards can be paged from end to end", async () => {
  for (const shard of ["na", "eu"]) {
    const start = "filter[createdAt-start]=0000-01-01T00:00:00Z";
    let path: string | undefined = `/shards/${shard}/matches?${start}`;
    let pages = 0;
    while (path !== undefined) {
      const reply = await getAsSent(world, path);
      expect([path, reply.status, reply.complaint]).toEqual([path, 200, undefined]);
      path = (reply.body.links as Record<string, string>).next;
      pages += 1;
    }
    expect(pages).toBeGreaterThan(COUNT / 500);
    const players = await getAsSent(world, `/shards/${shard}/players`);
    expect([players.status, players.complaint]).toEqual([200, undefined]);
  }
}, 600_000);
