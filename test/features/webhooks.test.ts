/** Deliveries to webhooks: at least once, in order, whatever the receiver does. */

import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { webhooks } from "../../src/features/webhooks/feature.ts";
import { send } from "../../src/features/webhooks/send.ts";
import { resumed } from "../../src/features/webhooks/stored.ts";
import type { Event } from "../../src/observe/events.ts";
import { openAccess, ownServices } from "../../src/open-access.ts";
import { readLogEnds } from "../../src/store/core/change-log.ts";
import { serve } from "../../src/wiring.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { matchbook } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
import { redactIn } from "../support/redact.ts";
import { until } from "../support/state.ts";
import {
  matchesOf,
  type Receiver,
  signatureOf,
  startHookWorld,
  startReceiver,
} from "../support/webhooks.ts";
import { aFolder, startWorld } from "../support/world.ts";

type HookWorld = Awaited<ReturnType<typeof startHookWorld>>;

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.stop();
});

async function start(flags: Record<string, string> = {}): Promise<HookWorld> {
  const world = await startHookWorld([aMatch({ id: "old" })], flags);
  opened.push(world);
  return world;
}

function receive(): Receiver {
  const receiver = startReceiver();
  opened.push(receiver);
  return receiver;
}

/** With a receiver and a hook for it. */
async function startHooked(wanted: Parameters<HookWorld["add"]>[1] = {}) {
  const world = await start();
  const receiver = receive();
  return { world, receiver, hook: await world.add(receiver.url, wanted) };
}

const matches = (...ids: string[]) => ids.map((id) => aMatch({ id }));
const HOUR = 3_600_000;

/** Ingests a new match, and delivers what is due. */
async function deliverNew(world: HookWorld, id: string): Promise<void> {
  await world.ingest(matches(id));
  await world.deliver();
}

/** Delivers what is due when so much time has passed. */
async function deliverAfter(world: HookWorld, milliseconds: number): Promise<void> {
  world.clock.time += milliseconds;
  await world.deliver();
}

const FINE = () => new Response();
const FAILING = () => new Response("", { status: 500 });

const resultsOf = async (world: HookWorld, id: string) =>
  (await world.hooks.describe([await world.hooks.find(id)], world.clock.now()))[0]!;

const lastResultOf = async (world: HookWorld, id: string) =>
  (await resultsOf(world, id)).progress[0]!.lastResult;

/** A receiver that does what no HTTP server does. */
function listen(socket: Bun.SocketHandler): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
  opened.push({ stop: async () => listener.stop(true) });
  return listener.port;
}

/** Sends to it without a limit of time, in which a test would end anyway. */
const sendTo = (port: number) =>
  send(`http://127.0.0.1:${port}/`, {}, "{}", {
    ...{ allowPrivate: true, signal: new AbortController().signal, timeoutMs: 1e8 },
  });

/** Removes all commits from the log but the last one. */
function forgetChanges({ data }: HookWorld): void {
  const shard = sqliteRows(join(data, "na.db"));
  const last = shard.rows("commit").at(-1)!;
  shard.remove("commit", ({ sequence }) => sequence < last.sequence);
}

const metricOf = ({ deliverer }: Awaited<ReturnType<typeof start>>, wanted: string) =>
  deliverer.families().find(({ name }) => name === wanted)!.samples[0]!.value;

test("a hook that is added also receives the matches that lists do not have yet", async () => {
  const world = await start();
  const receiver = receive();
  await world.ingest([aMatch({ id: "ahead", createdAt: world.clock.now() + 300_000 })]);
  await world.add(receiver.url);
  await world.deliver();
  expect(receiver.matches()).toEqual(["ahead"]);
});

test("more changes than fit into one batch arrive in their order", async () => {
  const { world, receiver } = await startHooked();
  const ids = Array.from({ length: 250 }, (_, at) => `m${at}`);
  await world.ingest(matches(...ids), { batch: 70 });
  await world.deliver();
  expect(receiver.received.map((one) => matchesOf(one).length)).toEqual([100, 100, 50]);
  expect([...receiver.matches()].sort()).toEqual([...ids].sort());
  const numbers = receiver.received.flatMap((one) =>
    one.message.data.changes.map(({ id }: { id: string }) => Number.parseInt(id, 36)),
  );
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
});

test("a batch that fails is repeated with the same id and body, and later changes wait for it", async () => {
  const { world, receiver, hook } = await startHooked();
  await world.ingest(matches("one"));
  receiver.respond = () => new Response("no", { status: 500 });
  await world.deliver();
  await deliverNew(world, "two");
  expect(receiver.received).toHaveLength(1);
  expect(await resultsOf(world, hook.id)).toMatchObject({
    state: "failing",
    progress: [{ attempts: 1, lastResult: "HTTP 500" }],
  });

  receiver.respond = FINE;
  await deliverAfter(world, 6000);
  const [first, again, second] = receiver.received;
  expect([again!.id, again!.body]).toEqual([first!.id, first!.body]);
  expect(again!.timestamp).not.toBe(first!.timestamp);
  expect(matchesOf(second!)).toEqual(["two"]);
  expect(second!.id).not.toBe(first!.id);
  expect(await resultsOf(world, hook.id)).toMatchObject({ state: "active" });
});

test("Retry-After delays the next attempt", async () => {
  const { world, receiver } = await startHooked();
  await world.ingest(matches("one"));
  receiver.respond = () => new Response("", { status: 503, headers: { "Retry-After": "600" } });
  await world.deliver();
  await deliverAfter(world, 599_000);
  expect(receiver.received).toHaveLength(1);
  await deliverAfter(world, 1000);
  expect(receiver.received).toHaveLength(2);
});

test("a hook that fails for a day is paused and reported; resumed, it continues where it stopped", async () => {
  const { world, receiver, hook } = await startHooked();
  await world.ingest(matches("one"));
  receiver.respond = FAILING;
  const began = world.clock.time;
  for (let at = 0; (await world.hooks.find(hook.id)).pausedBy === null; at++) {
    expect(at).toBeLessThan(40);
    await world.deliver();
    const { nextAttempt } = (await world.hooks.find(hook.id)).progress[0]!;
    world.clock.time = Math.max(world.clock.time, nextAttempt);
  }
  expect(world.clock.time - began).toBe(24 * HOUR);
  expect(world.events).toContainEqual({
    event: "hook-paused",
    hook: hook.id,
    shard: "na",
    reason: "HTTP 500",
  });
  expect(await resultsOf(world, hook.id)).toMatchObject({ state: "paused", pausedBy: "failures" });
  const sent = receiver.received.length;
  await deliverAfter(world, 100 * HOUR);
  expect(receiver.received).toHaveLength(sent);
  expect(metricOf(world, "matchbook_paused_hooks")).toBe(1);

  receiver.respond = FINE;
  await world.store.change(hook.id, resumed);
  await world.deliver();
  expect(receiver.matches()).toEqual(["one"]);
});

test("redirects are not followed", async () => {
  const world = await start();
  const [receiver, other] = [receive(), receive()];
  const hook = await world.add(receiver.url);
  await world.ingest(matches("one"));
  receiver.respond = () => Response.redirect(other.url, 307);
  await world.deliver();
  expect([receiver.received.length, other.received.length]).toEqual([1, 0]);
  expect(await lastResultOf(world, hook.id)).toBe("HTTP 307: redirects are not followed");
});

test("a batch that is sent again after a player was redacted does not show the player", async () => {
  const world = await start();
  const [all, some] = [receive(), receive()];
  await world.add(all.url);
  await world.add(some.url, { players: ["ada"] });
  const ada = { id: "ada", name: "Ada Lovelace" };
  const records = ["one", "two"].map((id) =>
    aMatch({ id, rosters: duel(ada, { id: "bob", name: "Bob" }) }),
  );
  await world.ingest(records);
  for (const receiver of [all, some]) receiver.respond = () => new Response("", { status: 503 });
  await world.deliver();
  expect([all, some].map(({ received }) => received.length)).toEqual([1, 1]);
  expect(all.received[0]!.body).toContain('"ada"');

  await redactIn(world.settings, "na", "ada");
  await world.ingest(records);
  await world.ingest(records, { replace: true });
  for (const receiver of [all, some]) receiver.respond = () => new Response();
  world.clock.time += HOUR;
  for (let turn = 0; turn < 4; turn++) await world.deliver();
  expect(all.received[1]!.id).toBe(all.received[0]!.id);
  expect(new Set(all.matches())).toEqual(new Set(["one", "two"]));
  const later = [...all.received.slice(1), ...some.received.slice(1)];
  expect(later.filter(({ body }) => /ada|Lovelace/i.test(body))).toEqual([]);
});

test("a hook that hangs delays no other, and gets one request at a time", async () => {
  const world = await start();
  const [slow, fast] = [receive(), receive()];
  const hung = Promise.withResolvers<Response>();
  slow.respond = () => hung.promise;
  await world.add(slow.url);
  await world.add(fast.url);
  await world.ingest(matches("one"));
  await world.deliverer.turn();
  for (const id of ["two", "three"]) {
    await world.ingest(matches(id));
    while (!fast.matches().includes(id)) {
      await world.deliverer.turn();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  expect(fast.matches()).toEqual(["one", "two", "three"]);
  expect(slow.received.length).toBeLessThanOrEqual(1);
  slow.respond = () => new Response();
  hung.resolve(new Response());
  await world.deliverer.settled();
  await world.deliver();
  expect(slow.matches()).toEqual(["one", "two", "three"]);
});

test("there are at most 32 requests at once, and at most 16 of them are retries", async () => {
  const world = await start();
  const receiver = receive();
  for (const name of ["one", "two"]) {
    const { record } = await world.access.keys.create({ name }, Date.now());
    for (let at = 0; at < 20; at++) await world.add(receiver.url, { keyId: record.id });
  }
  await world.ingest(matches("one"));
  const requestsOfTurns = async (expected: number) => {
    const hung = Promise.withResolvers<void>();
    receiver.respond = async () => {
      await hung.promise;
      return new Response("", { status: 500 });
    };
    const before = receiver.received.length;
    for (let turn = 0; turn < 3; turn++) await world.deliverer.turn();
    await until(`${expected} requests`, () => receiver.received.length - before === expected);
    hung.resolve();
    await world.deliverer.settled();
    return receiver.received.length - before;
  };
  expect(await requestsOfTurns(32)).toBe(32);
  world.clock.time += 10_000;
  // Those that did not get a turn, and a part of those that failed.
  expect(await requestsOfTurns(8 + 16)).toBe(24);
});

test("a receiver that does not respond in time counts as failed", async () => {
  const receiver = receive();
  const hung = Promise.withResolvers<Response>();
  receiver.respond = () => hung.promise;
  const headers = { "webhook-signature": "" };
  const options = { allowPrivate: true, signal: new AbortController().signal, timeoutMs: 50 };
  expect(await send(receiver.url, headers, "{}", options)).toEqual({
    kind: "failed",
    result: "no response within 0.05 s",
    retryAfterMs: 0,
  });
  hung.resolve(new Response("", { status: 500 }));
});

test("a receiver that does not listen counts as failed", async () => {
  const { url, stop } = startReceiver();
  await stop();
  const refused = { kind: "failed", result: "the connection was refused" };
  expect(await sendTo(Number(new URL(url).port))).toMatchObject(refused);
});

test.each([
  ["closes the connection", "", "the receiver closed the connection without a response"],
  ["speaks another protocol", "SSH-2.0-x\r\n\r\n", "the response is not valid HTTP/1.1"],
  [
    "sends an endless head",
    `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(10_000)}`,
    "the response has a huge head",
  ],
  [
    "sends endless interim responses",
    "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(20),
    "the receiver closed the connection without a response",
  ],
])("a receiver that %s counts as failed", async (_, bytes, result) => {
  const world = await start();
  const port = listen({
    data(socket) {
      socket.write(bytes);
      socket.end();
    },
  });
  const hook = await world.add(`http://127.0.0.1:${port}/`);
  await deliverNew(world, "one");
  expect(await lastResultOf(world, hook.id)).toBe(result);
});

test("of a response without an end, no more is read than is needed; its status counts", async () => {
  const line = "a".repeat(1000);
  const port = listen({
    data(socket) {
      socket.write(`HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n${line.repeat(100)}`);
    },
    drain(socket) {
      socket.write(line);
    },
  });
  expect(await sendTo(port)).toMatchObject({ kind: "delivered", result: "HTTP 200" });
});

test.each([
  ["a length", "200 OK", "Content-Length: 6\r\n\r\nthanks"],
  ["chunks", "200 OK", "Transfer-Encoding: chunked\r\n\r\n6\r\nthanks\r\n0\r\n\r\n"],
  ["no body", "204 No Content", "\r\n"],
])(
  "a receiver that keeps the connection open has responded when the response is complete: %s",
  async (_, status, rest) => {
    const port = listen({
      data(socket) {
        socket.write(`HTTP/1.1 ${status}\r\n${rest}`);
      },
    });
    const result = `HTTP ${status.slice(0, 3)}`;
    expect(await sendTo(port)).toMatchObject({ kind: "delivered", result });
  },
);

test.each([
  ["http://localhost", "the URL must be https"],
  ["https://localhost", "localhost is not a public address"],
  ["https://127.0.0.1", "127.0.0.1 is not a public address"],
])("%s is refused at each delivery, although it was allowed before", async (origin, result) => {
  const world = await start();
  let connections = 0;
  const port = listen({ open: () => void connections++, data() {} });
  const hook = await world.add(`${origin}:${port}/`);
  await world.ingest(matches("one"));
  await world.deliver(world.newDeliverer(false));
  expect(await lastResultOf(world, hook.id)).toBe(result);
  expect(connections).toBe(0);
});

test("a hook for players receives only their matches, and advances past the others", async () => {
  const { world, receiver, hook } = await startHooked({ players: ["ada"] });
  const others = Array.from({ length: 150 }, (_, at) => `other${at}`);
  await world.ingest(matches(...others));
  await world.deliver();
  expect((await world.hooks.find(hook.id)).progress[0]!.cursor.number).toBe(151);
  await world.ingest([aMatch({ id: "wanted", rosters: duel({ id: "ada" }, { id: "bob" }) })]);
  await world.deliver();
  expect(receiver.matches()).toEqual(["wanted"]);
});

test("a hook for one shard receives nothing of another, and one for all also gets new shards", async () => {
  const world = await start();
  const [one, all] = [receive(), receive()];
  await world.add(one.url, { shards: ["na"] });
  await world.add(all.url);
  await world.ingest([aMatch({ id: "eu1", shard: "eu" })], { shard: "eu" });
  await world.deliver();
  await world.deliver();
  expect([one.matches(), all.matches()]).toEqual([[], ["eu1"]]);
});

test("without a valid key nothing is delivered, and the hook says so", async () => {
  const { world, receiver, hook } = await startHooked();
  await world.access.keys.change(world.key.id, { expiresAt: world.clock.time + 1000 });
  world.clock.time += 1000;
  await deliverNew(world, "one");
  expect((await resultsOf(world, hook.id)).state).toBe("key-expired");
  await world.access.keys.change(world.key.id, { expiresAt: null });
  await world.access.keys.revoke(world.key.id, world.clock.time);
  await world.deliver();
  expect((await resultsOf(world, hook.id)).state).toBe("key-revoked");
  expect(receiver.received).toEqual([]);
});

test("a shard that the key may not read any more is not delivered", async () => {
  const { world, receiver, hook } = await startHooked();
  await world.access.keys.change(world.key.id, { shards: ["eu"] });
  await deliverNew(world, "one");
  expect(receiver.received).toEqual([]);
  expect((await resultsOf(world, hook.id)).progress).toMatchObject([
    { shard: "na", mayRead: false },
  ]);
  await world.access.keys.change(world.key.id, { shards: null });
  await world.deliver();
  expect(receiver.matches()).toEqual(["one"]);
});

test("a cursor that is not in the log any more: the delivery begins with the log, and says that there is a gap", async () => {
  const { world, receiver } = await startHooked();
  await world.ingest(matches("lost"));
  await world.ingest(matches("kept"));
  forgetChanges(world);
  receiver.respond = FAILING;
  await world.deliver();
  receiver.respond = FINE;
  await deliverAfter(world, 6000);
  expect(receiver.matches()).toEqual(["kept"]);
  await deliverNew(world, "later");
  expect(receiver.received.map((one) => one.message.data.gap)).toEqual([true, true, undefined]);
  expect(receiver.received[1]!.body).toBe(receiver.received[0]!.body);
  expect(world.events).toContainEqual(expect.objectContaining({ event: "hook-gap" }));
});

test("after a restore, a hook gets one message with a gap at once, and goes on from the restored end", async () => {
  const { world, receiver, hook } = await startHooked();
  const folder = aFolder();
  opened.push({ stop: async () => folder.remove() });
  const backup = join(folder.path, "na.db");
  await world.ingest(matches("kept"));
  const shard = new Database(join(world.data, "na.db"));
  shard.run(`VACUUM INTO '${backup}'`);
  shard.close();
  const copy = new Database(backup);
  copy.run("PRAGMA journal_mode = WAL");
  copy.close();
  await deliverNew(world, "lost");
  receiver.received.splice(0);

  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(world.data, `na.db${suffix}`));
  renameSync(backup, join(world.data, "na.db"));
  receiver.respond = FAILING;
  await until("the restored file is noticed", async () => {
    await world.deliver();
    return receiver.received.length > 0;
  });
  receiver.respond = FINE;
  await deliverAfter(world, 6000);
  await world.deliver();
  const gap = { shard: "na", gap: true, changes: [] };
  expect(receiver.received.map(({ message }) => message.data)).toEqual([gap, gap]);
  expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id);
  await deliverNew(world, "later");
  expect(receiver.received.slice(2).map((one) => matchesOf(one))).toEqual([["later"]]);
  expect(receiver.received[2]!.message.data).not.toHaveProperty("gap");
  expect(world.events.filter(({ event }) => event === "hook-gap")).toEqual([
    { event: "hook-gap", hook: hook.id, shard: "na" },
  ]);
});

test("a hook for players gets the message with a gap, although none of the changes are theirs", async () => {
  const { world, receiver } = await startHooked({ players: ["nobody"] });
  for (const id of ["lost", "kept"]) await world.ingest(matches(id));
  forgetChanges(world);
  await world.deliver();
  await world.deliver();
  expect(receiver.received.map(({ message }) => message.data)).toEqual([
    { shard: "na", gap: true, changes: [] },
  ]);
});

test("a damaged log of one shard is reported once, and delays no other shard", async () => {
  const world = await start();
  const receiver = receive();
  await world.ingest([aMatch({ id: "eu1", shard: "eu" })], { shard: "eu" });
  await world.add(receiver.url);
  for (const id of ["one", "two", "three"]) await world.ingest(matches(id));
  sqliteRows(join(world.data, "na.db")).change("commit", { sequence: 3 }, { changes: "[]" });
  await world.ingest([aMatch({ id: "eu2", shard: "eu" })], { shard: "eu" });
  for (let turn = 0; turn < 3; turn++) {
    await world.deliver();
    world.clock.time += 11_000;
  }
  expect(receiver.matches()).toEqual(["eu2"]);
  const stalled = world.events.filter(({ event }) => event === "hooks-stalled");
  expect(stalled).toMatchObject([{ shard: "na", error: { name: "DamagedData" } }]);
});

test("progress that cannot be stored does not make the server send a batch again and again", async () => {
  const { world, receiver } = await startHooked();
  await world.ingest(matches("one"));
  receiver.respond = () => {
    const file = new Database(join(world.data, "hooks.sqlite"));
    file.run("CREATE TRIGGER full BEFORE UPDATE ON hooks BEGIN SELECT RAISE(ABORT, 'full'); END");
    file.close();
    return new Response();
  };
  await world.deliver();
  receiver.respond = FINE;
  await world.deliver();
  await deliverAfter(world, 9000);
  expect(receiver.received).toHaveLength(1);
  const file = new Database(join(world.data, "hooks.sqlite"));
  file.run("DROP TRIGGER full");
  file.close();
  await deliverAfter(world, 1000);
  await world.deliver();
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  expect(receiver.received).toHaveLength(2);
});

test("after a rotation both secrets sign for 24 hours, then the new one alone", async () => {
  const { world, receiver, hook: old } = await startHooked();
  await world.hooks.rotateSecret(old, world.clock.now());
  const { secret } = await world.hooks.find(old.id);
  expect(secret).not.toBe(old.secret);
  await deliverNew(world, "one");
  world.clock.time += 24 * HOUR;
  await deliverNew(world, "two");
  const [during, after] = receiver.received;
  expect(during!.signatures).toEqual([secret, old.secret].map((one) => signatureOf(one, during!)));
  expect(after!.signatures).toEqual([signatureOf(secret, after!)]);
});

test("a hook is not added for what its key may not read, and a key given instead of its id is not repeated", async () => {
  const world = await start({ "closed-shards": "beta" });
  const url = receive().url;
  await expect(world.add(url, { shards: ["beta"] })).rejects.toThrow("may not read beta");
  const { key } = await world.access.keys.create({ name: "another" }, Date.now());
  const refused = await world.add(url, { keyId: key }).catch((error: Error) => error.message);
  expect(refused).toContain("that is a key, not a key id");
  expect(refused).not.toContain(key);
});

test("there are at most 200 hooks", async () => {
  const { world, receiver, hook } = await startHooked();
  const file = new Database(join(world.data, "hooks.sqlite"));
  file.run(`WITH RECURSIVE copies(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM copies WHERE at < 199)
    INSERT INTO hooks (id, created_at, version, state)
    SELECT 'copy-' || at, created_at, 0, state FROM copies, hooks WHERE id = '${hook.id}'`);
  await expect(world.add(receiver.url)).rejects.toThrow("there are 200 hooks; remove one first");
  file.run("DELETE FROM hooks WHERE id LIKE 'copy-%'");
  file.close();
  expect((await world.add(receiver.url)).id).not.toBe(hook.id);
});

test("with hooks off, the server does not even try to deliver", async () => {
  const { world, receiver } = await startHooked();
  const { settings, access, shards, clock, events } = world;
  const services = ownServices({ ...settings, hooks: "off" }, access, shards).get("webhooks")!;
  const observe = (event: Event) => events.push(event);
  const off = webhooks.operated!.background({ ...services, clock, observe });
  off.start();
  await world.ingest(matches("one"));
  await off.stop();
  expect(receiver.received).toEqual([]);
  // It has not taken the lease.
  expect(await world.deliver()).toBe(true);
  expect(receiver.matches()).toEqual(["one"]);
});

test("one instance delivers at a time; another takes over when the lease has ended or was released", async () => {
  const { world, receiver } = await startHooked();
  const other = world.newDeliverer();
  expect(await world.deliver()).toBe(true);
  await world.ingest(matches("one"));
  expect(await world.deliver(other)).toBe(false);
  expect(receiver.received).toEqual([]);
  world.clock.time += 14_000;
  expect(await world.deliver(other)).toBe(false);
  world.clock.time += 1000;
  expect(await world.deliver(other)).toBe(true);
  expect(receiver.matches()).toEqual(["one"]);
  expect(await world.deliver()).toBe(false);
  await other.stop();
  expect(await world.deliver()).toBe(true);
});

/** Starts what is due, and returns what ends the request that is then in flight. */
async function deliverSlowly(world: HookWorld, receiver: Receiver) {
  const hung = Promise.withResolvers<Response>();
  receiver.respond = () => hung.promise;
  const before = receiver.received.length;
  await world.deliverer.turn();
  await until("the request is sent", () => receiver.received.length > before);
  return async (status: number) => {
    hung.resolve(new Response("", { status }));
    await world.deliverer.settled();
  };
}

test("a late failure does not pause a hook to which another instance has delivered meanwhile", async () => {
  const { world, receiver, hook } = await startHooked();
  await world.ingest(matches("one"));
  const end = await deliverSlowly(world, receiver);
  world.clock.time += 15_000;
  receiver.respond = FINE;
  await world.deliver(world.newDeliverer());
  await end(410);
  expect(await resultsOf(world, hook.id)).toMatchObject({ state: "active" });
  expect(world.events).not.toContainEqual(expect.objectContaining({ event: "hook-paused" }));
});

test("the lag is the age of the oldest change that was not delivered", async () => {
  const { world, receiver } = await startHooked();
  await world.ingest(matches("one"));
  receiver.respond = FAILING;
  await world.deliver();
  await world.deliver();
  const changedAt = Date.parse(receiver.received[0]!.message.data.changes[0].attributes.changedAt);
  const lag = () => metricOf(world, "matchbook_hook_lag_seconds");
  world.clock.time = Math.max(world.clock.time, changedAt) + 1000;
  expect(lag()).toBe((world.clock.time - changedAt) / 1000);
  receiver.respond = FINE;
  await deliverAfter(world, 6000);
  await world.deliver();
  expect([lag(), metricOf(world, "matchbook_paused_hooks")]).toEqual([0, 0]);
});

test("hooks and cursors go on after a repair and after a move: each change comes once", async () => {
  const { world, receiver } = await startHooked();
  const cursor = (await (await world.shards.reader("na"))!.read(readLogEnds)).end;
  const path = join(world.data, "na.db");
  const received = () => receiver.received.flatMap(matchesOf);
  const isDelivered = async (...ids: string[]) => {
    await until("it is delivered", async () => {
      await world.deliver();
      return received().length >= ids.length;
    });
    expect(received()).toEqual(ids);
  };
  await world.ingest(matches("before"));
  await isDelivered("before");

  await world.ingest(matches("meanwhile"));
  sqliteRows(path).remove("player entry");
  expect((await matchbook(["repair", "na", "--data", world.data])).exitCode).toBe(0);
  await world.ingest(matches("repaired"));
  await isDelivered("before", "meanwhile", "repaired");

  const moved = join(world.data, "moved", "na.db");
  const to = ["--to", `sqlite:${moved}`];
  expect((await matchbook(["shards", "move", "na", ...to, "--data", world.data])).exitCode).toBe(0);
  for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
  renameSync(moved, path);
  await world.ingest(matches("moved"));
  await isDelivered("before", "meanwhile", "repaired", "moved");
  const batch = await (await world.shards.reader("na"))!.changes(cursor, 100);
  expect(batch!.changes.map(({ kind, match }) => `${kind} ${match.id}`)).toEqual(
    received().map((id) => `added ${id}`),
  );
});

test("with a damaged file of webhooks nothing is delivered, and all else works; hooks are added to a new file", async () => {
  await using world = await startWorld([aMatch()]);
  const access = openAccess(world.settings);
  const { record: key } = await access.keys.create({ name: "hooks" }, Date.now());
  await access.close();
  const file = join(world.data, "hooks.sqlite");
  writeFileSync(file, "this is not a database, ".repeat(1000));
  const events: Event[] = [];
  const settings = { ...world.settings, hooks: "private" } as const;
  const running = await serve(settings, (event) => events.push(event));
  const add = () =>
    matchbook(["hooks", "add", "--key", key.id, "--url", "http://127.0.0.1:1/"], {
      env: { MATCHBOOK_DATA: world.data, MATCHBOOK_HOOKS: "private" },
    });
  try {
    await until("it is reported", () => events.some(({ event }) => event === "hooks-stalled"));
    for (const path of ["/readyz", "/shards/na/matches"])
      expect((await world.get(running.url + path)).status).toBe(200);
    expect((await add()).exitCode).toBe(1);

    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    expect((await add()).exitCode).toBe(0);
  } finally {
    await running.stop("test");
  }
});
