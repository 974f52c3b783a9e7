/** Shard files that cannot be used, that are deleted and that are replaced, before the start and while serving. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { StoreReplaced } from "../../src/store/store.ts";
import { ndjson, uploadTo } from "../support/admin.ts";
import { type Instance, startInstance } from "../support/instances.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { aFolder, ingestInto, startWorld, type World } from "../support/world.ts";

const inShard = (shard: string, id?: string) =>
  aMatch(id === undefined ? { shard } : { shard, id });

/** A complete copy of the shard na, without a WAL. */
function copyOfNa(world: World, path: string): string {
  const database = new Database(join(world.data, "na.db"));
  database.run(`VACUUM INTO '${path}'`);
  database.close();
  return path;
}

function deleteShard(world: World, id: string): void {
  for (const suffix of ["", "-wal", "-shm"]) {
    rmSync(join(world.data, `${id}.db${suffix}`), { force: true });
  }
}

function change(path: string, ...statements: string[]): void {
  const database = new Database(path, { create: true });
  for (const sql of statements) database.run(sql);
  database.close();
}

/** Makes `<name>.db` for each way in which a file can be unusable. */
function makeBadFiles(world: World): void {
  const at = (name: string) => join(world.data, `${name}.db`);
  copyOfNa(world, at("truncated"));
  truncateSync(at("truncated"), 8192 + 100);
  copyOfNa(world, at("header"));
  const bytes = readFileSync(at("header"));
  bytes.write("garbage");
  writeFileSync(at("header"), bytes);
  copyOfNa(world, at("first-page"));
  const overwritten = readFileSync(at("first-page"));
  writeFileSync(at("first-page"), overwritten.fill("x", 0, 4096));
  change(copyOfNa(world, at("newer")), "PRAGMA user_version = 99");
  // Not even root can read it.
  symlinkSync(at("unreadable"), at("unreadable"));
  symlinkSync(join(world.data, "unmounted/away.db"), at("away"));
  mkdirSync(at("folder"));
  writeFileSync(at("text"), "not a database, but long enough to be one ".repeat(20));
  change(at("foreign"), "CREATE TABLE notes (text)");
  change(at("foreign-version"), "CREATE TABLE notes (text)", "PRAGMA user_version = 7");
  writeFileSync(at("empty"), "");
}

const DAMAGED = ["away", "first-page", "header", "newer", "text", "truncated", "unreadable"];
const STRAY = ["empty", "folder", "foreign", "foreign-version"];

interface ShardState {
  id: string;
  available: boolean;
}

const unavailableIn = (status: { shards: ShardState[] }) =>
  status.shards.filter(({ available }) => !available).map(({ id }) => id);

const matchesOf = async ({ get }: Instance, shard: string, { key }: World) => {
  const { status, body } = await get(`/shards/${shard}/matches`, key);
  return [shard, status, body.errors?.[0].code];
};

const upIn = async (instance: Instance) =>
  Object.fromEntries(
    (await instance.metric("matchbook_shard_up")).map(({ labels, value }) => [labels.shard, value]),
  );

const eventsOf = ({ events }: Instance, name: string) =>
  events.filter(({ event }) => event === name);

/** A record that cannot be stored, because its shard is unavailable. */
async function expectNotStored({ adminUrl }: Instance, shard: string) {
  const { status, error, report } = await uploadTo(adminUrl, ndjson([inShard(shard, "lost")]));
  expect([status, error!.code, report.stored]).toEqual([503, "shard-unavailable", 0]);
  return error!.message;
}

const reasonFor = (instance: Instance, shard: string) =>
  eventsOf(instance, "shard-unavailable").flatMap((one) =>
    one.event === "shard-unavailable" && one.shard === shard ? (one.error as Error).message : [],
  );

describe("a server whose data folder has unusable files", () => {
  let world: World;
  let instance: Instance;
  beforeAll(async () => {
    world = await startWorld([inShard("na")]);
    makeBadFiles(world);
    instance = await startInstance(world, {});
  });
  afterAll(async () => {
    await instance.stop();
    await world.stop();
  });

  test("starts and serves the others; damaged shards are unavailable", async () => {
    expect((await instance.get("/shards/na/matches", world.key)).status).toBe(200);
    for (const id of DAMAGED) {
      expect(await matchesOf(instance, id, world)).toEqual([id, 503, "shard-unavailable"]);
    }
    expect(unavailableIn(await instance.status())).toEqual(DAMAGED);
    const ready = await instance.get("/readyz", world.key);
    expect([ready.status, ready.body.unavailable]).toEqual([503, DAMAGED]);
    expect(await upIn(instance)).toEqual({
      na: 1,
      ...Object.fromEntries(DAMAGED.map((id) => [id, 0])),
    });
  });

  test("ignores files that are not shards, with one warning each", async () => {
    for (const id of STRAY) {
      expect(await matchesOf(instance, id, world)).toEqual([id, 404, "unknown-shard"]);
    }
    await instance.status();
    const warnings = eventsOf(instance, "file-ignored").flatMap((one) =>
      one.event === "file-ignored" ? (one.error as Error).message : [],
    );
    const named = STRAY.map((id) => warnings.filter((text) => text.includes(`/${id}.db`)).length);
    expect(named).toEqual(STRAY.map(() => 1));
  });

  test("reports each damaged shard once, with the reason, however often it is checked", async () => {
    for (let at = 0; at < 3; at++) await instance.status();
    await instance.metric("matchbook_shard_up");
    for (const id of DAMAGED) {
      const [reason, ...more] = reasonFor(instance, id);
      expect([id, more]).toEqual([id, []]);
      expect(reason).toContain(join(world.data, `${id}.db`));
    }
  });

  test("serves a repaired file without a restart", async () => {
    const elsewhere = aFolder();
    await ingestInto({ ...world.settings, data: elsewhere.path }, [inShard("truncated")]);
    renameSync(join(elsewhere.path, "truncated.db"), join(world.data, "truncated.db"));
    elsewhere.remove();
    await until("the shard is served", async () => {
      return (await instance.get("/shards/truncated/matches", world.key)).status === 200;
    });
    await until("it is available", async () => {
      return !unavailableIn(await instance.status()).includes("truncated");
    });
    expect(eventsOf(instance, "shard-available")).toEqual([
      { event: "shard-available", shard: "truncated" },
    ]);
  });
});

test("a shard in the settings whose file cannot be used is unavailable; a file of another program is left alone", async () => {
  await using world = await startWorld([inShard("na")]);
  const path = join(world.data, "notes.sqlite");
  change(path, "CREATE TABLE notes (text)");
  const location = (id: string, file: string) => ({
    id,
    location: { engine: "sqlite", path: file } as const,
  });
  const folder = join(world.data, "folder.db");
  mkdirSync(folder);
  const shards = [
    location("eu", path),
    location("na", join(world.data, "na.db")),
    location("sa", folder),
    // Cannot be created.
    location("sg", join(path, "sg.db")),
  ];
  const instance = await startInstance(world, { shards });
  expect(unavailableIn(await instance.status())).toEqual(["eu", "sa", "sg"]);
  for (const id of ["eu", "sa", "sg"]) {
    expect((await instance.get(`/shards/${id}/matches`, world.key)).status).toBe(503);
  }
  expect((await instance.get("/shards/na/matches", world.key)).status).toBe(200);
  await expectNotStored(instance, "eu");
  await instance.stop();
  const database = new Database(path);
  expect(database.query("SELECT name FROM sqlite_schema").values()).toEqual([["notes"]]);
  expect(database.query("PRAGMA journal_mode").values()).toEqual([["delete"]]);
  database.close();
});

test("a listed shard that was served before and has no file at startup is reported; a new one is not", async () => {
  await using world = await startWorld([inShard("na")]);
  const shards = ["eu", "na"].map((id) => ({ id, location: undefined }));
  const start = () => startInstance(world, { shards });
  const first = await start();
  expect(eventsOf(first, "shard-missing")).toEqual([]);
  await first.stop();
  deleteShard(world, "na");
  const second = await start();
  const location = join(world.data, "na.db");
  expect(eventsOf(second, "shard-missing")).toEqual([
    { event: "shard-missing", shard: "na", location },
  ]);
  expect(unavailableIn(await second.status())).toEqual([]);
  await second.stop();
  const third = await start();
  expect(eventsOf(third, "shard-missing")).toEqual([]);
  await third.stop();
});

describe("a shard file that is deleted while it is served", () => {
  let world: World;
  let instance: Instance;
  /** Serves the shard too, but has stored no upload. */
  let idle: Instance;
  let backup: string;
  const served = (id: string) => instance.get(`/shards/na/matches/${id}`, world.key);

  beforeAll(async () => {
    world = await startWorld([inShard("na", "match-first"), inShard("eu")]);
    backup = copyOfNa(world, join(world.data, "backup"));
    instance = await startInstance(world, {});
    idle = await startInstance(world, {});
    expect((await uploadTo(instance.adminUrl, ndjson([inShard("na")]))).status).toBe(200);
  });
  afterAll(async () => {
    await idle.stop();
    await instance.stop();
    await world.stop();
  });

  test("is unavailable, not absent, and the others are served", async () => {
    expect((await served("match-first")).status).toBe(200);
    deleteShard(world, "na");
    await until("it is unavailable", async () => (await served("match-first")).status === 503);
    await until("the status has it", async () => {
      return unavailableIn(await instance.status()).includes("na");
    });
    expect(await upIn(instance)).toEqual({ eu: 1, na: 0 });
    expect(reasonFor(instance, "na")).toEqual([
      expect.stringContaining(`${join(world.data, "na.db")} was deleted while it was in use`),
    ]);
    expect((await instance.get("/shards/eu/matches", world.key)).status).toBe(200);
  });

  test("acknowledges no upload, whether or not the server has written to it before", async () => {
    for (const one of [instance, idle]) {
      expect(await expectNotStored(one, "na")).toContain("deleted or replaced");
    }
    expect(existsSync(join(world.data, "na.db"))).toBe(false);
  });

  test("is served again when it is restored, and takes uploads", async () => {
    copyFileSync(backup, join(world.data, "na.db"));
    await until("it is served", async () => (await served("match-first")).status === 200);
    const { status } = await uploadTo(instance.adminUrl, ndjson([inShard("na", "match-new")]));
    expect(status).toBe(200);
    expect((await served("match-new")).status).toBe(200);
  });
});

test("a transaction is not acknowledged if the file is deleted before its end", async () => {
  await using world = await startWorld([inShard("na")]);
  const shards = openShards(world.settings, unobserved);
  for (const suffix of ["-wal", ""]) {
    const written = shards.writer("na").write(async (transaction) => {
      transaction.changeVocabulary(new Map([["type:extra", 1]]));
      rmSync(join(world.data, `na.db${suffix}`));
    });
    expect(await written.catch((error) => error)).toBeInstanceOf(StoreReplaced);
  }
  await shards.close();
});

test("a shard file that is a symbolic link is watched like any other", async () => {
  const [world, other] = [await startWorld([]), aFolder()];
  await ingestInto({ ...world.settings, data: other.path }, [inShard("na")]);
  const target = join(other.path, "na.db");
  symlinkSync(target, join(world.data, "na.db"));
  const shards = openShards(world.settings, unobserved);
  const add = (extra: string, meanwhile = () => {}) =>
    shards.writer("na").write(async (transaction) => {
      transaction.changeVocabulary(new Map([[extra, 1]]));
      meanwhile();
    });
  await add("type:one");
  const writer = shards.writer("na");
  change(target, "PRAGMA wal_checkpoint(TRUNCATE)");
  expect(shards.writer("na")).toBe(writer);
  const written = add("type:two", () => rmSync(`${target}-wal`));
  expect(await written.catch((error) => error)).toBeInstanceOf(StoreReplaced);
  await shards.close();
  await world.stop();
  other.remove();
});

test("a shard file that is deleted is not created again by what only reads its numbers", async () => {
  await using world = await startWorld([inShard("na")]);
  const shards = openShards(world.settings, unobserved);
  await shards.reader("na");
  deleteShard(world, "na");
  const open = async () => shards.existingWriter("na");
  expect(await open().catch((error) => error)).toBeInstanceOf(StoreReplaced);
  expect(existsSync(join(world.data, "na.db"))).toBe(false);
  await shards.close();
});

describe("a file with the records of another shard", () => {
  let world: World;
  let instance: Instance;
  const served = (shard: string) => instance.get(`/shards/${shard}/matches`, world.key);
  const at = (name: string) => join(world.data, name);

  beforeAll(async () => {
    world = await startWorld([inShard("na", "match-na"), inShard("eu", "match-eu")]);
    copyOfNa(world, at("right"));
    copyOfNa(world, at("sa.db"));
    instance = await startInstance(world, {});
  });
  afterAll(async () => {
    await instance.stop();
    await world.stop();
  });

  /** Puts a file in the place of na. */
  function replace(file: string): void {
    deleteShard(world, "na");
    renameSync(file, at("na.db"));
  }

  test("leaves its shard unavailable, not absent, when it is moved away", async () => {
    deleteShard(world, "sa");
    await until("the file is missed", async () => {
      await served("sa");
      await instance.status();
      return reasonFor(instance, "sa").some((why) => why.includes("sa.db was deleted"));
    });
    expect((await served("sa")).status).toBe(503);
  });

  test("is not served when it replaces the file of a running server, until that is put back", async () => {
    const elsewhere = aFolder();
    await ingestInto({ ...world.settings, data: elsewhere.path }, [inShard("eu", "match-na")]);
    replace(join(elsewhere.path, "eu.db"));
    elsewhere.remove();
    await until("it is unavailable", async () => (await served("na")).status === 503);
    await expectNotStored(instance, "na");
    replace(at("right"));
    await until("it is served", async () => (await served("na")).status === 200);
  });

  test("is not served either if it has no records", async () => {
    const elsewhere = aFolder();
    const settings = { ...world.settings, data: elsewhere.path };
    const shards = [{ id: "eu", location: undefined }];
    await (await startInstance({ ...world, settings }, { shards })).stop();
    replace(join(elsewhere.path, "eu.db"));
    elsewhere.remove();
    await until("it is unavailable", async () => (await served("na")).status === 503);
  });
});
