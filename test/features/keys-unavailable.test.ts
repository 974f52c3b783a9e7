/** Keys or usage that cannot be read do not stop the start, and nobody's key is called invalid. */

import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { KEY_TABLES, USAGE_TABLES } from "../../src/access/tables.ts";
import type { Event, EventName } from "../../src/observe/events.ts";
import { type RunningMatchbook, serve } from "../../src/wiring.ts";
import { AUTHORIZATION, TOKEN } from "../support/admin.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { aFolder, makeKey, startWorld, type World } from "../support/world.ts";

const MATCHES = "/shards/na/matches";
const GARBAGE = "this is not a database, ".repeat(1000);

let world: World;
let running: RunningMatchbook | undefined;
let events: Event[] = [];
afterEach(async () => {
  await running?.stop("test");
  await world.stop();
  running = undefined;
  events = [];
});

/** Creates the data folder with a key, and a second server that starts after `damage`. */
async function serveAfter(damage: (data: string) => void, settings = {}): Promise<void> {
  const documents = Array.from({ length: 12 }, (_, index) => aMatch({ id: `match-${index}` }));
  world = await startWorld(documents);
  damage(world.data);
  const all = {
    ...world.settings,
    "admin-port": { host: "127.0.0.1", port: 0 },
    "admin-token": TOKEN,
    ...settings,
  };
  running = await serve(all, (event) => events.push(event));
}

const get = (path: string, headers = {}) => world.get(`${running!.url}${path}`, headers);
const named = (...names: EventName[]) => events.filter(({ event }) => names.includes(event));

const admin = (method: string, path: string, body?: object) =>
  fetch(`${running!.adminUrl}${path}`, {
    method,
    headers: AUTHORIZATION,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

const listed = async () =>
  ((await (await admin("GET", "/keys")).json()) as { keys: { id: string }[] }).keys;

const remove = (path: string) => {
  for (const suffix of ["", "-wal", "-shm"])
    rmSync(path + suffix, { recursive: true, force: true });
};

test.each([
  ["garbage", (path: string) => writeFileSync(path, GARBAGE)],
  ["empty", (path: string) => truncateSync(path)],
])(
  "a server starts with a key file that is %s; until it is restored, keys get 503",
  async (_, damage) => {
    let backup = "";
    let file = "";
    await serveAfter((data) => {
      file = join(data, KEY_TABLES.file);
      backup = join(data, "backup");
      copyFileSync(file, backup);
      copyFileSync(file, join(data, "damaged"));
      damage(join(data, "damaged"));
      renameSync(join(data, "damaged"), file);
    });
    expect((await get("/healthz")).status).toBe(200);
    const { status, body } = await get("/readyz");
    expect([status, body]).toEqual([
      503,
      { status: "not ready", unavailable: [], keys: "unavailable" },
    ]);
    const refused = await get(MATCHES);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(refused.body.errors).toMatchObject([{ code: "keys-unavailable" }]);
    expect((await get(MATCHES, { Authorization: null })).status).toBe(401);
    expect(named("keys-load-failed")).toMatchObject([
      {
        error: {
          message: expect.stringMatching(/access\.sqlite: it is .*; restore it from a backup/),
        },
      },
    ]);

    renameSync(backup, file);
    await until("the keys are loaded", () => named("keys-reload-recovered").length === 1);
    expect((await get(MATCHES)).status).toBe(200);
    expect((await get("/readyz")).status).toBe(200);
  },
);

test("a deleted key file ends no key, and is not created again by POST /keys", async () => {
  let file = "";
  await serveAfter((data) => {
    file = join(data, KEY_TABLES.file);
  });
  remove(file);
  await until("it is reported", () => named("keys-reload-failed").length === 1);
  expect((await get(MATCHES)).status).toBe(200);
  expect((await get("/readyz")).status).toBe(200);
  const response = await admin("POST", "/keys", { name: "in vain" });
  expect([response.status, await response.text()]).toEqual([
    503,
    expect.stringContaining('"keys-unavailable"'),
  ]);
  expect((await get(MATCHES)).status).toBe(200);
  // Another file counts as soon as there is one.
  const { key } = await makeKey(world);
  const withKey = { Authorization: `Bearer ${key}` };
  await until("the new key is valid", async () => (await get(MATCHES, withKey)).status === 200);
  expect((await get(MATCHES)).status).toBe(401);
  expect(named("keys-reload-failed", "keys-reload-recovered")).toHaveLength(2);
});

test.each([
  [
    "damaged",
    /it is not an SQLite file; .* move it elsewhere/,
    (path: string) => writeFileSync(path, GARBAGE),
  ],
  ["a folder", /it cannot be opened; check its owner and mode/, (path: string) => mkdirSync(path)],
])(
  "a server starts with a usage file that is %s: quotas hold, keys can be managed, and a new file is used",
  async (_, why, damage) => {
    let file = "";
    const damaged = (data: string) => {
      file = join(data, USAGE_TABLES.file);
      remove(file);
      damage(file);
    };
    await serveAfter(damaged, { "matches-per-day": 5 });
    expect((await get("/readyz")).status).toBe(200);
    expect((await get(MATCHES)).status).toBe(200);
    expect((await get(`${MATCHES}?page[offset]=5`)).body.errors).toMatchObject([
      { code: "quota-exceeded" },
    ]);
    expect((await get("/usage")).body.errors).toMatchObject([{ code: "usage-unavailable" }]);
    expect(named("usage-write-failed")).toMatchObject([
      { error: { message: expect.stringMatching(why) } },
    ]);
    const [key] = await listed();
    expect(key).not.toHaveProperty("lastSeen");
    for (const [method, path] of [
      ["PATCH", `/keys/${key!.id}`],
      ["POST", "/keys"],
    ] as const) {
      expect((await admin(method, path, { name: "managed" })).ok).toBe(true);
    }

    remove(file);
    await until("usage is stored", () => named("usage-write-recovered").length === 1);
    const { status, body } = await get("/usage");
    expect([status, body.today.matchesLeft]).toEqual([200, 0]);
  },
);

test("on a full disk, POST /keys responds with 507, changes nothing, and works once there is space", async () => {
  await serveAfter(() => {});
  const create = () => admin("POST", "/keys", { name: "one more", note: "x".repeat(500) });
  const { query } = Database.prototype;
  let mayGrow = false;
  // SQLite treats a file that must not grow like a full disk.
  Database.prototype.query = function (this: Database, sql: string) {
    this.run(`PRAGMA max_page_count = ${mayGrow ? 1_000_000 : 1}`);
    return query.call(this, sql);
  } as typeof query;
  try {
    let [response, created] = [await create(), 0];
    // The first ones fit into pages that are not full yet.
    for (; response.status === 201; created++) response = await create();
    expect([response.status, await response.json()]).toEqual([
      507,
      {
        error: {
          code: "disk-full",
          message: "The disk is full: free some space and send the request again.",
        },
      },
    ]);
    expect((await listed()).length).toBe(1 + created);
    expect((await get(MATCHES)).status).toBe(200);
    mayGrow = true;
    expect((await create()).status).toBe(201);
  } finally {
    Database.prototype.query = query;
  }
});

test("a server starts on a disk that cannot be written: keys work, and can be changed once it can", async () => {
  using disk = aFolder();
  const file = join(disk.path, KEY_TABLES.file);
  // SQLite cannot create its shared memory there, as on a full or read-only disk.
  symlinkSync("nowhere", `${file}-shm`);
  await serveAfter((data) => copyFileSync(join(data, KEY_TABLES.file), file), { data: disk.path });
  expect((await get("/readyz")).status).toBe(200);
  // The key is valid; there are no shards here.
  expect((await get(MATCHES)).body.errors).toMatchObject([{ code: "unknown-shard" }]);
  expect(await listed()).toHaveLength(1);
  expect((await admin("POST", "/keys", { name: "in vain" })).status).toBe(503);

  unlinkSync(`${file}-shm`);
  const response = await admin("POST", "/keys", { name: "one more" });
  expect(response.status).toBe(201);
  const { key } = (await response.json()) as { key: string };
  const headers = { Authorization: `Bearer ${key}` };
  const { body } = await until("the new key is known", async () => {
    const reply = await get(MATCHES, headers);
    return reply.status !== 401 && reply;
  });
  expect(body.errors).toMatchObject([{ code: "unknown-shard" }]);
});
