/** Tests which resources a document includes. */

import { afterAll, describe, expect, test } from "bun:test";
import { danglingNames, idsOf, includedNames } from "../support/compound.ts";
import { aMatch, duel, type MatchDocument, minutesAgo } from "../support/records.ts";
import { included, startWorld } from "../support/world.ts";

/** Each patch holds one scenario; a test fetches only the matches of its scenario. */
const story = (patch: string) => `/shards/na/matches?filter[patchVersion]=${patch}`;

const asset = (id: string, attributes = {}) => ({
  type: "asset",
  id,
  attributes: { URL: `https://files.example/${id}`, ...attributes },
});
const link = (type: string, id: string) => ({ data: { type, id } });

const plain = aMatch({
  id: "plain",
  patch: "plain",
  createdAt: minutesAgo(50),
  rosters: [
    { members: [{ id: "p1" }, { id: "p2" }], team: { id: "t-2", name: "ONE" } },
    { members: [{ id: "p3" }, { bot: true }], team: { id: "t-1", name: "TWO" } },
  ],
});

const sharing = [1, 2, 3].map((number) =>
  aMatch({
    id: `sharing-${number}`,
    patch: "sharing",
    createdAt: minutesAgo(50 - number),
    rosters: [
      { members: [{ id: "s1" }], team: { id: "s-team", name: "SHARE" } },
      { members: [{ id: "s2" }], team: { id: "s-team", name: "SHARE" } },
    ],
    relationships: {
      assets: {
        data: [
          { type: "asset", id: "shared-asset" },
          { type: "asset", id: `own-asset-${number}` },
        ],
      },
      rounds: { data: [] },
      spectators: { data: null },
    },
    included: [asset("shared-asset"), asset(`own-asset-${number}`)],
  }),
);

/** Two matches whose records, by mistake or habit, use the same roster id. */
const sameRoster = [1, 2].map((number) =>
  renamed(
    aMatch({
      id: `same-roster-${number}`,
      patch: "same-roster",
      createdAt: minutesAgo(40 - number),
      rosters: [
        { members: [{ id: `sr-${number}` }], team: { id: `sr-team-${number}`, name: "SR" } },
        { members: [{ id: "sr-both" }] },
      ],
    }),
    `same-roster-${number}-r0`,
    "the-roster",
  ),
);

function renamed(document: MatchDocument, from: string, to: string): MatchDocument {
  return JSON.parse(JSON.stringify(document).replaceAll(`"${from}"`, `"${to}"`));
}

/** Players with their own relationships, some of which a later match no longer has. */
function withLinks(
  document: MatchDocument,
  player: string,
  relationships: object,
  extra: object[] = [],
): MatchDocument {
  const found = document.included.find(({ type, id }) => type === "player" && id === player)!;
  Object.assign(found, { relationships });
  document.included.push(...(extra as MatchDocument["included"]));
  return document;
}
const companions = [
  withLinks(
    aMatch({
      id: "companions-1",
      patch: "companions",
      createdAt: minutesAgo(39),
      rosters: duel({ id: "c1" }, { id: "c2" }),
    }),
    "c1",
    { assets: { data: [{ type: "asset", id: "c1-old" }] }, friend: link("player", "c-friend") },
    [asset("c1-old"), { type: "player", id: "c-friend", attributes: { name: "Friend" } }],
  ),
  withLinks(
    aMatch({
      id: "companions-2",
      patch: "companions",
      createdAt: minutesAgo(38),
      rosters: duel({ id: "c1" }, { id: "c3" }),
    }),
    "c1",
    { assets: { data: [{ type: "asset", id: "c1-new" }] } },
    [asset("c1-new")],
  ),
];

/** A player that is linked only by another player, and no longer in a later match. */
const friends = [
  withLinks(
    aMatch({
      id: "friends-1",
      patch: "friends",
      createdAt: minutesAgo(32),
      rosters: duel({ id: "f1" }, { id: "f2" }),
    }),
    "f1",
    { friend: link("player", "f-friend") },
    [{ type: "player", id: "f-friend", attributes: { name: "Friend" } }],
  ),
  aMatch({
    id: "friends-2",
    patch: "friends",
    createdAt: minutesAgo(31),
    rosters: duel({ id: "f1" }, { id: "f3" }),
  }),
];

/** A resource that is linked both by a match and by a player of another match. */
const crossing = [
  aMatch({
    id: "crossing-1",
    patch: "crossing",
    createdAt: minutesAgo(37),
    rosters: duel({ id: "x1" }, { id: "x2" }),
    relationships: { assets: { data: [{ type: "asset", id: "crossed" }] } },
    included: [asset("crossed")],
  }),
  withLinks(
    aMatch({
      id: "crossing-2",
      patch: "crossing",
      createdAt: minutesAgo(36),
      rosters: duel({ id: "x3" }, { id: "x1" }),
    }),
    "x3",
    { assets: { data: [{ type: "asset", id: "crossed" }] } },
    [asset("crossed")],
  ),
];

const world = await startWorld([
  plain,
  ...sharing,
  ...sameRoster,
  ...companions,
  ...friends,
  ...crossing,
]);
afterAll(() => world.stop());

async function get(path: string) {
  const reply = await world.get(path);
  expect(reply.status).toBe(200);
  return reply.body;
}

test("a page of matches has the top level data, included, links, meta, jsonapi", async () => {
  const body = await get(story("plain"));
  expect(Object.keys(body).toSorted()).toEqual(["data", "included", "jsonapi", "links", "meta"]);
  expect(body.jsonapi).toEqual({ version: "1.1" });
});

describe("by default everything related is included", () => {
  test("with a match: rosters, participants, players, teams, in a stable order", async () => {
    const body = await get("/shards/na/matches/plain");
    expect(includedNames(body)).toEqual([
      "roster/plain-r0",
      "participant/plain-r0p0",
      "participant/plain-r0p1",
      "roster/plain-r1",
      "participant/plain-r1p0",
      "participant/plain-r1p1",
      "player/p1",
      "player/p2",
      "player/p3",
      "team/t-2",
      "team/t-1",
    ]);
    expect(includedNames(await get("/shards/na/matches/plain"))).toEqual(includedNames(body));
  });

  test("with a page: each player and team of several matches once", async () => {
    const body = await get(story("sharing"));
    expect(idsOf(body)).toEqual(["sharing-1", "sharing-2", "sharing-3"]);
    expect(includedNames(body, "player")).toEqual(["player/s1", "player/s2"]);
    expect(includedNames(body, "team")).toEqual(["team/s-team"]);
    expect(includedNames(body, "roster")).toHaveLength(6);
    expect(includedNames(body, "participant")).toHaveLength(6);
  });

  test("an empty page has an empty list", async () => {
    const body = await get(story("nonesuch"));
    expect(body.data).toEqual([]);
    expect(body.included).toEqual([]);
  });
});

test.each(["plain", "sharing", "same-roster", "companions", "friends", "crossing"])(
  "in the documents of scenario %s, each resource occurs once and is linked, and every reference resolves",
  async (name) => {
    // `get` refuses a document in which a resource occurs twice or nothing links to it (replies.ts).
    const page = await get(story(name));
    const reversed = await get(`${story(name)}&sort=-createdAt`);
    const singles = await Promise.all(idsOf(page).map((id) => get(`/shards/na/matches/${id}`)));
    for (const body of [page, reversed, ...singles]) expect(danglingNames(body)).toEqual([]);
  },
);

test("of two rosters with one id, a page has that of its first match; each single match has its own", async () => {
  const participants = (body: object) =>
    included(body as never, "roster", "the-roster")!.relationships;
  const [first, second] = await Promise.all(
    ["same-roster-1", "same-roster-2"].map((id) => get(`/shards/na/matches/${id}`)),
  );
  expect(participants(first)).not.toEqual(participants(second));
  expect(participants(await get(story("same-roster")))).toEqual(participants(first));
  expect(participants(await get(`${story("same-roster")}&sort=-createdAt`))).toEqual(
    participants(second),
  );
});

test("resources linked by a player are those of its latest match", async () => {
  const older = await get("/shards/na/matches/companions-1");
  expect(includedNames(older, "asset")).toEqual(["asset/c1-new"]);
  expect(includedNames(await get(story("companions")), "asset")).toEqual(["asset/c1-new"]);
});
