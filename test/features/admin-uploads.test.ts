/** In charge of uploads that do not go as planned: slow, cut off, unread, too many at once. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { FailureGuard } from "../../src/access/failed-keys.ts";
import { openAccess } from "../../src/access/open.ts";
import { startAdmin } from "../../src/admin/server.ts";
import type { Event } from "../../src/observe/events.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { ndjson, startAdminWorld, TOKEN, uploadTo } from "../support/admin.ts";
import { aMatch, type RosterIn } from "../support/records.ts";
import { countsOf, until } from "../support/state.ts";
import { openUpload, type WireUpload } from "../support/wire-upload.ts";
import { aFolder } from "../support/world.ts";

const BOTS: [RosterIn, RosterIn] = [{ members: [{ bot: true }] }, { members: [{ bot: true }] }];
const some = (count: number) => Array.from({ length: count }, () => aMatch({ rosters: BOTS }));

/** A private listener alone, with as much patience as a test needs. */
function startListener(patienceMs: number) {
  const folder = aFolder();
  const flags = { data: folder.path, batch: "100" };
  const { values: settings } = loadSettings({ flags, env: {}, cwd: folder.path });
  const events: Event[] = [];
  const none = () => {
    throw new Error("this test is about uploads");
  };
  const admin = startAdmin({
    host: "127.0.0.1",
    port: 0,
    token: TOKEN,
    guard: new FailureGuard(0),
    trustedProxies: settings["trusted-proxies"],
    keyStore: openAccess({ data: folder.path }).keys,
    plan: {
      tiers: settings.tiers,
      defaults: { rate: 1, burst: 1, matchesPerDay: 1 },
      closedShards: [],
    },
    usage: { daysOf: none, lastSeen: none },
    budgets: { count: none, isExceeded: none },
    onKeysChanged: none,
    metrics: { contentType: "text/plain", text: none },
    uploads: {
      most: 1 << 30,
      patienceMs,
      spoolDir: folder.path,
      thread: {
        open: () => new Worker(new URL("../../src/upload-worker.ts", import.meta.url).href),
        settings,
        threads: 0,
      },
    },
    clock: { now: Date.now, monotonic: () => performance.now() },
    observe: (event) => events.push(event),
  });
  return {
    url: admin.url,
    data: folder.path,
    events,
    /** Settled when so many uploads are over. */
    over: (count: number) =>
      until(`${count} uploads are over`, () => {
        const ended = events.filter(({ event }) => event === "admin-request");
        return ended.length === count || undefined;
      }),
    async stop() {
      await admin.stop();
      folder.remove();
    },
  };
}

type Listener = ReturnType<typeof startListener>;

const uploadsOf = ({ events }: Listener) => events.filter((one) => one.event === "upload");
const spoolsIn = (folder: string) => readdirSync(folder).filter((name) => name.includes("spool"));

async function firstLineOf(upload: WireUpload): Promise<void> {
  for (let text = ""; !text.includes('"line":1,'); ) text += await upload.next();
}

const PATIENT = 60_000;

describe("a connection that is cut", () => {
  test("leaves records that came whole, and nothing else behind", async () => {
    const listener = startListener(PATIENT);
    const documents = some(350);
    const upload = await openUpload(listener.url);
    await upload.write(ndjson(documents));
    await upload.write(JSON.stringify(aMatch()).slice(0, 100));
    await firstLineOf(upload);
    upload.socket.destroy();
    await listener.over(1);
    const [cut] = uploadsOf(listener);
    expect(cut).toMatchObject({ rejected: 0, conflict: 0, broken: "connection-cut" });
    expect(cut!.stored).toBeWithin(256, 351);
    expect((await countsOf(listener.data)).na!.served).toBe(cut!.stored);
    expect(spoolsIn(listener.data)).toEqual([]);

    const { last } = await uploadTo(listener.url, ndjson([...documents, aMatch()]));
    expect(last.report).toMatchObject({ stored: 351 - cut!.stored, duplicate: cut!.stored });
    await listener.stop();
  });

  test("is told from gzip that is cut off", async () => {
    const listener = startListener(PATIENT);
    const upload = await openUpload(listener.url);
    const whole = gzipSync(ndjson(some(600)));
    await upload.write(whole.subarray(0, whole.length - 1000));
    upload.socket.destroy();
    await listener.over(1);
    expect(uploadsOf(listener)).toMatchObject([{ rejected: 0, broken: "connection-cut" }]);
    await listener.stop();
  });

  test("before the first byte of the body leaves nothing", async () => {
    const listener = startListener(PATIENT);
    (await openUpload(listener.url)).socket.destroy();
    await listener.over(1);
    expect(uploadsOf(listener)).toMatchObject([{ stored: 0, bytes: 0, broken: "connection-cut" }]);
    await listener.stop();
  });

  test("while the reply is read does not undo what was sent", async () => {
    const listener = startListener(PATIENT);
    const upload = await openUpload(listener.url);
    await upload.write(ndjson(some(300)));
    await upload.end();
    await firstLineOf(upload);
    upload.socket.destroy();
    await listener.over(1);
    expect((await countsOf(listener.data)).na!.served).toBe(300);
    await listener.stop();
  });
});

describe("patience", () => {
  test("ends with a sender that is silent; what came before is stored and told", async () => {
    const listener = startListener(200);
    const upload = await openUpload(listener.url);
    await upload.write(ndjson(some(3)));
    const { status, lines, last } = await upload.reply();
    expect(status).toBe(200);
    expect(lines.map(({ outcome }) => outcome)).toEqual(["stored", "stored", "stored"]);
    expect(last.error).toMatchObject({ code: "body-stalled" });
    expect(last.report.stored).toBe(3);
    upload.socket.destroy();
    await listener.stop();
  });

  test("ends with a reply that nobody reads, which then says so", async () => {
    const listener = startListener(300);
    const upload = await openUpload(listener.url);
    // Each is rejected, and the reply is longer than any socket's buffers take.
    await upload.write("x\n".repeat(100_000));
    await upload.end();
    await listener.over(1);
    expect(uploadsOf(listener)).toMatchObject([{ rejected: 100_000, broken: undefined }]);
    const { lines, last } = await upload.reply();
    expect(lines.length).toBeWithin(1, 100_000);
    expect(last).toEqual({
      error: { code: "reply-unread", message: expect.stringContaining("Nobody read") },
    });
    await listener.stop();
  }, 20_000);
});

describe("a caller who reads late", () => {
  test("gets every line, and is not waited for", async () => {
    const listener = startListener(PATIENT);
    const upload = await openUpload(listener.url);
    const text = "x\n".repeat(20_000);
    for (let count = 0; count < 5; count++) await upload.write(text);
    await upload.write(ndjson(some(1)));
    await upload.end();
    // Everything is stored before anything is read.
    await until("the upload is over", () => uploadsOf(listener).length === 1 || undefined);
    expect(spoolsIn(listener.data)).toEqual([]);
    const { lines, last } = await upload.reply();
    expect(lines.map(({ line }) => line)).toEqual(
      Array.from({ length: 100_001 }, (_, at) => at + 1),
    );
    expect(last.report).toMatchObject({ stored: 1, rejected: 100_000 });
    await listener.stop();
  }, 20_000);
});

describe("uploads at once", () => {
  test("are two at most; a third is told to come again, and may when one is over", async () => {
    const listener = startListener(PATIENT);
    const uploads = [await openUpload(listener.url), await openUpload(listener.url)];
    for (const upload of uploads) await upload.write(ndjson(some(300)));
    for (const upload of uploads) await firstLineOf(upload);
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
    for (const upload of uploads) expect((await upload.reply()).last.report.stored).toBe(300);
    await listener.over(3);
    expect((await third()).status).toBe(200);
    await listener.stop();
  });

  test("of the same records store each once", async () => {
    const listener = startListener(PATIENT);
    const text = ndjson(some(400));
    const replies = await Promise.all([uploadTo(listener.url, text), uploadTo(listener.url, text)]);
    const reports = replies.map(({ last }) => last.report);
    expect(reports[0].stored + reports[1].stored).toBe(400);
    expect(reports[0].duplicate + reports[1].duplicate).toBe(400);
    expect((await countsOf(listener.data)).na!.served).toBe(400);
    await listener.stop();
  });
});

describe("a shard that cannot be written", () => {
  test("ends the upload with an apology; what was told before is stored, and others go on", async () => {
    const listener = startListener(PATIENT);
    writeFileSync(join(listener.data, "bad.db"), "this is no store ".repeat(100));
    // Enough that the first of them are stored before that shard is met.
    const documents = [...some(300), aMatch({ shard: "bad" })];
    const { status, lines, last } = await uploadTo(listener.url, ndjson(documents));
    expect(status).toBe(200);
    expect(lines.length).toBeGreaterThan(0);
    expect(last.error).toMatchObject({ code: "internal-error" });
    expect(last.report.stored).toBe(lines.length);
    rmSync(join(listener.data, "bad.db"));
    expect((await countsOf(listener.data)).na!.served).toBe(lines.length);
    const failure = listener.events.find(({ event }) => event === "failure");
    expect(String((failure as { error: Error }).error.message)).toContain("bad.db");
    expect((await uploadTo(listener.url, ndjson(some(2)))).last.report.stored).toBe(2);
    await listener.stop();
  });
});

describe("while records cannot be stored", () => {
  const world = startAdminWorld([aMatch()], { batch: "20" });
  afterAll(async () => (await world).stop());

  test("their sender has to wait, and callers of the public port have not", async () => {
    const { adminUrl, data, get } = await world;
    const other = new Database(join(data, "na.db"));
    other.run("BEGIN IMMEDIATE");
    const upload = await openUpload(adminUrl);
    // Blanks between two members: a document like any other, but longer.
    const pad = " ".repeat(512 * 1024);
    const documents = some(160).map((one) => `${JSON.stringify(one).slice(0, -1)}${pad}}\n`);
    let sent = 0;
    const sending = (async () => {
      for (const document of documents) {
        await upload.write(document);
        sent += 1;
      }
    })();
    await standingStill(() => sent);
    expect(sent).toBeLessThan(documents.length / 2);
    expect((await get("/shards/na/matches")).status).toBe(200);
    expect((await fetch(`${adminUrl}/keys`)).status).toBe(401);

    other.run("COMMIT");
    other.close();
    await sending;
    await upload.end();
    expect((await upload.reply()).last.report.stored).toBe(documents.length);
  }, 30_000);
});

/** Settled when a number has begun to grow and has not grown for a quarter of a second. */
async function standingStill(count: () => number): Promise<void> {
  let last = 0;
  let since = performance.now();
  await until("the count stands still", () => {
    if (count() === last) return (last > 0 && performance.now() - since > 250) || undefined;
    last = count();
    since = performance.now();
    return undefined;
  });
}
