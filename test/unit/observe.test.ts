/** Tests what the log shows, and what it must never show. */

import { describe, expect, test } from "bun:test";
import { makeKey } from "../../src/access/key.ts";
import type { Event, RequestEvent } from "../../src/observe/events.ts";
import { type LogLevel, logTo } from "../../src/observe/log.ts";
import { PARAMETERS } from "../support/parameters.ts";

interface LogWishes {
  level?: LogLevel;
  isTTY?: boolean;
}

function logged(events: Event[], { level = "info", isTTY = false }: LogWishes = {}): string {
  let text = "";
  const stream = {
    isTTY,
    write: (line: string) => {
      text += line;
    },
  };
  const observe = logTo({ level, stream });
  for (const event of events) observe(event);
  return text;
}

const request: RequestEvent = {
  event: "request",
  requestId: "r-1",
  method: "GET",
  path: "/shards/na/matches",
  query: "",
  route: "/shards/:shard/matches",
  shard: "na",
  status: 404,
  code: "not-found",
  time: 1_700_000_000_000,
  milliseconds: 1.25,
  keyId: "k_1",
  tier: "hobby",
  records: 0,
};

describe("the JSON log", () => {
  test("is one JSON object per line, with the key, path and status of a request", () => {
    const lines = logged([{ ...request, query: "page[limit]=2" }, { event: "stopped" }])
      .trimEnd()
      .split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 30,
        time: request.time,
        event: "request",
        requestId: "r-1",
        method: "GET",
        path: "/shards/na/matches",
        query: "page[limit]=2",
        status: 404,
        code: "not-found",
        milliseconds: 1.25,
        keyId: "k_1",
        tier: "hobby",
      },
      { level: 30, time: expect.any(Number), event: "stopped" },
    ]);
  });

  test("has lines short enough to be written to a pipe at once; long values are truncated", () => {
    const error = new Error("\u0001é".repeat(5000));
    const events: Event[] = [
      { ...request, query: `sort=${"a".repeat(8000)}`, path: `/shards/${"é".repeat(4000)}` },
      { event: "failure", requestId: "r-1", error },
    ];
    for (const line of logged(events).trimEnd().split("\n")) {
      expect(Buffer.byteLength(line)).toBeLessThan(4096);
      expect(JSON.parse(line)).toMatchObject({ requestId: "r-1", time: expect.any(Number) });
      expect(line).toContain("…");
    }
  });

  test("includes an error's name, message and stack", () => {
    const line = logged([{ event: "failure", requestId: "r-1", error: new TypeError("odd") }]);
    const { level, error } = JSON.parse(line);
    expect(level).toBe(50);
    expect(error).toMatchObject({ name: "TypeError", message: "odd" });
    expect(error.stack).toContain("observe.test.ts");
  });
});

describe("the log on a terminal", () => {
  test("is one readable line per event", () => {
    const plain = logged([{ ...request, query: "sort=-createdAt" }], { isTTY: true });
    expect(plain.slice("15:29:00 ".length)).toBe(
      "request requestId=r-1 method=GET path=/shards/na/matches query=sort=-createdAt status=404 code=not-found milliseconds=1.25 keyId=k_1 tier=hobby\n",
    );
  });

  test("shows the values of events, what went wrong, and what to do", () => {
    const text = logged(
      [
        { event: "derived-building", shard: "na", tables: ["one", "two"] },
        { event: "shard-opened", shard: "na", location: "/my data/na.db" },
        { event: "keys-reload-failed", error: new Error("the disk is full") },
        { event: "admin-token-exposed", file: "/token" },
      ],
      { isTTY: true },
    );
    expect(text.replaceAll(/^\S+ /gm, "").split("\n")).toEqual([
      'derived-building shard=na tables=["one","two"]',
      'shard-opened shard=na location="/my data/na.db"',
      "keys-reload-failed: the disk is full; the keys loaded last remain valid; this is retried",
      "admin-token-exposed file=/token: every user of this machine can read it: run chmod 600 on it",
      "",
    ]);
  });

  test("contains no control characters from messages", () => {
    const error = new Error("\u001b]0;owned\u0007");
    const text = logged([{ event: "keys-reload-failed", error }], { isTTY: true });
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain("\u0007");
  });
});

describe.each([
  ["as JSON", false],
  ["on a terminal", true],
])("the log %s", (_, isTTY) => {
  test("shows an event from its level on", () => {
    expect(logged([request], { isTTY, level: "warn" })).toBe("");
    const failure: Event = { event: "failure", requestId: "r-1", error: "odd" };
    expect(logged([failure], { isTTY, level: "warn" })).toContain("odd");
    expect(logged([failure], { isTTY, level: "silent" })).toBe("");
  });

  const shown = (query: string, wishes: LogWishes = {}) =>
    logged([{ ...request, query }], { isTTY, ...wishes });

  test("never shows a key or a password", () => {
    const key = makeKey();
    const encoded = key.replace("_", "%5F");
    const twice = [...key].map((letter) => `%25${letter.charCodeAt(0).toString(16)}`).join("");
    const error = new Error(`Bearer ${key} at postgres://me:hunter2@db/x`);
    const addresses = [key, `x${key}`, encoded, twice];
    const events: Event[] = [
      { event: "failure", requestId: "r-1", error },
      { event: "shard-opened", shard: "na", location: "postgres://me:hunter2@db/x" },
      ...addresses.map((path): Event => ({ ...request, path: `/shards/${path}` })),
      ...addresses.map((id): Event => ({ ...request, query: `filter[playerIds]=${id}` })),
      ...addresses.map((value): Event => ({ ...request, query: `sort=1&key=${value}` })),
    ];
    const text = logged(events, { isTTY });
    for (const secret of [key, key.slice(3, 35), key.slice(-8), twice, "hunter2"]) {
      expect(text).not.toContain(secret);
    }
  });

  test.each([
    "filter[playerNames]=Zoe",
    "filter%5BplayerNames%5D=Zoe",
    "filter%5bplayerNames%5d=Zoe",
    "filter%5bplayerNames]=Ann,Zoe",
    "%66ilter[player%4eames]=Zoe",
    "filter%255BplayerNames%255D=Zoe",
    "filter[playerNames]=Ann+%26+Zoe",
    "page[limit]=5&filter[playerNames]=Tom&Zoe&sort=createdAt",
    "filter[playerNames]=Tom&Zoe=1",
    "filter[playerNames]=%&filter[playerNames]=Zoe",
    "filter[playerNames][]=Zoe",
    "near=Zoe",
    "filter[near]=Zoe",
    "filter%5Bnear%5D=Zoe",
    "filter[playername]=Zoe",
    "filter[names]=Zoe",
    "Zoe",
    "=Zoe",
    "filter[playerNames]%3DZoe",
    "include=rosters%26filter[playerNames]%3DZoe",
    "include=rosters;filter[playerNames]=Zoe",
    "sort=createdAt%00Zoe",
    "filter[gameMode]=ranked Zoe",
    "filter[patchVersion]=%22Zoe%22",
  ])("hides the player's name in %s", (query) => {
    expect(shown(query)).not.toContain("Zoe");
    expect(shown(query)).toContain("…");
  });

  test("shows the other parameters beside a hidden name", () => {
    const query = "filter%5BplayerNames%5D=Zo%C3%AB&page[limit]=2";
    expect(shown(query)).toContain("filter[playerNames]=…&page[limit]=2");
  });

  test.each(
    PARAMETERS.filter(({ name }) => !["filter[playerNames]", "filter[near]"].includes(name)),
  )("shows the parameter $name, however it is spelled", ({ name, example }) => {
    const given = name.replace("TYPE", "match");
    const expected = `${given}=${example}`;
    expect(shown(expected)).toContain(expected);
    expect(shown(`${encodeURIComponent(given)}=${example}`)).toContain(expected);
  });

  test("is one safe line, whatever a URL contains", () => {
    const query = 'sort="},{"x":"\u001b[31m&page[limit]=\u2028&%0a=1';
    const text = logged([{ ...request, query, path: '/a"b\u0007' }], { isTTY });
    expect(text.trimEnd().split("\n")).toHaveLength(1);
    expect(text).not.toContain("\u001b");
    if (!isTTY) expect(JSON.parse(text)).toMatchObject({ path: "…", requestId: "r-1" });
  });
});

test("the secret of a webhook in an error is hidden", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/==";
  const error = new Error(`cannot insert (${secret})`);
  for (const isTTY of [false, true]) {
    const text = logged([{ event: "keys-load-failed", error }], { isTTY });
    expect(text).toContain("cannot insert (whsec_***)");
    expect(text).not.toContain("MfKQ9r8");
  }
});
