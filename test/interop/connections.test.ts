/** Clients that reuse connections, and clients that send Connection: close. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startAdminWorld, TOKEN } from "../support/admin.ts";
import { aMatch } from "../support/records.ts";
import type { World } from "../support/world.ts";
import { seenBy, withPython } from "./support.ts";

let world: World;
beforeAll(async () => {
  world = await startAdminWorld([aMatch()]);
});
afterAll(() => world.stop());

type Seen = [path: string, status: number, connection: string | null];

const ANSWERS: [path: string, status: number][] = [
  ["/shards/na/players", 200],
  ["/shards/na/matches", 200],
  ["/shards/na/matches/nobody", 404],
  ["/shards/na/players", 304],
  ["/status", 200],
  ["/", 200],
  ["/keys", 200],
  ["/keys", 401],
];

function requestsInARow(command: string[]): void {
  const send = (connection: string) =>
    seenBy(command, world, { TOKEN, CONNECTION: connection }) as Promise<Seen[]>;

  test("consecutive requests all get responses", async () => {
    const seen = await send("");
    expect(seen.map(([path, status]) => [path, status])).toEqual([...ANSWERS, ...ANSWERS]);
  });

  test("requests with Connection: close all get responses with Connection: close", async () => {
    const expected: Seen[] = ANSWERS.map(([path, status]) => [path, status, "close"]);
    expect(await send("close")).toEqual([...expected, ...expected]);
  });
}

describe("Node's http with its default agent", () => requestsInARow(["node", "connections.mjs"]));
withPython("Python's http.client", () => requestsInARow(["python3", "connections.py"]));
