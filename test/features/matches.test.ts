/** GET /matches: the window in `meta`, and the setting max-offset. What is found is in requests.test.ts. */

import { afterAll, describe, expect, test } from "bun:test";
import { TestClock } from "../support/keys.ts";
import { expectProblem } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const NOW = Date.UTC(2026, 2, 29, 12);
const world = await startWorld([], { "max-offset": "3" }, new TestClock(NOW), "[shards.na]\n");
afterAll(() => world.stop());

const START = "filter[createdAt-start]";
const END = "filter[createdAt-end]";
const windowOf = async (query: string) =>
  (await world.get(`/shards/na/matches?${query}`)).body.meta.window;

describe("the window", () => {
  test.each([
    ["is the last 28 days", "", "2026-03-01T12:00:00Z", "2026-03-29T12:00:00Z"],
    ["ends now", `${START}=1970-01-01T00:00:00Z`, "1970-01-01T00:00:00Z", "2026-03-29T12:00:00Z"],
    // Not 28 days before its end.
    ["begins there", `${END}=2026-03-02T00:00:00Z`, "2026-03-01T12:00:00Z", "2026-03-02T00:00:00Z"],
    ["is not ahead", `${END}=2999-12-31T23:59:59Z`, "2026-03-01T12:00:00Z", "2026-03-29T12:00:00Z"],
    [
      "may be a millisecond",
      `${START}=2026-03-02T00:00:00Z&${END}=2026-03-02T00:00:00.001Z`,
      "2026-03-02T00:00:00Z",
      "2026-03-02T00:00:00.001Z",
    ],
  ])("%s: %s", async (_, query, start, end) => {
    expect(await windowOf(query)).toEqual({ start, end });
  });
});

test("offsets beyond the setting are refused", async () => {
  await world.ingest([aMatch({ createdAt: NOW })]);
  expect((await world.get("/shards/na/matches?page[offset]=3")).status).toBe(200);
  expectProblem(await world.get("/shards/na/matches?page[offset]=4"), "offset-too-deep");
});
