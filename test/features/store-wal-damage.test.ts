/** A WAL that is damaged in a crash loses commits that were acknowledged. SQLite says nothing; the shard does. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openForWriting } from "../../src/store/sqlite/open.ts";
import { startInstance } from "../support/instances.ts";
import { matchbook } from "../support/process.ts";
import { withWriter } from "../support/prune.ts";
import { aMatch } from "../support/records.ts";
import { aFolder, startWorld, type World } from "../support/world.ts";

const NOW = Date.now();
const BATCHES = [0, 1, 2, 3];
const idIn = (batch: number) => `match-${batch}`;

let world: World;
let held: ReturnType<typeof openForWriting>;
let wal: Buffer;
/** Where the WAL ends after each batch. */
const ends: number[] = [];

beforeAll(async () => {
  world = await startWorld([]);
  // While it is open, nothing is copied from its WAL.
  held = openForWriting(join(world.data, "na.db"), "na");
  for (const batch of BATCHES) {
    const match = aMatch({ id: idIn(batch), shard: "na", mode: "casual", createdAt: NOW - batch });
    await world.ingest([match]);
    ends.push(readFileSync(join(world.data, "na.db-wal")).length);
  }
  wal = readFileSync(join(world.data, "na.db-wal"));
});
afterAll(async () => {
  held.close();
  await world.stop();
});

/** A copy of the files, as a crash would have left them. */
function crashed(damage: (wal: string) => void) {
  const folder = aFolder();
  for (const name of ["na.db", "na.db-wal", "access.sqlite"]) {
    copyFileSync(join(world.data, name), join(folder.path, name));
  }
  damage(join(folder.path, "na.db-wal"));
  return folder;
}

/** What doctor says of the WAL. */
async function problemsIn({ path }: { path: string }) {
  const { stdout } = await matchbook(["doctor", "--data", path, "--json"]);
  return JSON.parse(stdout)
    .findings.filter(({ message }: { message: string }) => message.startsWith("the WAL"))
    .map(({ subject, level }: { subject: string; level: string }) => [subject, level]);
}

/** Serves such a copy. */
async function serveAfter(damage: (wal: string) => void) {
  const folder = crashed(damage);
  const one = await startInstance(world, { data: folder.path });
  const statuses = await Promise.all(
    BATCHES.map(
      async (batch) => (await one.get(`/shards/na/matches/${idIn(batch)}`, world.key)).status,
    ),
  );
  const { shards } = await one.status();
  await one.stop();
  const found = one.events.filter(({ event }) => event === "wal-damaged");
  const problems = await problemsIn(folder);
  return { folder, found, statuses, shards, problems };
}

const flip = (path: string, at: number) => {
  const bytes = readFileSync(path);
  bytes[at]! ^= 0x20;
  writeFileSync(path, bytes);
};

test.each([
  ["a frame", () => ends[1]! + 4000, 2],
  ["the header of a frame", () => ends[1]! + 2, 2],
  ["the salt of a frame", () => ends[1]! + 9, 2],
  ["the checksum of a frame", () => ends[1]! + 17, 2],
])(
  "commits after damage to %s are reported, and the shard is served without them",
  async (_, at, lost) => {
    const { folder, found, statuses, shards, problems } = await serveAfter((path) =>
      flip(path, at()),
    );
    expect(statuses).toEqual([200, 200, 404, 404]);
    expect(shards).toMatchObject([{ id: "na", available: true }]);
    expect(found).toEqual([{ event: "wal-damaged", shard: "na", commits: lost }]);
    expect(problems).toEqual([["shard na", "problem"]]);
    // A verify that finds nothing says that what is stored is consistent.
    const settings = { ...world.settings, data: folder.path };
    await withWriter(settings, "na", (writer) =>
      writer.write(async (one) => one.setVerdict({ at: Date.now(), damaged: 0, damage: [] })),
    );
    const after = await withWriter(settings, "na", async (writer) => writer.findings());
    expect(after.wal).toBeUndefined();
    folder.remove();
  },
);

test.each([
  ["header", 25],
  ["first frame, without which there are no tables", 4000],
])("damage to the %s of the WAL is reported", async (_, at) => {
  const { folder, found, statuses, problems } = await serveAfter((path) => flip(path, at));
  expect(statuses).toEqual([404, 404, 404, 404]);
  expect(found).toMatchObject([{ event: "wal-damaged", shard: "na" }]);
  expect(problems).toEqual([["shard na", "problem"]]);
  folder.remove();
});

test("a doctor and a verify that come first report the damage, and only a later verify ends it", async () => {
  const folder = crashed((path) => flip(path, ends[1]! + 4000));
  expect(await problemsIn(folder)).toEqual([["shard na", "problem"]]);
  const verify = () => matchbook(["verify", "--full-speed", "--data", folder.path]);
  const first = await verify();
  expect(first.exitCode).toBe(1);
  expect(first.stderr).toContain("2 commits that follow the damage are lost");
  expect(await problemsIn(folder)).toEqual([["shard na", "problem"]]);
  expect((await verify()).exitCode).toBe(0);
  expect(await problemsIn(folder)).toEqual([]);
  folder.remove();
});

test("without the first commit, doctor reports that all are lost", async () => {
  const folder = crashed((path) => flip(path, 4000));
  const { stdout, exitCode } = await matchbook(["doctor", "--data", folder.path]);
  expect([exitCode, stdout]).toEqual([
    1,
    expect.stringMatching(/WAL of .*na\.db is damaged, and all \d+ commits/),
  ]);
  folder.remove();
});

test("a transaction that was not committed is no damage", async () => {
  for (const end of [ends[3]! - 8000, ends[3]! - 20, ends[2]! + 24]) {
    const { folder, found, statuses, problems } = await serveAfter((path) =>
      truncateSync(path, end),
    );
    expect([found, statuses, problems]).toEqual([[], [200, 200, 200, 404], []]);
    folder.remove();
  }
  const whole = await serveAfter((path) => expect(readFileSync(path).equals(wal)).toBe(true));
  expect([whole.found, whole.statuses]).toEqual([[], [200, 200, 200, 200]]);
  whole.folder.remove();
});
