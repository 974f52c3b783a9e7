/** In charge of what the log shows, and of what it must never show. */

import { describe, expect, test } from "bun:test";
import { makeKey } from "../../src/access/key.ts";
import type { Event } from "../../src/observe/events.ts";
import { type LogLevel, logTo } from "../../src/observe/log.ts";

function logged(
  events: Event[],
  { level = "info" as LogLevel, isTTY = false, colours = false } = {},
): string {
  let text = "";
  const stream = {
    isTTY,
    write: (line: string) => {
      text += line;
    },
  };
  const observe = logTo({ level, stream, colours });
  for (const event of events) observe(event);
  return text;
}

const request: Event = {
  event: "request",
  requestId: "r-1",
  method: "GET",
  path: "/shards/na/matches",
  status: 404,
  milliseconds: 1.25,
  keyId: "k_1",
};

describe("the log for machines", () => {
  test("is one JSON object a line with the event's members", () => {
    const lines = logged([request, { event: "stopped" }])
      .trimEnd()
      .split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([request, { event: "stopped" }]);
  });

  test("carries an error's name, message and stack", () => {
    const line = logged([{ event: "failure", requestId: "r-1", error: new TypeError("odd") }]);
    const { level, error } = JSON.parse(line);
    expect(level).toBe(50);
    expect(error).toMatchObject({ name: "TypeError", message: "odd" });
    expect(error.stack).toContain("observe.test.ts");
  });
});

describe("the log for people", () => {
  test("is one readable line an event, coloured only where colours are shown", () => {
    const plain = logged([request], { isTTY: true });
    expect(plain).toMatch(/^\d\d:\d\d:\d\d GET \/shards\/na\/matches 404 1\.3 ms, k_1, r-1\n$/);
    const coloured = logged([request], { isTTY: true, colours: true });
    expect(coloured).toContain("\u001b[33m404\u001b[0m");
  });

  test("cannot be made to do something to the terminal", () => {
    const error = new Error("\u001b]0;owned\u0007");
    const text = logged([{ event: "keys-unreadable", error }], { isTTY: true });
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain("\u0007");
  });
});

describe.each([
  ["for machines", false],
  ["for people", true],
])("the log %s", (_, isTTY) => {
  test("shows an event from its level on", () => {
    expect(logged([request], { isTTY, level: "warn" })).toBe("");
    const failure: Event = { event: "failure", requestId: "r-1", error: "odd" };
    expect(logged([failure], { isTTY, level: "warn" })).toContain("odd");
    expect(logged([failure], { isTTY, level: "silent" })).toBe("");
  });

  test("never shows a query string, a key or a password", () => {
    const key = makeKey();
    const error = new Error(`Bearer ${key} at postgres://me:hunter2@db/x`);
    const text = logged(
      [
        { ...request, path: `/shards/${key}?filter[playerNames]=Zoe` },
        { event: "failure", requestId: "r-1", error },
        { event: "shard-opened", shard: "na", location: "postgres://me:hunter2@db/x" },
      ],
      { isTTY },
    );
    for (const secret of ["Zoe", key, key.slice(3, 35), "hunter2"]) {
      expect(text).not.toContain(secret);
    }
  });
});
