/** Scenarios: following the changes of a shard. */

import assert from "node:assert/strict";
import type * as Client from "../../../client/src/index.ts";
import { changeEvent, endEvent, FeedServer } from "./changes-feed.ts";
import { errorOf, type Scenario, type Scene } from "./scenario.ts";

const KEY = "mb_feed";
const SILENCE_MS = 45_000;

/** A feed, a client for it, and a timer that lets pauses pass and silences last. */
class Following {
  readonly feed: FeedServer;
  readonly na: Client.Shard;
  /** The pauses before reconnections, in milliseconds. */
  readonly pauses: number[] = [];
  readonly #following: AsyncGenerator<Client.Change, void>[] = [];
  readonly #silences = new Set<() => void>();
  #silenceBegan: () => void = () => {};
  #isOver = false;

  constructor({ client }: Scene, feed: FeedServer) {
    this.feed = feed;
    this.na = new client.Matchbook({ url: feed.url, key: KEY, wait: this.#wait }).shard("na");
  }

  readonly #wait: Client.Wait = (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => reject(signal?.reason);
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop, { once: true });
      if (this.#isOver) return;
      if (milliseconds !== SILENCE_MS) {
        this.pauses.push(milliseconds);
        resolve();
        return;
      }
      this.#silences.add(resolve);
      signal?.addEventListener("abort", () => this.#silences.delete(resolve), { once: true });
      this.#silenceBegan();
    });

  /** Changes after a cursor, to the end of the scenario. */
  readonly after = (after: string, query: Parameters<Client.Shard["changes"]>[0] = {}) => {
    const changes = this.na.changes({ after, ...query });
    this.#following.push(changes);
    return changes;
  };

  /** After a failure, a loop that is left over must not reconnect for ever. */
  stop(): void {
    this.#isOver = true;
    for (const changes of this.#following) void changes.return();
    this.feed.stop();
  }

  /** How many waits for the server there are. */
  get silences(): number {
    return this.#silences.size;
  }

  /** Waits until the client waits for the server, and then makes it believe that 45 s passed. */
  async beSilent(): Promise<void> {
    while (this.#silences.size === 0) {
      await new Promise<void>((resolve) => {
        this.#silenceBegan = resolve;
      });
    }
    for (const pass of this.#silences) pass();
  }
}

const following =
  (play: (stage: Following, scene: Scene) => Promise<void>): Scenario =>
  async (scene) => {
    const stage = new Following(scene, await FeedServer.start());
    try {
      await play(stage, scene);
    } finally {
      stage.stop();
    }
  };

/** Takes the next change. */
async function take(changes: AsyncGenerator<Client.Change, void>): Promise<Client.Change> {
  const { value } = await changes.next();
  return value ?? assert.fail("the loop ended");
}

async function cursorsOf(changes: AsyncGenerator<Client.Change, void>, count: number) {
  const cursors: string[] = [];
  while (cursors.length < count) cursors.push((await take(changes)).cursor);
  return cursors;
}

function assertBetween(number: number | undefined, least: number, most: number): void {
  assert(number !== undefined && number >= least && number <= most, `${number}`);
}

/** Errors that end a loop, with their kinds. */
const PERMANENT: [number, string, Client.ErrorKind][] = [
  [400, "invalid-cursor", "invalid"],
  [401, "unauthorized", "unauthorized"],
  [403, "shard-closed", "forbidden"],
  [404, "unknown-shard", "not-found"],
  [410, "cursor-expired", "expired"],
];

export const FOLLOWING: Record<string, Scenario> = {
  "changes are streamed, with the key in a header": following(async ({ feed, after }) => {
    const changes = after("a-1", {
      playerIds: ["ada", "x,y"],
      playerNames: ["日本"],
      teamNames: ["ABC"],
      gameMode: ["ranked"],
      patchVersion: ["2.5"],
    });
    assert.equal(feed.requests, 0);
    const next = take(changes);
    const request = await feed.next();
    assert.equal(request.url.pathname, "/shards/na/changes");
    assert.deepEqual(Object.fromEntries(request.url.searchParams), {
      "filter[playerIds]": "ada,x\\,y",
      "filter[playerNames]": "日本",
      "filter[teamNames]": "ABC",
      "filter[gameMode]": "ranked",
      "filter[patchVersion]": "2.5",
      "page[after]": "a-1",
    });
    assert.equal(request.headers.authorization, `Bearer ${KEY}`);
    assert.equal(request.headers.accept, "text/event-stream");
    request.open().send(changeEvent("b-1", "match-7"));
    const change = await next;
    assert.equal(change.cursor, "b-1");
    assert.equal(change.kind, "added");
    assert.equal(change.changedAt, "2026-03-01T12:00:01.000Z");
    assert.equal(change.createdAt, "2026-03-01T12:00:00.000Z");
    assert.equal(change.gameMode, "ranked");
    assert.equal(change.patchVersion, "2.5 日本");
    assert.deepEqual([change.match.type, change.match.id], ["match", "match-7"]);
    assert.deepEqual(
      change.players.map(({ id }) => id),
      ["ada", "grace"],
    );
  }),

  "a loop without a cursor misses nothing from its start on": following(async ({ feed, na }) => {
    const changes = na.changes({ gameMode: ["ranked"] });
    const next = take(changes);
    const first = await feed.next();
    assert.equal(first.headers.accept, "application/vnd.api+json");
    assert.equal(first.url.search, "?filter%5BgameMode%5D=ranked");
    first.respondWithEnd("z-9");
    const second = await feed.next();
    assert.equal(second.after, "z-9");
    second.open().cut();
    const third = await feed.next();
    assert.deepEqual([third.after, third.headers.accept], ["z-9", "text/event-stream"]);
    third.open().send(changeEvent("z-a"));
    assert.equal((await next).cursor, "z-a");
    await changes.return();
  }),

  "a loop resumes after the last change that was handed out": following(async ({ feed, after }) => {
    const causes: string[] = [];
    const changes = after("a", {
      onReconnect: ({ kind }, milliseconds) => causes.push(`${kind} ${milliseconds <= 1000}`),
    });
    const next = cursorsOf(changes, 3);
    const first = (await feed.next()).open();
    // The last event is not complete.
    first.send(changeEvent("b") + changeEvent("c"), changeEvent("lost").slice(0, -1)).end();
    const second = (await feed.next()).open();
    assert.equal(second.after, "c");
    second.send(changeEvent("d"));
    assert.deepEqual(await next, ["b", "c", "d"]);
    const last = take(changes);
    second.cut();
    const third = (await feed.next()).open();
    assert.equal(third.after, "d");
    third.send(changeEvent("e"));
    assert.equal((await last).cursor, "e");
    assert.deepEqual(causes, ["network true", "network true"]);
  }),

  "a loop reports each stream that is open": following(async ({ feed, after }) => {
    const reports: string[] = [];
    const changes = after("a", {
      onOpen: () => reports.push("open"),
      onReconnect: () => reports.push("reconnect"),
    });
    const next = cursorsOf(changes, 2);
    (await feed.next()).fail(503, "shard-unavailable");
    (await feed.next()).open().send(changeEvent("b")).end();
    (await feed.next()).open().send(changeEvent("c"));
    assert.deepEqual(await next, ["b", "c"]);
    assert.deepEqual(reports, ["reconnect", "open", "reconnect", "open"]);
  }),

  "a loop resumes after changes that the filters left out": following(async ({ feed, after }) => {
    const changes = after("a");
    const next = take(changes);
    (await feed.next()).open().send("id: b\n\n: heartbeat\n\n").end();
    const second = await feed.next();
    assert.equal(second.after, "b");
    second.open().send(changeEvent("c"));
    await next;
  }),

  "unknown events are ignored": following(async ({ feed, after }) => {
    const changes = after("oldest");
    const next = take(changes);
    const request = (await feed.next()).open();
    request.send("event: news\ndata: {}\n\ndata: x\n\nretry: 1\n\n", changeEvent("b"));
    assert.equal((await next).cursor, "b");
    assert.equal(request.after, "oldest");
  }),

  "pauses grow to 30 s, and start again once a stream works": following(async (stage) => {
    const { feed, after, pauses } = stage;
    const changes = after("a");
    const next = take(changes);
    for (let count = 0; count < 8; count++) {
      const request = await feed.next();
      // An open stream that brings nothing does not count as one that works.
      if (count % 2 === 0) request.open().end();
      else request.fail(500, "internal-error");
    }
    (await feed.next()).open().send(": heartbeat\n\n").end();
    (await feed.next()).open().send(changeEvent("b"));
    await next;
    const longest = [1, 2, 4, 8, 16, 30, 30, 30, 1].map((seconds) => seconds * 1000);
    assert.equal(pauses.length, longest.length);
    for (const [index, most] of longest.entries()) assertBetween(pauses[index], most / 2, most);
    assert.notEqual(pauses[6], pauses[7]);
  }),

  "a loop reconnects at once when a server stops, but not again and again": following(
    async ({ feed, after, pauses }) => {
      const changes = after("a");
      const next = cursorsOf(changes, 2);
      (await feed.next()).open().send(changeEvent("b"), endEvent("stopping"));
      (await feed.next()).open().send(endEvent("stopping"));
      const third = await feed.next();
      assert.equal(third.after, "b");
      third.open().send(changeEvent("c"));
      assert.deepEqual(await next, ["b", "c"]);
      assert.equal(pauses[0], 0);
      assertBetween(pauses[1], 1000, 2000);
      assert.equal(pauses.length, 2);
    },
  ),

  "when the service ends a stream, its next response says whether that is final": following(
    async ({ feed, na, pauses }, scene) => {
      const causes: string[] = [];
      const changes = na.changes({
        after: "a",
        onReconnect: ({ detail }) => causes.push(detail),
      });
      const failed = errorOf(scene, () => cursorsOf(changes, 2));
      const first = (await feed.next()).open().send(changeEvent("b"), endEvent("slow-reader"));
      await first.closed;
      (await feed.next()).open().send(endEvent("cursor-expired"));
      (await feed.next()).fail(410, "cursor-expired", "Start again with oldest.");
      const error = await failed;
      assert.deepEqual([error.kind, error.status], ["expired", 410]);
      assert.equal(error.message, "Start again with oldest.");
      assert.deepEqual(causes, ["Ended: slow-reader.", "Ended: cursor-expired."]);
      assert(pauses.every((pause) => pause > 0));
    },
  ),

  "a connection that is silent for 45 s is replaced": following(async (stage) => {
    const { feed, na } = stage;
    const changes = na.changes();
    const next = take(changes);
    const unanswered = await feed.next();
    await stage.beSilent();
    await unanswered.closed;
    (await feed.next()).respondWithEnd("a");
    const unopened = await feed.next();
    await stage.beSilent();
    await unopened.closed;
    const quiet = (await feed.next()).open().send(changeEvent("b"));
    assert.equal((await next).cursor, "b");
    const afterSilence = take(changes);
    await stage.beSilent();
    await quiet.closed;
    const last = await feed.next();
    assert.equal(last.after, "b");
    last.open().send(changeEvent("c"));
    assert.equal((await afterSilence).cursor, "c");
    await changes.return();
  }),

  "a loop that takes its time is not a silent connection": following(async (stage) => {
    const { feed, after } = stage;
    const changes = after("a");
    const next = take(changes);
    (await feed.next()).open().send(changeEvent("b"));
    await next;
    assert.equal(stage.silences, 0);
  }),

  "Retry-After is respected": following(async ({ feed, after, pauses }) => {
    const changes = after("a");
    const next = take(changes);
    (await feed.next()).fail(429, "too-many-streams", "Wait.", { "Retry-After": "7" });
    (await feed.next()).fail(503, "shard-unavailable", "Wait.", { "Retry-After": "40" });
    (await feed.next()).fail(429, "too-many-failures", "Wait.", { "Retry-After": "90" });
    (await feed.next()).open().send(changeEvent("b"));
    await next;
    assert.deepEqual(pauses, [7000, 40_000, 90_000]);
  }),

  "what is not a change feed ends the loop": following(async ({ feed, na }, scene) => {
    const change = JSON.parse(changeEvent("b").split("data: ")[1]!);
    const wrong: ((request: Awaited<ReturnType<FeedServer["next"]>>) => void)[] = [
      (request) => request.respond(200, { "Content-Type": "text/html" }, "<h1>Hello</h1>"),
      (request) => request.respond(302, { Location: "http://127.0.0.1:1/" }),
      (request) => request.open().send("event: change\ndata: {\n\n"),
      (request) => request.open().send("event: change\ndata: null\n\n"),
      (request) =>
        request
          .open()
          .send(`event: change\ndata: ${JSON.stringify({ ...change, type: "match" })}\n\n`),
      (request) => request.open().send(`event: change\ndata: ${"x".repeat(2 ** 20)}`),
      (request) => request.open().send(`data: ${"x".repeat(2 ** 16)}\n`.repeat(17)),
    ];
    for (const respond of wrong) {
      const failed = errorOf(scene, () => take(na.changes({ after: "a" })));
      const request = await feed.next();
      respond(request);
      assert.equal((await failed).kind, "unreadable");
      await request.closed;
    }
    for (const body of ["{", "null", "{}", '{"links":{"next":"?page[after]"}}']) {
      const failed = errorOf(scene, () => take(na.changes()));
      (await feed.next()).respond(200, {}, body);
      assert.equal((await failed).kind, "unreadable");
    }
    assert.equal(feed.requests, wrong.length + 4);
  }),

  "leaving a loop closes its connection": following(async ({ feed, na }) => {
    const loop = (async () => {
      for await (const change of na.changes({ after: "a" })) if (change.cursor === "c") break;
    })();
    const request = (await feed.next()).open().send(changeEvent("b"), changeEvent("c"));
    await loop;
    await request.closed;
    assert.equal(feed.requests, 1);
  }),

  "a signal ends a loop with its reason, whatever the loop does": following(async (stage) => {
    const { feed, na } = stage;
    const start = () => {
      const controller = new AbortController();
      const changes = na.changes({
        after: "a",
        signal: controller.signal,
        onReconnect: () => assert.fail("an aborted loop does not reconnect"),
      });
      return { changes, stop: () => controller.abort(new Error("enough")) };
    };
    const enough = { message: "enough" };

    const early = start();
    early.stop();
    await assert.rejects(take(early.changes), enough);
    assert.equal(feed.requests, 0);

    const connecting = start();
    const connected = assert.rejects(take(connecting.changes), enough);
    const unopened = await feed.next();
    connecting.stop();
    await Promise.all([connected, unopened.closed]);

    const reading = start();
    const next = take(reading.changes);
    const open = (await feed.next()).open().send(changeEvent("b"));
    await next;
    const waited = assert.rejects(take(reading.changes), enough);
    reading.stop();
    await Promise.all([waited, open.closed]);

    const busy = start();
    const taken = take(busy.changes);
    const sending = (await feed.next()).open().send(changeEvent("b") + changeEvent("c"));
    await taken;
    busy.stop();
    await sending.closed;
    await assert.rejects(take(busy.changes), enough);

    const controller = new AbortController();
    const pausing = na.changes({
      after: "a",
      signal: controller.signal,
      onReconnect: () => controller.abort(new Error("enough")),
    });
    const paused = assert.rejects(take(pausing), enough);
    (await feed.next()).fail(503, "shard-unavailable");
    await paused;
    assert.equal(feed.requests, 4);
  }),

  "what a loop does not take stays with the server": following(async ({ feed, after }) => {
    const changes = after("a");
    const next = take(changes);
    const request = (await feed.next()).open();
    const TOTAL = 256;
    const filler = `: ${"x".repeat(2 ** 18)}\n`;
    let sent = 0;
    const sending = (async () => {
      for (; sent < TOTAL; sent++) await request.sendWhenTaken(filler + changeEvent(`c${sent}`));
    })();
    await next;
    // Until a few rounds of the event loop bring no progress.
    for (let before = -1; before < sent; ) {
      before = sent;
      for (let round = 0; round < 100; round++) await new Promise((done) => setTimeout(done));
    }
    assert(sent < TOTAL / 2, `${sent} of ${TOTAL} were taken`);
    assert.equal((await cursorsOf(changes, TOTAL - 1)).at(-1), `c${TOTAL - 1}`);
    await sending;
  }),

  "invalid options are rejected by the call": async (scene) => {
    const na = new scene.client.Matchbook({ url: scene.facts.goneUrl }).shard("na");
    for (const query of [{ playerName: ["Ada"] }, { playerIds: "ada" }, { limit: 5 }]) {
      const error = await errorOf(scene, () => na.changes(query as object));
      assert.equal(error.kind, "misuse");
    }
  },
};

for (const [status, code, kind] of PERMANENT) {
  FOLLOWING[`an error that retrying cannot fix ends the loop: ${code}`] = following(
    async ({ feed, na, pauses }, scene) => {
      const failed = errorOf(scene, () => take(na.changes({ after: "a" })));
      (await feed.next()).fail(status, code);
      const error = await failed;
      assert.deepEqual([error.kind, error.status, error.code], [kind, status, code]);
      assert.equal(error.message, "Do this.");
      assert.deepEqual([feed.requests, pauses], [1, []]);
    },
  );
}
