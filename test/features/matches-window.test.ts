/** Tests the time window of GET /matches. */

import { afterAll, describe, expect, test } from "bun:test";
import { idsOf } from "../support/compound.ts";
import { expectProblem, problemsIn } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const now = Date.now();
const noon = Date.parse(`${new Date(now - 3 * DAY).toISOString().slice(0, 10)}T12:00:00.000Z`);

const AT: Record<string, number> = {
  ancient: now - 4000 * DAY,
  "before-window": now - 28 * DAY - MINUTE,
  "in-window": now - 28 * DAY + 10 * MINUTE,
  noon,
  "noon-and-a-millisecond": noon + 1,
  recent: now - MINUTE,
  // Clocks of game servers may be slightly ahead.
  ahead: now + 9 * MINUTE,
};
const world = await startWorld(
  Object.entries(AT).map(([id, createdAt]) => aMatch({ id, createdAt })),
);
afterAll(() => world.stop());

const START = "filter[createdAt-start]";
const END = "filter[createdAt-end]";
const iso = (time: number) => new Date(time).toISOString();
const page = (query: string) => world.get(`/shards/na/matches?${query}`);
async function ids(query: string): Promise<string[]> {
  const response = await page(query);
  expect(response.status).toBe(200);
  return idsOf(response.body);
}

describe("without start and end", () => {
  test("the window is the last 28 days", async () => {
    expect(await ids("")).toEqual(["in-window", "noon", "noon-and-a-millisecond", "recent"]);
  });

  test("meta echoes the window: 28 days up to now", async () => {
    const before = Date.now();
    const { start, end } = (await page("")).body.meta.window;
    expect(Date.parse(end)).toBeWithin(before, Date.now() + 1);
    expect(Date.parse(end) - Date.parse(start)).toBe(28 * DAY);
  });

  test("matches older than three hours are found", async () => {
    expect(await ids("")).toContain("noon");
  });
});

describe("the start", () => {
  test("is inclusive", async () => {
    expect(await ids(`${START}=${iso(noon)}`)).toEqual([
      "noon",
      "noon-and-a-millisecond",
      "recent",
    ]);
    expect(await ids(`${START}=${iso(noon + 1)}`)).toEqual(["noon-and-a-millisecond", "recent"]);
  });

  test("may reach back as far as the data does", async () => {
    expect(await ids(`${START}=1970-01-01T00:00:00Z`)).toEqual([
      "ancient",
      "before-window",
      "in-window",
      "noon",
      "noon-and-a-millisecond",
    ]);
  });

  test("given alone leaves the end at now", async () => {
    const before = Date.now();
    const { meta } = (await page(`${START}=${iso(noon)}`)).body;
    expect(Date.parse(meta.window.start)).toBe(noon);
    expect(Date.parse(meta.window.end)).toBeWithin(before, Date.now() + 1);
  });
});

describe("the end", () => {
  test("is inclusive", async () => {
    expect(await ids(`${END}=${iso(noon)}`)).toEqual(["in-window", "noon"]);
    expect(await ids(`${END}=${iso(noon - 1)}`)).toEqual(["in-window"]);
  });

  test("given alone leaves the start at 28 days before now, not before the end", async () => {
    const { window } = (await page(`${END}=${iso(noon)}`)).body.meta;
    expect(Date.parse(window.end)).toBe(noon);
    expect(Date.parse(window.start)).toBeWithin(now - 28 * DAY, Date.now() - 28 * DAY + 1);
  });

  test("in the future is taken as now", async () => {
    const before = Date.now();
    const response = await page(`${END}=2999-12-31T23:59:59Z`);
    expect(idsOf(response.body)).not.toContain("ahead");
    expect(Date.parse(response.body.meta.window.end)).toBeWithin(before, Date.now() + 1);
  });

  test("before the default start is refused", async () => {
    expectProblem(await page(`${END}=${iso(AT["before-window"]!)}`), "invalid-window", {
      parameter: END,
    });
  });

  test("before the default start is accepted with an explicit start", async () => {
    const query = `${END}=${iso(AT["before-window"]!)}&${START}=2001-01-01T00:00:00Z`;
    expect(await ids(query)).toEqual(["ancient", "before-window"]);
  });
});

describe("start and end", () => {
  test("together are both inclusive, down to one millisecond, and echoed in meta", async () => {
    const response = await page(`${START}=${iso(noon)}&${END}=${iso(noon + 1)}`);
    expect(idsOf(response.body)).toEqual(["noon", "noon-and-a-millisecond"]);
    const { start, end } = response.body.meta.window;
    expect([Date.parse(start), Date.parse(end)]).toEqual([noon, noon + 1]);
  });

  test.each([
    ["equal", noon, noon],
    ["reversed", noon + 1, noon],
  ])("that are %s are refused", async (_, start, end) => {
    expectProblem(await page(`${START}=${iso(start)}&${END}=${iso(end)}`), "invalid-window", {
      parameter: START,
    });
  });

  test.each([
    ["alone", ""],
    ["with an end after it", `&${END}=2999-12-31T23:59:59Z`],
  ])("a start in the future is refused %s", async (_, more) => {
    expectProblem(await page(`${START}=2999-01-01T00:00:00Z${more}`), "invalid-window", {
      parameter: START,
    });
  });
});

describe("a time is parsed the same however it is written:", () => {
  const day = iso(noon).slice(0, 10);
  test.each([
    ["Z", `${day}T12:00:00Z`],
    ["fractions of any length", `${day}T12:00:00.000000000Z`],
    ["an encoded plus", `${day}T14:00:00%2B02:00`],
    ["an unencoded plus, which arrives as a space", `${day}T14:00:00+02:00`],
    ["a space instead of the plus", `${day}T14:00:00%20%302:00`],
    ["an unencoded plus after a fraction", `${day}T17:30:00.000+05:30`],
    ["a negative offset", `${day}T06:30:00-05:30`],
    ["an offset of zero", `${day}T12:00:00-00:00`],
    ["encoded colons", `${day}T12%3A00%3A00Z`],
  ])("%s", async (_, written) => {
    const response = await page(`${START}=${written}`);
    expect(response.status).toBe(200);
    expect(Date.parse(response.body.meta.window.start)).toBe(noon);
    const [, end] = [START, END].map((name) => `${name}=${written}`);
    expect(idsOf((await page(end!)).body)).toEqual(["in-window", "noon"]);
  });
});

test("an invalid end is not also reported as an empty window", async () => {
  const codes = async (start: string, end: string) =>
    problemsIn(await page(`${START}=${start}&${END}=${end}`)).map(({ code }) => code);
  expect(await codes("yesterday", "2020-01-01T00:00:00Z")).toEqual(["invalid-parameter"]);
  expect(await codes("%FF", "2020-01-01T00:00:00Z")).toEqual(["malformed-query"]);
  expect(await codes("2020-01-01T00:00:00Z", "yesterday")).toEqual(["invalid-parameter"]);
});

test("a window without matches is an empty array", async () => {
  const response = await page(`${START}=2001-01-01T00:00:00Z&${END}=2001-02-01T00:00:00Z`);
  expect(response.status).toBe(200);
  expect(response.body.data).toEqual([]);
  expect(response.body.meta.window).toEqual({
    start: "2001-01-01T00:00:00Z",
    end: "2001-02-01T00:00:00Z",
  });
});
