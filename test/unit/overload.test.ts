/** Tests overload control: which requests are admitted, and which are refused. Slow databases: test/features/defaults.test.ts. */

import { expect, test } from "bun:test";
import { OverloadControl } from "../../src/http/overload.ts";
import type { Event } from "../../src/observe/events.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function aControl(limits: { maxDelayMs?: number; maxInFlight?: number }) {
  let now = 0;
  const events: Event[] = [];
  const all = { maxDelayMs: 50, maxInFlight: 1000, ...limits };
  const control = new OverloadControl(all, (event) => void events.push(event));
  /** How many of these are admitted, if each takes so long and all arrive in one turn. */
  const send = (requests: number, eachMs: number) => {
    let admitted = 0;
    for (let count = 0; count < requests; count++) {
      if (!control.enter("na", now)) continue;
      admitted += 1;
      now += eachMs;
      control.leave("na");
    }
    return admitted;
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { control, events, send, pass };
}

test("a turn that takes too long refuses its rest", () => {
  expect(aControl({}).send(100, 1)).toBe(51);
});

test("however long they take, a few requests at once are never refused", () => {
  expect(aControl({}).send(32, 1000)).toBe(32);
});

test("during an overload turns are short, until nothing was refused for a second", async () => {
  const { send, pass } = aControl({});
  send(100, 1);
  await turn();
  expect(send(100, 1)).toBe(8);
  await turn();
  expect(send(8, 10)).toBe(8);
  pass(1000);
  await turn();
  expect(send(100, 1)).toBe(51);
});

test("it is busy while several requests arrive in a turn", async () => {
  const { control, send } = aControl({});
  send(1, 1);
  expect(control.isBusy).toBe(false);
  send(1, 1);
  expect(control.isBusy).toBe(true);
  await turn();
  expect(control.isBusy).toBe(true);
  send(1, 1);
  await turn();
  expect(control.isBusy).toBe(false);
});

test("a thousand refusals are one event", () => {
  const { control, events, pass } = aControl({ maxInFlight: 0 });
  for (let count = 0; count < 1000; count++) control.enter("na", 0);
  expect(events).toEqual([{ event: "overloaded", refused: 1 }]);
  pass(10_000);
  control.enter("na", 10_000);
  expect(events.slice(1)).toEqual([{ event: "overloaded", refused: 1000 }]);
});
