/** The change feed as Server-Sent Events: what a stream has, how it is resumed, and why it ends. */

import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { join } from "node:path";
import { FeedLimits } from "../../src/features/changes/limits.ts";
import type { Event } from "../../src/observe/events.ts";
import { type AccessStore, openAccess } from "../../src/open-access.ts";
import { anEntry, serve } from "../conformance/entries.ts";
import { AUTHORIZATION, TOKEN } from "../support/admin.ts";
import { writeDamagedShard } from "../support/damaged-shard.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { ENGINES, engineWorlds } from "../support/engine-worlds.ts";
import { StreamClient } from "../support/event-stream.ts";
import { TestClock } from "../support/keys.ts";
import { withWriter } from "../support/prune.ts";
import { aMatch, duel } from "../support/records.ts";
import { readScrape, seriesValue } from "../support/scrape.ts";
import { until } from "../support/state.ts";
import { exchange } from "../support/wire.ts";
import { startWorld, type World } from "../support/world.ts";

const CHANGES = "/shards/na/changes";
const OLDEST = `${CHANGES}?page[after]=oldest`;

/** Often, so that tests need not wait. */
const PACE = { pollMs: 5, keyCheckMs: 20 };

interface Wishes {
  flags?: Record<string, string>;
  toml?: string;
  clock?: TestClock;
  pace?: object;
}

const worldIn = engineWorlds(PACE);

/** With the events that it logs. */
async function startFeed(ids: string[], { flags, toml, clock, pace }: Wishes = {}) {
  const events: Event[] = [];
  const documents = ids.map((id) => aMatch({ id }));
  const paces = { ...PACE, ...pace };
  const log = (event: Event) => void events.push(event);
  const world = await startWorld(documents, flags, clock, toml, undefined, paces, log);
  return {
    ...world,
    named: (name: string) => events.filter(({ event }) => event === name),
    events,
  };
}

const stream = (world: World, path = CHANGES, headers: Record<string, string> = {}) =>
  StreamClient.open(`${world.url}${path}`, { Authorization: `Bearer ${world.key}`, ...headers });

// biome-ignore lint/suspicious/noExplicitAny: resources of the feed.
const matchOf = (change: any): string => change.relationships.match.data.id;

async function nextMatches(client: StreamClient, count: number): Promise<string[]> {
  return (await client.changes(count)).map(matchOf);
}

/** The code of the last event; nothing else may come. */
async function endOf(client: StreamClient): Promise<string> {
  const event = await client.next();
  expect(event?.event).toBe("end");
  expect(await client.next()).toBeUndefined();
  const { code, detail } = JSON.parse(event!.data);
  expect(detail).toMatch(/\.$/);
  return code;
}

describe("a stream", () => {
  test("begins at once with a comment, and is not compressed", async () => {
    await using world = await startFeed(["one"]);
    using client = await stream(world, OLDEST, { "Accept-Encoding": "gzip" });
    expect(client.response.status).toBe(200);
    expect(client.response.headers.get("content-encoding")).toBeNull();
    await client.untilComments(1);
    expect(client.events.length).toBeLessThanOrEqual(1);
  });

  test("goes on after the parameter lastEventId too, which some libraries send; the header wins over it", async () => {
    await using world = await startFeed(["one", "two", "three"]);
    const [first, second] = (await world.get(OLDEST)).body.data;
    const path = `${CHANGES}?lastEventId=${first.id}&filter[gameMode]=ranked&page[after]=oldest`;
    const byParameter = await stream(world, path);
    expect(await nextMatches(byParameter, 2)).toEqual(["two", "three"]);
    byParameter.close();
    const byHeader = await stream(world, path, { "Last-Event-ID": second.id });
    expect(await nextMatches(byHeader, 1)).toEqual(["three"]);
    byHeader.close();
    // A page has no events.
    const { status, body } = await world.get(`${CHANGES}?lastEventId=${first.id}`);
    expect([status, body.errors[0].code]).toEqual([400, "unknown-parameter"]);
  });

  test("that has had no event yet can be resumed without a gap", async () => {
    await using world = await startFeed(["one"]);
    const first = await stream(world);
    await first.untilComments(1);
    const { lastId } = first;
    first.close();
    await world.ingest([aMatch({ id: "two" })]);
    using second = await stream(world, CHANGES, { "Last-Event-ID": lastId });
    expect(await nextMatches(second, 1)).toEqual(["two"]);
  });

  test("has only the changes that pass the filters, with names as they were at its beginning", async () => {
    await using world = await startFeed([]);
    const ada = { id: "p1", name: "Ada" };
    await world.ingest([aMatch({ id: "one", rosters: duel(ada, { id: "p2" }) })]);
    using client = await stream(world, `${OLDEST}&filter[playerNames]=Ada&filter[gameMode]=casual`);
    const renamed = { id: "p1", name: "Lovelace" };
    await world.ingest([
      aMatch({ id: "two", mode: "casual", rosters: duel(renamed, { id: "p2" }) }),
      aMatch({ id: "three", mode: "casual" }),
      aMatch({ id: "four", mode: "casual", rosters: duel({ id: "p3" }, renamed) }),
    ]);
    expect(await nextMatches(client, 2)).toEqual(["two", "four"]);
  });

  test.each(ENGINES)("has what another process has committed, on %s", async (engine) => {
    await using world = await worldIn(engine, [aMatch({ id: "one" })]);
    using client = await stream(world, `${CHANGES}?filter[gameMode]=casual`);
    await world.ingest([aMatch({ id: "two" })]);
    await world.ingest([aMatch({ id: "three", mode: "casual" })]);
    expect(await nextMatches(client, 1)).toEqual(["three"]);
  });

  test("lasts longer than connections may be idle", async () => {
    await using world = await startFeed(["one"], { pace: { heartbeatMs: 60_000 } });
    using client = await stream(world);
    // The runtime closes an idle connection after 10 to 14 seconds, and so it would close this one.
    await exchange(world.url, ["GET /healthz HTTP/1.1", "Host: here"], false);
    await world.ingest([aMatch({ id: "two" })]);
    expect(await nextMatches(client, 1)).toEqual(["two"]);
  });
});

describe("a request for a stream", () => {
  test("is refused with an error document like any other", async () => {
    await using world = await startFeed(["one"]);
    for (const [path, headers, status, code] of [
      [CHANGES, { Authorization: "Bearer nonsense" }, 401, "unauthorized"],
      ["/shards/nowhere/changes", {}, 404, "unknown-shard"],
      [`${CHANGES}?sort=createdAt`, {}, 400, "unknown-parameter"],
      [CHANGES, { "Last-Event-ID": "nonsense" }, 400, "invalid-cursor"],
      [CHANGES, { "Last-Event-ID": "9-9" }, 410, "cursor-expired"],
      [`${CHANGES}?lastEventId=nonsense`, {}, 400, "invalid-cursor"],
      ["/shards/na/matches", {}, 406, "not-acceptable"],
    ] as const) {
      const reply = await world.get(path, { Accept: "text/event-stream", ...headers });
      expect([path, reply.status, reply.body.errors[0].code]).toEqual([path, status, code]);
    }
  });

  test("gets what its Accept header prefers, and a page if it prefers neither", async () => {
    await using world = await startFeed(["one"]);
    for (const [Accept, type] of [
      ["text/event-stream, application/vnd.api+json", "application/vnd.api+json"],
      ["application/vnd.api+json;q=0.5, text/event-stream", "text/event-stream"],
      ["application/vnd.api+json;q=0.5, text/event-stream;q=0.6", "text/event-stream"],
      ["application/vnd.api+json, text/event-stream;q=0.9", "application/vnd.api+json"],
      ["application/vnd.api+json;q=0, text/event-stream;q=0.1", "text/event-stream"],
      ["application/vnd.api+json;ext=x, text/event-stream;q=0.1", "text/event-stream"],
      ["text/event-stream;q=0, application/vnd.api+json;q=0.1", "application/vnd.api+json"],
    ]) {
      const { headers } = await fetch(`${world.url}${CHANGES}`, {
        method: "HEAD",
        headers: { Authorization: `Bearer ${world.key}`, Accept: Accept! },
      });
      expect([Accept, headers.get("content-type")]).toEqual([Accept, type!]);
    }
  });
});

describe("a stream ends", () => {
  const ended = (events: Event[], why: string) =>
    until(`a stream ends: ${why}`, () =>
      events.find((event) => event.event === "stream-ended" && event.why === why),
    );

  test("at once when the server stops, and the log has one line about it", async () => {
    const world = await startFeed(["one"]);
    const client = await stream(world, OLDEST);
    await client.changes(1);
    await world.stop();
    expect(await endOf(client)).toBe("stopping");
    expect(world.named("stream-ended")).toEqual([
      {
        event: "stream-ended",
        keyId: expect.stringMatching(/^k_/),
        shard: "na",
        seconds: expect.any(Number),
        changes: 1,
        why: "stopping",
      },
    ]);
  });

  test("at once when the server stops, also while it waits for its next minute", async () => {
    const clock = new TestClock(Math.floor(Date.now() / 60_000) * 60_000);
    const toml = "[tiers.hobby]\nchanges-per-minute = 1\n";
    const world = await startFeed(["one", "two"], { clock, toml });
    const client = await stream(world, OLDEST);
    expect(await nextMatches(client, 1)).toEqual(["one"]);
    await world.stop();
    expect(await endOf(client)).toBe("stopping");
  });

  const EXPIRES = 30_000;
  test.each([
    ["is revoked", (access: AccessStore, id: string) => access.keys.revoke(id, Date.now())],
    [
      "may not read the shard any more",
      (access: AccessStore, id: string) => access.keys.change(id, { shards: ["eu"] }),
    ],
    [
      "expires",
      (_access: AccessStore, _id: string, clock: TestClock) => clock.advance(EXPIRES + 1),
    ],
  ])("when its key %s", async (_, change) => {
    const clock = new TestClock();
    await using world = await startFeed(["one"], { clock });
    const access = openAccess({ data: world.data });
    const expiresAt = clock.now() + EXPIRES;
    const { key, record } = await access.keys.create({ name: "short", expiresAt }, clock.now());
    const client = await until("the key is known", async () => {
      const one = await stream(world, OLDEST, { Authorization: `Bearer ${key}` });
      return one.response.status === 200 && one;
    });
    await client.changes(1);
    await change(access, record.id, clock);
    expect(await endOf(client)).toBe("key-ended");
    await access.close();
  });

  test("when the client is gone", async () => {
    const toml = "[tiers.hobby]\nstreams = 1\n";
    await using world = await startFeed(["one"], { toml });
    const client = await stream(world, OLDEST);
    await client.changes(1);
    const second = await stream(world);
    expect(second.response.status).toBe(429);
    client.close();
    await ended(world.events, "client-closed");
    using third = await stream(world, OLDEST);
    expect(await nextMatches(third, 1)).toEqual(["one"]);
  });

  test("when the client does not read, and goes on where it ended", async () => {
    await using world = await startFeed([], { pace: { unreadMs: 50, heartbeatMs: 20 } });
    // Each of these changes has about 40 KB, so that they exceed what the connection itself holds.
    const players = Array.from({ length: 400 }, (_, at) => `${"p".repeat(55)}-${at}`);
    const large = anEntry("large", {
      players: Object.fromEntries(players.map((id) => [id, "won"])),
    });
    await withWriter(world.settings, "na", async (writer) => {
      await serve(writer, large);
      for (let time = 1; time < 250; time++) {
        await writer.write(async (transaction) => {
          await transaction.removeServed([large]);
          await transaction.addServed([large]);
        });
      }
    });
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.write(
      `GET ${OLDEST} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${world.key}\r\n\r\n`,
    );
    await ended(world.events, "slow-reader");
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
    });
    socket.resume();
    await until("the end is read", () => text.includes("event: end"));
    expect(text).toContain('"code":"slow-reader"');
    socket.destroy();
    const ids = [...text.matchAll(/"type":"change","id":"([^"]+)"/g)].map(([, id]) => id!);
    const numbers = ids.map((id) => Number.parseInt(id, 36));
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    expect(numbers.length).toBeLessThan(250);
    using client = await stream(world, CHANGES, { "Last-Event-ID": ids.at(-1)! });
    const [next] = await client.changes(1);
    expect(Number.parseInt(next.id, 36)).toBe(numbers.length + 1);
  });

  test("when its position is not in the log any more", async () => {
    await using world = await startFeed(["one"]);
    const client = await stream(world, OLDEST);
    await client.changes(1);
    sqliteRows(join(world.data, "na.db")).remove("commit");
    expect(await endOf(client)).toBe("cursor-expired");
  });

  test("when its shard cannot be read", async () => {
    await using world = await startFeed(["one"]);
    const client = await stream(world, OLDEST);
    await client.changes(1);
    writeDamagedShard(join(world.data, "na.db"));
    expect(await endOf(client)).toBe("shard-unavailable");
    expect(world.named("changes-unreadable")).toHaveLength(1);
  });

  test("when there is a bug, and the log has the error", async () => {
    await using world = await startFeed(["one"]);
    const { take } = FeedLimits.prototype;
    FeedLimits.prototype.take = () => {
      throw new Error("this is a bug");
    };
    try {
      const client = await stream(world, OLDEST);
      expect(await endOf(client)).toBe("shard-unavailable");
      expect(world.named("failure")).toContainEqual({
        event: "failure",
        requestId: client.response.headers.get("x-request-id")!,
        error: expect.objectContaining({ message: "this is a bug" }),
      });
    } finally {
      FeedLimits.prototype.take = take;
    }
  });
});

test("the metrics have the open streams, the changes sent, and why streams ended", async () => {
  const flags = { "admin-port": "0", "admin-token": TOKEN };
  await using world = await startFeed(["one", "two"], { flags });
  const metricOf = async (name: string, labels = {}) => {
    const response = await fetch(`${world.adminUrl}/metrics`, { headers: AUTHORIZATION });
    return seriesValue(readScrape(await response.text()), `matchbook_${name}`, labels);
  };
  const clients = [await stream(world, OLDEST), await stream(world)];
  await clients[0]!.changes(2);
  await world.get(`${OLDEST}&page[limit]=1`);
  expect([await metricOf("open_streams"), await metricOf("changes_sent_total")]).toEqual([2, 3]);
  for (const client of clients) client.close();
  await until("they are closed", async () => (await metricOf("open_streams")) === 0);
  expect(await metricOf("streams_ended_total", { reason: "client-closed" })).toBe(2);
});

test("a stream is paced: beyond the changes per minute of its tier, the rest follows in the next minute", async () => {
  const clock = new TestClock(Math.floor(Date.now() / 60_000) * 60_000 + 59_950);
  const toml = "[tiers.hobby]\nchanges-per-minute = 3\n";
  await using world = await startFeed(["a", "b", "c", "d", "e"], { clock, toml });
  using client = await stream(world, OLDEST);
  expect(await nextMatches(client, 3)).toEqual(["a", "b", "c"]);
  expect((await world.get(OLDEST)).body.data).toEqual([]);
  clock.advance(100);
  expect(await nextMatches(client, 2)).toEqual(["d", "e"]);
});
