/** Links of responses: what they contain, and that all of them can be followed. That they are URIs, every response is checked for. */

import { afterAll, describe, expect, test } from "bun:test";
import { idsOf } from "../support/compound.ts";
import { expectProblem } from "../support/problems.ts";
import { aMatch, anId, duel, type RosterIn } from "../support/records.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

const MINUTE = 60_000;
const start = Date.now() - 5 * 60 * MINUTE;

/** Three matches per timestamp; some share a player, a team, a mode or a patch. */
const SEASON = Array.from({ length: 23 }, (_, index) => {
  const hero = index % 3 !== 2 ? { id: "hero", name: "The Hero" } : { id: anId("extra") };
  const team = index % 5 < 3 ? { team: { id: "team", name: "A,B" } } : {};
  return aMatch({
    id: `m${String(index).padStart(3, "0")}`,
    createdAt: start + Math.floor(index / 3) * MINUTE,
    mode: index % 2 === 0 ? "ranked" : "casual",
    patch: index % 4 === 0 ? "2.6" : "2.5",
    rosters: [{ members: [hero], ...team }, { members: [{ id: anId("extra") }] }],
  });
});
const world = await startWorld(SEASON);
afterAll(() => world.stop());

const M = "/shards/na/matches";
const get = async (path: string) => {
  const reply = await world.get(path);
  expect(reply.status).toBe(200);
  return reply.body;
};
const idsIn = (pages: Reply[]) => pages.flatMap(({ body }) => idsOf(body));

/** More pages than this mean a loop. */
const MOST_PAGES = 200;

/** The pages from this one on, following one link until there is none. After the first page, something may happen. */
async function follow(
  world: World,
  path: string,
  link: "next" | "prev",
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<Reply[]> {
  const pages: Reply[] = [];
  for (let address: string | undefined = path; address !== undefined; ) {
    const page: Reply = await world.get(address);
    if (page.status !== 200) throw new Error(`${address} gave ${page.status}: ${page.text}`);
    if (pages.push(page) > MOST_PAGES) throw new Error(`the links from ${path} do not end`);
    address = page.body.links[link];
    if (pages.length === 1) await meanwhile();
  }
  return pages;
}

/** The ids that a filter finds, fetched by offset instead of links. */
async function found(filter: string, sort: string, from: World = world): Promise<string[]> {
  const ids: string[] = [];
  for (let offset = 0; ; offset += 5) {
    const { body } = await from.get(`${M}?${filter}&sort=${sort}&page[offset]=${offset}`);
    ids.push(...idsOf(body));
    if (body.data.length < 5) return ids;
  }
}

describe("links", () => {
  test.each([
    ["", "self first next"],
    ["page[offset]=18", "self first prev"],
    ["page[offset]=23", "self first prev"],
    ["filter[playerIds]=nobody", "self first"],
    ["filter[playerIds]=nobody&page[offset]=23", "self first"],
  ])(
    "of a page: always self and first; prev and next if those pages exist: %s",
    async (query, names) => {
      expect(Object.keys((await get(`${M}?${query}`)).links).join(" ")).toBe(names);
    },
  );

  test("self is the request itself, and first has its parameters without those of the page", async () => {
    const body = await get(
      `${M}?page[limit]=2&page[offset]=3&filter[playerNames]=The+Hero&sort=-createdAt`,
    );
    const rest = "filter%5BplayerNames%5D=The%20Hero&sort=-createdAt";
    expect(body.links.self).toBe(`${world.url}${M}?page%5Blimit%5D=2&page%5Boffset%5D=3&${rest}`);
    expect(body.links.first).toBe(`${world.url}${M}?${rest}`);
    expect((await get(body.links.self)).data).toEqual(body.data);
    const { links } = await get(`${M}?page[limit]=3`);
    expect(links.first).toBe(`${world.url}${M}`);
  });

  test("next and prev keep every other parameter, pin the start of the window and carry a cursor for the offset", async () => {
    const given = {
      ...{ "page[limit]": "2", sort: "-createdAt", "filter[playerIds]": "hero" },
      ...{ "filter[playerNames]": "The Hero", "filter[teamNames]": "A\\,B" },
      ...{ "filter[gameMode]": "ranked,casual", "filter[patchVersion]": "2.5,2.6" },
      ...{ include: "rosters", "fields[match]": "createdAt,rosters", "fields[roster]": "won" },
    };
    // As the request gives it, also if it is in the future.
    const window = {
      "filter[createdAt-start]": "2020-01-01T00:00:00+01:00",
      "filter[createdAt-end]": "2999-01-01T00:00:00.000Z",
    };
    for (const more of [{}, window]) {
      const query = new URLSearchParams({ ...given, ...more, "page[offset]": "2" });
      const { links, meta } = await get(`${M}?${query}`);
      for (const [link, cursor] of [
        ["next", "page[after]"],
        ["prev", "page[before]"],
      ] as const) {
        expect(Object.fromEntries(new URL(links[link]).searchParams)).toEqual({
          ...{ ...given, "filter[createdAt-start]": meta.window.start, ...more },
          [cursor]: expect.stringMatching(/^[A-Za-z0-9_-]+$/),
        });
      }
    }
  });
});

/** The window from the first match to the last, exactly. */
const TIGHT = [
  `filter[createdAt-start]=${new Date(start).toISOString()}`,
  `filter[createdAt-end]=${new Date(start + 7 * MINUTE).toISOString()}`,
].join("&");

describe.each(["createdAt", "-createdAt"])("an offset past the end, sorted by %s,", (sort) => {
  test.each(["", "filter[playerIds]=hero", "filter[gameMode]=casual,ranked", TIGHT])(
    "links back to the last matches, and on to the first: %s",
    async (filter) => {
      const path = `${M}?${filter}&sort=${sort}&page[limit]=3&page[offset]=100`;
      const [empty, ...pages] = await follow(world, path, "prev");
      expect(empty!.body.data).toEqual([]);
      expect(pages[0]!.body.data).toHaveLength(3);
      expect(pages[0]!.body.links.next).toBeUndefined();
      expect(idsIn(pages.toReversed())).toEqual(await found(filter, sort));
    },
  );
});

test("an offset past the end links back to a match with the smallest id at the window's start", async () => {
  await using lone = await startWorld([aMatch({ id: "-", createdAt: start })]);
  const path = `${M}?${TIGHT}&sort=-createdAt&page[offset]=1`;
  const [, last] = await follow(lone, path, "prev");
  expect(idsOf(last!.body)).toEqual(["-"]);
});

test("offsets beyond the setting are refused", async () => {
  await using shallow = await startWorld(SEASON.slice(0, 5), { "max-offset": "3" });
  expect((await shallow.get(`${M}?page[offset]=3`)).status).toBe(200);
  expectProblem(await shallow.get(`${M}?page[offset]=4`), "offset-too-deep");
});

describe("paging by name", () => {
  test.each([
    ["the player is renamed", "filter[playerNames]=The+Hero", "hero"],
    ["the team takes another tag", "filter[teamNames]=A%5C,B", "other"],
  ])("continues when %s in the meantime", async (_, filter, id) => {
    await using lively = await startWorld(SEASON);
    const before = await found(filter, "createdAt", lively);
    const [one, other] = duel({ id, name: "Renamed" }, { id: anId("extra") });
    const renaming = aMatch({ rosters: [{ ...one, team: { id: "team", name: "NEW" } }, other] });
    const pages = await follow(lively, `${M}?${filter}&page[limit]=4`, "next", () =>
      lively.ingest([renaming]),
    );
    expect(idsIn(pages)).toEqual([...before, String(renaming.data.id)]);
  });

  test("finds other matches when the name in the link is changed", async () => {
    const { links } = await get(`${M}?filter[playerNames]=The+Hero&page[limit]=1`);
    const other = links.next.replace("The%20Hero", "Nobody");
    expect(other).not.toBe(links.next);
    expect((await get(other)).data).toEqual([]);
  });

  test("works however many names are given and however many players have them", async () => {
    const side = (letter: string): RosterIn => ({
      members: Array.from({ length: 45 }, (_, index) => ({
        id: `${letter}${"x".repeat(40)}-${index}`,
        name: "Crowd",
      })),
    });
    await using busy = await startWorld(
      ["1", "2", "3"].map((id) => aMatch({ id, rosters: [side("a"), side("b")] })),
    );
    const names = Array.from({ length: 49 }, (_, index) => `艾达洛夫莱斯艾达洛夫莱斯${index}`);
    const filter = `filter[playerNames]=${encodeURIComponent(["Crowd", ...names].join(","))}`;
    const pages = await follow(busy, `${M}?${filter}&page[limit]=1&include=`, "next");
    expect(idsIn(pages)).toEqual(["1", "2", "3"]);
  });
});

/** Padding as sent, and the length of a query from which on links are too long: they are percent-encoded. */
test.each([
  ["x", 8192],
  ["%C3%A9", 8192],
  ["+", 8192 / 3],
])("every link can be followed, however long the request is, with %s", async (padding, longest) => {
  const statuses = new Set<number>();
  for (let length = longest - 320; length < longest + 20; length += 11) {
    const head = "page[limit]=2&include=&fields[match]=createdAt,";
    const padded = padding.repeat((length - head.length) / padding.length);
    const { status, body } = await world.get(`${M}?${head}${padded}`);
    statuses.add(status);
    for (const link of Object.values<string>(body.links ?? {})) await follow(world, link, "next");
  }
  expect([...statuses]).toEqual([200, 414]);
});
