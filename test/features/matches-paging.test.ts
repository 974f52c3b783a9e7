/** Tests page size, offset and order of GET /matches. */

import { afterAll, describe, expect, test } from "bun:test";
import { idsOf } from "../support/compound.ts";
import { expectProblem } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const start = Date.now() - 3_600_000;
/** Oldest first; the last five have the same timestamp, and their ids are in bytewise order. */
const IDS = ["m00", "m01", "m02", "m03", "m04", "m05", "m06", "-tie", "0tie", "Tie", "_tie", "tie"];
const TIED = 7;
const world = await startWorld(
  IDS.map((id, index) => aMatch({ id, createdAt: start + Math.min(index, TIED) * 1000 }))
    // The order of arrival differs from the order of creation.
    .toSorted((a, b) => String(b.data.id).localeCompare(String(a.data.id))),
);
afterAll(() => world.stop());

const page = (query: string) => world.get(`/shards/na/matches?${query}`);
const ids = async (query: string) => idsOf((await page(query)).body);

test("without parameters: the oldest five matches of the window, oldest first", async () => {
  const response = await world.get("/shards/na/matches");
  expect(response.status).toBe(200);
  expect(idsOf(response.body)).toEqual(IDS.slice(0, 5));
});

describe("page[limit]", () => {
  test.each([1, 2, 3, 4, 5])("%d returns that many matches", async (limit) => {
    expect(await ids(`page[limit]=${limit}`)).toEqual(IDS.slice(0, limit));
  });
});

describe("page[offset]", () => {
  test.each([0, 1, 4, 5, 8, 11])("%d skips that many matches", async (offset) => {
    expect(await ids(`page[offset]=${offset}`)).toEqual(IDS.slice(offset, offset + 5));
  });

  test.each([12, 13, 500, 10_000])(
    "%d is past the end: 200 with an empty array",
    async (offset) => {
      const response = await page(`page[offset]=${offset}`);
      expect(response.status).toBe(200);
      expect(response.body.data).toEqual([]);
      expect(response.body.links.next).toBeUndefined();
    },
  );

  test("has a configurable maximum", async () => {
    await using shallow = await startWorld([aMatch()], { "max-offset": "3" });
    expect((await shallow.get("/shards/na/matches?page[offset]=3")).status).toBe(200);
    expectProblem(await shallow.get("/shards/na/matches?page[offset]=4"), "offset-too-deep");
  });
});

describe("sort", () => {
  const all = async (sort: string) => [
    ...(await ids(`sort=${sort}`)),
    ...(await ids(`sort=${sort}&page[offset]=5`)),
    ...(await ids(`sort=${sort}&page[offset]=10`)),
  ];

  test("createdAt: oldest first, equal times by id, bytewise", async () => {
    expect(await all("createdAt")).toEqual(IDS);
  });

  test("-createdAt: exactly the reverse, ties included", async () => {
    expect(await all("-createdAt")).toEqual(IDS.toReversed());
  });
});

describe("cursors", () => {
  test("from links.next and links.prev are accepted", async () => {
    const first = await page("page[limit]=2");
    const second = await world.get(first.body.links.next);
    expect(idsOf(second.body)).toEqual(IDS.slice(2, 4));
    expect(idsOf((await world.get(second.body.links.prev)).body)).toEqual(IDS.slice(0, 2));
  });

  test.each(["page[after]", "page[before]"])("that are damaged are refused: %s", async (name) => {
    const first = await page("page[limit]=2");
    const good = new URL(first.body.links.next).searchParams.get("page[after]")!;
    const swapped = good[9] === "A" ? "B" : "A";
    const damaged = [
      "nonsense",
      good.slice(1),
      good.slice(0, -1),
      `${good}A`,
      `${good.slice(0, 9)}${swapped}${good.slice(10)}`,
      encodeURIComponent(`${good}=`),
      good.repeat(20),
      "%20",
    ];
    for (const cursor of damaged) {
      expectProblem(await page(`${name}=${cursor}`), "invalid-cursor", { parameter: name });
    }
  });

  test("and offsets exclude each other, and so do two cursors", async () => {
    const cursor = new URL((await page("page[limit]=2")).body.links.next).searchParams.get(
      "page[after]",
    );
    for (const [query, parameter] of [
      [`page[after]=${cursor}&page[offset]=1`, "page[offset]"],
      [`page[before]=${cursor}&page[offset]=0`, "page[offset]"],
      [`page[before]=${cursor}&page[after]=${cursor}`, "page[before]"],
    ] as const) {
      expectProblem(await page(query), "conflicting-parameters", { parameter });
    }
  });
});
