/** Tests the work queue: which requests are admitted, in which order, and which are refused. */

import { expect, test } from "bun:test";
import { WorkQueue } from "../../src/http/work-queue.ts";
import type { Event } from "../../src/observe/events.ts";
import { TestClock } from "../support/keys.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function aQueue(limits: { maxInFlight?: number; maxWaiting?: number }) {
  const clock = new TestClock(0);
  const events: Event[] = [];
  const observe = (event: Event) => void events.push(event);
  const all = { maxInFlight: 100, maxWaiting: 100, ...limits };
  const work = new WorkQueue(all, clock.monotonic, observe);
  /** What became of each request, in this order. */
  const outcomes: string[] = [];
  const send = async (name: string, shard = "na", takesMs = 1) => {
    const isAdmitted = await work.enter(shard, clock.monotonic());
    outcomes.push(isAdmitted ? name : `${name} refused`);
    if (!isAdmitted) return;
    clock.advance(takesMs);
    if (takesMs >= 0) work.leave(shard);
  };
  /** Admitted, and worked on until it leaves. */
  const occupy = (shard: string) => expect(work.enter(shard, clock.monotonic())).toBe(true);
  return { work, clock, events, outcomes, send, occupy };
}

/** Until nothing waits. */
const settled = async (sent: Promise<void>[]) => void (await Promise.all(sent));

test("requests of a busy turn wait and are served in the order of their arrival", async () => {
  const { outcomes, send, work } = aQueue({});
  await send("a", "na", 100);
  const rest = ["b", "c", "d"].map((name) => send(name));
  expect(work.isBusy).toBe(true);
  await settled(rest);
  expect(outcomes).toEqual(["a", "b", "c", "d"]);
});

test("when the queue overflows, the oldest is refused and the newest is served first", async () => {
  const { clock, outcomes, send, occupy, work } = aQueue({ maxInFlight: 1, maxWaiting: 3 });
  occupy("na");
  const sent = ["a", "b", "c", "d", "e"].map((name) => send(name));
  clock.advance(1);
  work.leave("na");
  await settled(sent);
  expect(outcomes).toEqual(["a refused", "b refused", "e", "d", "c"]);
});

test("an overload ends: later requests are served at once", async () => {
  const { clock, outcomes, send, occupy, work } = aQueue({ maxInFlight: 1, maxWaiting: 1 });
  occupy("na");
  const sent = ["a", "b"].map((name) => send(name));
  work.leave("na");
  await settled(sent);
  clock.advance(2000);
  await turn();
  await turn();
  occupy("na");
  expect(outcomes).toEqual(["a refused", "b"]);
});

test("a shard that is not done with its requests delays no other shard", async () => {
  const { outcomes, send, occupy, work } = aQueue({ maxInFlight: 1 });
  occupy("stuck");
  const waiting = send("stuck", "stuck");
  await send("na", "na");
  expect(outcomes).toEqual(["na"]);
  work.leave("stuck");
  await waiting;
  expect(outcomes).toEqual(["na", "stuck"]);
});

test("a request that waits for a shard that is stuck is refused in the end", async () => {
  const { clock, outcomes, send, occupy } = aQueue({ maxInFlight: 1 });
  occupy("stuck");
  const waiting = send("a", "stuck");
  clock.advance(60_000);
  await waiting;
  expect(outcomes).toEqual(["a refused"]);
});

test("a thousand refusals are one event", async () => {
  const { events, send, occupy, work, clock } = aQueue({ maxInFlight: 1, maxWaiting: 1 });
  occupy("na");
  const sent = Array.from({ length: 1000 }, (_, index) => send(String(index)));
  expect(events).toEqual([{ event: "overloaded", refused: 1 }]);
  clock.advance(10_000);
  sent.push(send("last"));
  expect(events.slice(1)).toEqual([{ event: "overloaded", refused: 999 }]);
  work.leave("na");
  await settled(sent);
});
