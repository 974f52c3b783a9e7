/** Tests uploads that go wrong: slow, cut off, too many at once, into stores that fail. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { startAdmin } from "../../src/admin/server.ts";
import type { Event } from "../../src/observe/events.ts";
import { accessPlan, openAccess } from "../../src/open-access.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { ndjson, startAdminWorld, TOKEN, uploadTo } from "../support/admin.ts";
import { writeDamagedShard } from "../support/damaged-shard.ts";
import { aMatch, type RosterIn } from "../support/records.ts";
import { countsOf, until } from "../support/state.ts";
import { openUpload, padded, sendUntilHeld } from "../support/wire-upload.ts";
import { aFolder } from "../support/world.ts";

const BOTS: [RosterIn, RosterIn] = [{ members: [{ bot: true }] }, { members: [{ bot: true }] }];
const some = (count: number) => Array.from({ length: count }, () => aMatch({ rosters: BOTS }));

const WORKER = new URL("../../src/upload-worker.ts", import.meta.url).href;

/** Starts only an admin listener. */
function startListener({ openThread = () => new Worker(WORKER) } = {}) {
  const folder = aFolder();
  const flags = { data: folder.path, batch: "100", "admin-port": "0" };
  const { values: settings } = loadSettings({ flags, env: {}, cwd: folder.path });
  const events: Event[] = [];
  const none = () => {
    throw new Error("this test is about uploads");
  };
  const access = openAccess({ data: folder.path });
  const plan = accessPlan(settings);
  const shards = {
    ...{ list: () => [], reader: none, replicas: () => [] },
    ...{ findings: none, existingWriter: none },
  };
  const admin = startAdmin(settings, {
    token: TOKEN,
    shards,
    keyStore: access.keys,
    plan,
    usage: { read: none, lastSeen: none },
    quotas: { count: none },
    metrics: { text: none, families: none },
    openThread,
    clock: { now: Date.now, monotonic: () => performance.now() },
    observe: (event) => events.push(event),
  });
  const counts = () => countsOf(folder.path);
  return {
    url: admin.url,
    data: folder.path,
    events,
    /** The number of served matches of na. */
    served: async () => (await counts()).na?.served ?? 0,
    /** Settles when this many uploads have ended. */
    over: (count: number) =>
      until(`${count} uploads are over`, () => {
        const ended = events.filter(({ event }) => event === "admin-request");
        return ended.length === count || undefined;
      }),
    async [Symbol.asyncDispose]() {
      await admin.stop();
      folder.remove();
    },
  };
}

type Listener = ReturnType<typeof startListener>;

const uploadsOf = ({ events }: Listener) => events.filter((one) => one.event === "upload");

/** Settles when a part of an upload is stored and the rest is still to come. */
const someStored = (listener: Listener) =>
  until("some of the upload is stored", async () => (await listener.served()) > 0 || undefined);

describe("a connection that is cut", () => {
  test("midway leaves records that came whole; sent again, each is stored once", async () => {
    await using listener = startListener();
    const documents = some(600);
    const [sent, half] = [documents.slice(0, 350), JSON.stringify(documents[350]).slice(0, 100)];
    const upload = await openUpload(listener.url);
    await upload.write(ndjson(sent));
    await upload.write(half);
    await someStored(listener);
    upload.socket.destroy();
    await listener.over(1);
    const [cut] = uploadsOf(listener);
    expect(cut).toMatchObject({ rejected: 0, conflict: 0, broken: "connection-cut" });
    expect(cut!.stored).toBeWithin(256, 351);
    expect(await listener.served()).toBe(cut!.stored);

    const { status, report } = await uploadTo(listener.url, ndjson(documents));
    expect(status).toBe(200);
    expect(report).toMatchObject({ stored: 600 - cut!.stored, duplicate: cut!.stored });
    expect(await listener.served()).toBe(600);
  });

  test("is distinguished from truncated gzip", async () => {
    await using listener = startListener();
    const upload = await openUpload(listener.url);
    const whole = gzipSync(ndjson(some(600)));
    await upload.write(whole.subarray(0, whole.length - 1000));
    upload.socket.destroy();
    await listener.over(1);
    expect(uploadsOf(listener)).toMatchObject([{ rejected: 0, broken: "connection-cut" }]);
  });

  test("before the first byte of the body stores nothing", async () => {
    await using listener = startListener();
    (await openUpload(listener.url)).socket.destroy();
    await listener.over(1);
    expect(uploadsOf(listener)).toMatchObject([{ stored: 0, bytes: 0, broken: "connection-cut" }]);
  });

  test("after the last byte of the body does not undo what was sent", async () => {
    await using listener = startListener();
    const upload = await openUpload(listener.url);
    await upload.write(ndjson(some(350)));
    await upload.end();
    // Documents are read 256 at a time: once more are served, the end of the body has been read.
    await until(
      "the whole body has been read",
      async () => (await listener.served()) > 256 || undefined,
    );
    upload.socket.destroy();
    await listener.over(1);
    expect(uploadsOf(listener)).toMatchObject([{ stored: 350, broken: undefined }]);
    expect(await listener.served()).toBe(350);
  });
});

test("the list of records that are not stored is limited; beyond that the upload stops", async () => {
  await using listener = startListener();
  // Far more than is read ahead.
  const lines = 200_000;
  const body = `${ndjson(some(1))}${`${"x".repeat(60)}\n`.repeat(lines)}`;
  const { status, error, report, notStored } = await uploadTo(listener.url, body);
  expect([status, error!.code]).toEqual([422, "too-many-rejected"]);
  expect(JSON.stringify(notStored).length / 2 ** 20).toBeWithin(7.9, 8.1);
  expect(report.rejected).toBeWithin(notStored.length, lines);
  expect([report.stored, await listener.served()]).toEqual([1, 1]);
  // The next upload is not affected.
  expect((await uploadTo(listener.url, ndjson(some(2)))).status).toBe(200);
});

test("concurrent uploads are limited to two; a third gets 503, and is accepted when one has ended", async () => {
  await using listener = startListener();
  const uploads = [await openUpload(listener.url), await openUpload(listener.url)];
  for (const upload of uploads) await upload.write(ndjson(some(300)));
  // A part of both, or all of one and a part of the other.
  await until(
    "some of both uploads is stored",
    async () => (await listener.served()) > 300 || undefined,
  );
  const third = () =>
    fetch(`${listener.url}/ingest`, {
      method: "POST",
      headers: { Authorization: `Bearer ${TOKEN}` },
      body: ndjson(some(1)),
    });
  const refused = await third();
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ error: { code: "uploads-busy" } });

  for (const upload of uploads) await upload.end();
  for (const upload of uploads) expect((await upload.reply()).report.stored).toBe(300);
  await listener.over(3);
  expect((await third()).status).toBe(200);
});

describe("a store that fails", () => {
  const failures = ({ events }: Listener) =>
    events.flatMap((one) => (one.event === "failure" ? [String(one.error)] : []));

  test("stops the upload with an error; counted records are stored, and other uploads continue", async () => {
    await using listener = startListener();
    writeDamagedShard(join(listener.data, "bad.db"));
    // Enough records that the first are stored before the damaged shard is reached.
    const documents = [...some(300), aMatch({ shard: "bad" })];
    const { status, report, error } = await uploadTo(listener.url, ndjson(documents));
    expect([status, error!.code]).toEqual([503, "shard-unavailable"]);
    expect(report.stored).toBeGreaterThan(0);
    rmSync(join(listener.data, "bad.db"));
    expect(await listener.served()).toBe(report.stored);
    expect(failures(listener)).toEqual([expect.stringContaining("bad.db")]);
    expect((await uploadTo(listener.url, ndjson(some(2)))).report.stored).toBe(2);
  });

  test("because the disk is full is reported as such; counted records are stored", async () => {
    await using listener = startListener({
      openThread: () => new Worker(new URL("../support/full-disk-worker.ts", import.meta.url).href),
    });
    const { status, report, error } = await uploadTo(listener.url, ndjson(some(2000)));
    expect([status, error!.code]).toEqual([507, "disk-full"]);
    expect(report.stored).toBeWithin(1, 2000);
    expect(await listener.served()).toBe(report.stored);
    expect(failures(listener)).toEqual([expect.stringContaining("disk is full")]);
    expect(uploadsOf(listener)).toMatchObject([{ stored: report.stored, broken: "disk-full" }]);
  });

  test("because its disk cannot be written makes the shard unavailable; nothing is counted as stored", async () => {
    await using listener = startListener({
      openThread: () =>
        new Worker(new URL("../support/read-only-disk-worker.ts", import.meta.url).href),
    });
    // With replace, ingest does not look up known records first, so the first record is read.
    const body = `{}\n${ndjson(some(2))}`;
    const { status, report, error } = await uploadTo(listener.url, body, "?replace=true");
    expect([status, error!.code]).toEqual([503, "shard-unavailable"]);
    expect(report).toMatchObject({ stored: 0, rejected: 1 });
    expect(failures(listener)).toEqual([expect.stringContaining("na.db")]);
  });

  test("because its thread crashes gives an error without counts; the next upload gets a new thread", async () => {
    let opened = 0;
    const broken = URL.createObjectURL(
      new Blob(['self.onmessage = () => { throw new Error("the thread is broken"); };']),
    );
    await using listener = startListener({
      openThread: () => new Worker(opened++ === 0 ? broken : WORKER),
    });
    const { status, report, error } = await uploadTo(listener.url, ndjson(some(2)));
    expect([status, error!.code, report]).toEqual([500, "internal-error", undefined]);
    expect(failures(listener)).toEqual([expect.stringContaining("the thread is broken")]);
    expect((await uploadTo(listener.url, ndjson(some(2)))).report.stored).toBe(2);
  });
});

describe("while records cannot be stored", () => {
  const world = startAdminWorld([aMatch()], { batch: "20" });
  afterAll(async () => (await world).stop());

  test("uploads are held back, and the public port is not affected", async () => {
    const { adminUrl, data, get } = await world;
    const other = new Database(join(data, "na.db"));
    other.run("BEGIN IMMEDIATE");
    const upload = await openUpload(adminUrl);
    const documents = some(160).map((one) => padded(JSON.stringify(one)));
    const { sent, sending } = await sendUntilHeld(upload, documents);
    expect(sent).toBeLessThan(documents.length / 2);
    expect((await get("/shards/na/matches")).status).toBe(200);
    expect((await fetch(`${adminUrl}/keys`)).status).toBe(401);

    other.run("COMMIT");
    other.close();
    await sending;
    await upload.end();
    expect((await upload.reply()).report.stored).toBe(documents.length);
  });
});
