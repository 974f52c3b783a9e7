/** The change feed as pages: filters, cursors and limits. What changes is compared with the model by the soak. */

import { afterAll, describe, expect, test } from "bun:test";
import { TestClock } from "../support/keys.ts";
import { aMatch, duel } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const CHANGES = "/shards/na/changes";
const OLDEST = `${CHANGES}?page[after]=oldest`;

interface Body {
  data: {
    id: string;
    attributes: { kind: string };
    relationships: { match: { data: { id: string } }; players: { data: { id: string }[] } };
  }[];
  links: { next: string };
}

const described = ({ data }: Body) =>
  data.map(({ attributes, relationships }) => [attributes.kind, relationships.match.data.id]);
const matchesOf = ({ data }: Body) => data.map((one) => one.relationships.match.data.id);

test("a page of changes says when each was committed", async () => {
  await using world = await startWorld([aMatch()]);
  const [{ attributes }] = (await world.get(OLDEST)).body.data;
  expect(Math.abs(Date.now() - Date.parse(attributes.changedAt))).toBeLessThan(60_000);
});

test("withheld records leave no trace", async () => {
  await using world = await startWorld([]);
  const secret = (id: string) => aMatch({ id, mode: "practice" });
  await world.ingest([aMatch({ id: "one" }), secret("hidden-1")]);
  const { body: before } = await world.get(CHANGES);
  await world.ingest([secret("hidden-2"), secret("hidden-3")]);
  const { body: after } = await world.get(CHANGES);
  expect(after.links.next).toBe(before.links.next);
  await world.ingest([aMatch({ id: "two" })]);
  await world.ingest([secret("two")], { replace: true });
  const { text, body } = await world.get(OLDEST);
  expect(described(body)).toEqual([
    ["added", "one"],
    ["removed", "two"],
  ]);
  expect(text).not.toMatch(/hidden|practice/);
  // Numbers count served matches only.
  expect(body.data.map(({ id }: { id: string }) => id.split("-")[0])).toEqual(["1", "3"]);
});

describe("filters", async () => {
  const team = { id: "t1", name: "ABC" };
  const world = await startWorld([
    aMatch({
      id: "a",
      mode: "ranked",
      patch: "2.1",
      rosters: [{ members: [{ id: "p1", name: "Ada" }], team }, { members: [{ id: "p2" }] }],
    }),
    aMatch({ id: "b", mode: "casual", patch: "2.1", rosters: duel({ id: "p2" }, { id: "p3" }) }),
    aMatch({
      id: "c",
      mode: "casual",
      patch: "2.2",
      rosters: duel({ id: "p1", name: "Ada" }, { id: "p3" }),
    }),
  ]);
  afterAll(() => world.stop());

  test.each([
    ["filter[playerIds]=p2,p3", ["a", "b", "c"]],
    ["filter[playerNames]=Ada", ["a", "c"]],
    ["filter[playerNames]=Nobody", []],
    ["filter[playerNames]=Ada&filter[playerIds]=p3", ["c"]],
    ["filter[teamNames]=ABC", ["a"]],
    ["filter[teamNames]=abc", []],
    ["filter[patchVersion]=2.1", ["a", "b"]],
    ["filter[gameMode]=casual&filter[patchVersion]=2.1", ["b"]],
  ])("%s finds %j, and the next page begins after what was examined", async (filter, expected) => {
    const { body } = await world.get(`${OLDEST}&${filter}`);
    expect(matchesOf(body)).toEqual(expected);
    expect(body.links.next).toEndWith((await world.get(CHANGES)).body.links.next.split("?")[1]);
  });
});

test("at most 1,000 changes are examined for a page, which may be empty although more follow", async () => {
  await using world = await startWorld([]);
  const many = Array.from({ length: 1000 }, (_, at) =>
    aMatch({ id: `m${at}`, rosters: duel({ id: "p1" }, { id: "p2" }) }),
  );
  await world.ingest([...many, aMatch({ id: "wanted", mode: "casual" })]);
  const { body } = await world.get(`${OLDEST}&filter[gameMode]=casual`);
  expect(body.data).toEqual([]);
  expect(matchesOf((await world.get(body.links.next)).body)).toEqual(["wanted"]);
  const { body: largest } = await world.get(`${OLDEST}&page[limit]=200`);
  expect(largest.data).toHaveLength(200);
  expect((await world.get(OLDEST)).body.data).toHaveLength(50);
});

describe("a cursor", async () => {
  const world = await startWorld([aMatch({ id: "one" })]);
  afterAll(() => world.stop());
  const [{ id }] = (await world.get(OLDEST)).body.data;
  const tag = id.split("-")[1];

  test.each(["1-1", "0-0", `5-${tag}`])("that is not in the log: %s", async (cursor) => {
    const { status, body } = await world.get(`${CHANGES}?page[after]=${cursor}`);
    expect([status, body.errors[0].code]).toEqual([410, "cursor-expired"]);
    expect(body.errors[0].detail).toContain("without a cursor");
  });

  test("of another shard is not in the log", async () => {
    await world.ingest([aMatch({ id: "one", shard: "eu" })]);
    const { status } = await world.get(`/shards/eu/changes?page[after]=${id}`);
    expect(status).toBe(410);
  });
});

describe("limits", () => {
  test("a key gets as many changes per minute as its tier allows, whatever the page", async () => {
    const clock = new TestClock(Math.floor(Date.now() / 60_000) * 60_000);
    const documents = ["a", "b", "c", "d", "e"].map((id) => aMatch({ id }));
    const tiers = "[tiers.hobby]\nchanges-per-minute = 3\n";
    await using world = await startWorld(documents, {}, clock, tiers);
    const pages: Body[] = [(await world.get(`${OLDEST}&page[limit]=2`)).body];
    for (let page = 0; page < 2; page++) {
      pages.push((await world.get(pages.at(-1)!.links.next)).body);
    }
    expect(pages.map(matchesOf)).toEqual([["a", "b"], ["c"], []]);
    clock.advance(60_000);
    expect(matchesOf((await world.get(pages.at(-1)!.links.next)).body)).toEqual(["d", "e"]);
  });
});
