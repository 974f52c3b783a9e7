/** In charge of ingest among other processes: killed in the middle, several at once, beside a server. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Json } from "../../src/domain/json.ts";
import type { Report } from "../../src/ingest/report.ts";
import { draftOf } from "../support/drafts.ts";
import { matchbook, spawnMatchbook, startServerProcess } from "../support/process.ts";
import { aMatch, type MatchDocument } from "../support/records.ts";
import { countsOf, viewOf } from "../support/view.ts";
import { aFolder, JSON_API, startWorld, type World } from "../support/world.ts";

// Several processes may share a slow machine.
setDefaultTimeout(60_000);

/** So many records that many transactions are needed, and players meet again and again. */
const RECORDS = 120;
const SHARD = "na";

let documents: MatchDocument[];
let complete: World;
let expected: Awaited<ReturnType<typeof stateOf>>;

beforeAll(async () => {
  const { stdout } = await matchbook(["demo", "--matches", String(RECORDS), "--seed", "11"]);
  documents = stdout
    .trimEnd()
    .split("\n")
    .map((line) => inOneShard(JSON.parse(line)));
  complete = await startWorld(documents);
  expected = await stateOf(complete);
});
afterAll(() => complete.stop());

function inOneShard(document: MatchDocument): MatchDocument {
  const draft = draftOf(document);
  for (const { attributes } of [draft.match, ...draft.document.included]) {
    if (attributes?.shardId !== undefined) attributes.shardId = SHARD;
  }
  return draft.document;
}

async function stateOf(world: World) {
  return { view: await viewOf(world, SHARD), counts: await countsOf(world, SHARD) };
}

const lines = (records: Json[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");
const recordsIn = ({ stored, withheld, duplicate }: Report) =>
  stored + duplicate + Object.values(withheld).reduce((sum, count) => sum + count);

async function ingest(world: World, records: Json[], ...flags: string[]): Promise<Report> {
  const args = ["ingest", "-", "--json", "--data", world.data, ...flags];
  const { exitCode, stdout, stderr } = await matchbook(args, { stdin: lines(records) });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** How many records the store holds, as another process sees it. */
async function held(world: World): Promise<number> {
  const { stdout } = await matchbook(["status", "--json", "--data", world.data]);
  const shard = JSON.parse(stdout)[SHARD];
  if (!shard) return 0;
  const withheld = Object.values(shard.withheld as Record<string, number>);
  return withheld.reduce((sum, count) => sum + count, shard.served);
}

test("killed in the middle and run again: nothing is lost, nothing is counted twice", async () => {
  const world = await startWorld();
  try {
    const child = spawnMatchbook(["ingest", "-", "--batch", "7", "--data", world.data]);
    // The input never ends by itself, so that the process is killed at work, whatever its speed.
    child.stdin.write(lines(documents));
    await child.stdin.flush();
    while ((await held(world)) === 0) {}
    child.kill("SIGKILL");
    expect(await child.exited).not.toBe(0);
    expect(await new Response(child.stdout).text()).toBe("");

    const before = await held(world);
    expect(before).toBeGreaterThan(0);
    expect(before % 7).toBe(0);
    const report = await ingest(world, documents);
    expect(report.duplicate).toBe(before);
    expect(recordsIn(report)).toBe(RECORDS);
    expect(await stateOf(world)).toEqual(expected);
  } finally {
    await world.stop();
  }
});

describe("several at once", () => {
  test("give the same state as one, while the shard is read", async () => {
    const world = await startWorld([documents[0]!]);
    try {
      // Each has a part of its own and one in common; the batches are small, so that they mix.
      const third = Math.ceil(RECORDS / 3);
      const running = Promise.all([
        ingest(world, documents.slice(0, 2 * third), "--batch", "5"),
        ingest(world, documents.slice(third).toReversed(), "--batch", "3"),
        ingest(world, documents, "--batch", "11"),
      ]);
      let isDone = false;
      const finished = running.finally(() => {
        isDone = true;
      });
      let reads = 0;
      while (!isDone) {
        const { status } = await world.get(
          `/shards/${SHARD}/matches?filter[createdAt-start]=2020-01-01T00:00:00Z`,
        );
        expect(status).toBe(200);
        reads += 1;
      }
      const reports = await finished;
      expect(reads).toBeGreaterThan(1);
      const fresh = reports.map((report) => recordsIn(report) - report.duplicate);
      expect(fresh.reduce((sum, count) => sum + count)).toBe(RECORDS - 1);
      expect(await stateOf(world)).toEqual(expected);
    } finally {
      await world.stop();
    }
  });

  test("may both make the shard", async () => {
    const world = await startWorld();
    try {
      const [one, other] = await Promise.all([
        ingest(world, documents.slice(0, 20)),
        ingest(world, documents.slice(0, 20)),
      ]);
      expect(one.duplicate + other.duplicate).toBe(20);
      expect(recordsIn(one) + recordsIn(other)).toBe(40);
    } finally {
      await world.stop();
    }
  });
});

test("a server process serves what is taken in beside it, in new shards too", async () => {
  const folder = aFolder();
  const data = ["--data", folder.path];
  const { stdout: key } = await matchbook(["keys", "create", "--name", "test", ...data]);
  const server = await startServerProcess(data);
  try {
    const get = async (path: string) => {
      const headers = { Authorization: `Bearer ${key.trim()}`, Accept: JSON_API };
      return (await fetch(`${server.url}${path}`, { headers })).status;
    };
    expect(await get("/shards/new/matches/first")).toBe(404);
    for (const id of ["first", "second"]) {
      const stdin = lines([aMatch({ id, shard: "new" })]);
      expect((await matchbook(["ingest", "-", ...data], { stdin })).exitCode).toBe(0);
      expect(await get(`/shards/new/matches/${id}`)).toBe(200);
    }
  } finally {
    expect(await server.end()).toBe(0);
    folder.remove();
  }
});
