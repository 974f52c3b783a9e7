/** Tests the list of redactions: what damage to it, or its loss, stops, and what it does not. */

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ndjson, uploadTo } from "../support/admin.ts";
import { type Instance, startInstance } from "../support/instances.ts";
import { matchbook } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
import { damageList, redactIn, removeList } from "../support/redact.ts";
import { until } from "../support/state.ts";
import { startWorld, type World } from "../support/world.ts";

const inNa = () => aMatch({ shard: "na" });

const played = (shard: string, id: string) =>
  aMatch({ shard, id, mode: "casual", rosters: duel({ id: "ada" }, { id: "bob" }) });
let world: World;
let instance: Instance;
const restart = async () => {
  await instance?.stop();
  instance = await startInstance(world, {});
};
/** Of the shards na and eu, and of /readyz, which is at most a second old. */
const untilStatuses = (...wanted: number[]) =>
  until(`the statuses are ${wanted}`, async () => {
    const na = await instance.get("/shards/na/matches", world.key);
    const eu = await instance.get("/shards/eu/matches", world.key);
    const ready = await fetch(`${instance.url}/readyz`);
    return Bun.deepEquals([na.status, eu.status, ready.status], wanted);
  });
const doctor = async () => (await matchbook(["doctor", "--data", world.data])).stdout;

beforeEach(async () => {
  world = await startWorld([played("na", "m1"), played("eu", "m2")]);
  // Complete, without a WAL.
  const database = new Database(join(world.data, "na.db"));
  database.run(`VACUUM INTO '${join(world.data, "older")}'`);
  database.close();
  await redactIn(world.settings, "na", "ada");
  await restart();
});
afterEach(async () => {
  await instance.stop();
  await world.stop();
});

test.each([
  ["player", "naada", "naadb"],
  ["shard", "naada", "nbada"],
])("a damaged entry is reported, and stops nothing (%s)", async (_, from, to) => {
  damageList(world.data, from, to);
  await restart();
  await untilStatuses(200, 200, 200);
  expect((await uploadTo(instance.adminUrl, ndjson([inNa()]))).status).toBe(200);
  const reports = instance.events.filter(({ event }) => event === "redactions-damaged");
  expect(reports).toEqual([{ event: "redactions-damaged", shard: "na", entries: 1 }]);
  expect(await doctor()).toMatch(/redactions +1 on the list of redactions damaged, of shard n[ab]/);
  // The shard has what it stands for.
  const mended = await matchbook(["redact", "na", "--data", world.data]);
  expect({ ...mended, stdout: "" }).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  expect(await doctor()).not.toContain("redactions");
});

test("a damaged entry stops a shard that may lack what it stands for, until that is known", async () => {
  damageList(world.data, "naada", "naadb");
  renameSync(join(world.data, "older"), join(world.data, "na.db"));
  for (const suffix of ["-wal", "-shm"])
    rmSync(join(world.data, `na.db${suffix}`), { force: true });
  await restart();
  await untilStatuses(503, 200, 503);
  expect(await doctor()).toContain("shard na may still have players who were redacted");
  const all = await matchbook(["redact", "na", "--data", world.data]);
  expect(all).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('It reads "adb"') });
  await untilStatuses(503, 200, 503);
  const one = await matchbook(["redact", "na", "ada", "--yes", "--data", world.data]);
  expect(one).toMatchObject({ exitCode: 0, stderr: "" });
  await untilStatuses(200, 200, 200);
  expect(await doctor()).not.toContain("redactions");
});

test("a list that cannot be read makes shards unavailable that are opened afterwards, and no others", async () => {
  removeList(world.data);
  mkdirSync(join(world.data, "redactions.sqlite"));
  await untilStatuses(200, 200, 200);
  expect((await uploadTo(instance.adminUrl, ndjson([inNa()]))).status).toBe(200);
  expect(await doctor()).toMatch(/redactions +cannot use .*redactions.sqlite/);
  await restart();
  await untilStatuses(503, 503, 503);
  removeList(world.data);
  await untilStatuses(200, 200, 200);
});
