/**
 * Random histories of a shard: few players, names and times, so that matches often rename players
 * and teams, have equal times, share names and depend on each other.
 */

import fc from "fast-check";
import type { Json, JsonObject } from "../../src/domain/json.ts";
import { aMatch, type MatchDocument, type MemberIn, type RosterIn } from "../support/records.ts";
import { anyJson, reversed } from "./json.ts";

export const SHARD = "na";
export const TITLE = "the-deployment";

export const MATCH_IDS = [
  "m",
  "M",
  "m-",
  "m_",
  "m0",
  "-",
  "_",
  "0",
  "00",
  "Z",
  "zz",
  "a",
  "A9",
  "9a",
];
export const PLAYER_IDS = ["p1", "P1", "p-1", "_p", "9", "q"];
const TEAM_IDS = ["t1", "T1", "u"];
export const NAMES = ["Ana", "ana", "Ana ", "名 前", "a,b", "back\\slash", "50%+&=?"];
export const TAGS = ["TAG", "tag", "Tág, 2"];
export const PATCHES = ["2.5", "2.6"];

/** A few times, each written in several ways. */
const moment = fc.constantFrom(
  "2024-03-10T12:00:00Z",
  "2024-03-10T12:00:00.000Z",
  "2024-03-10T14:00:00+02:00",
  "2024-03-10T12:00:00.001Z",
  "2024-03-10T11:59:59.999Z",
  "2024-03-10T12:00:00.0019999Z",
  "2024-03-10T06:30:00.5-05:30",
  "2024-07-01T00:00:00Z",
  "2024-07-01T00:00:00Z",
  "2024-02-29T23:59:59.9Z",
  // The first of the 28 days that end with the newest match, and the day before it.
  "2024-06-04T00:00:00Z",
  "2024-06-03T23:59:59.999Z",
);

const mode = fc.oneof(
  { weight: 6, arbitrary: fc.constant("private") },
  { weight: 2, arbitrary: fc.constant("ranked") },
  { weight: 3, arbitrary: fc.constantFrom("casual", "casual_aral", "blitz_pvp_ranked") },
  { weight: 1, arbitrary: fc.constantFrom("private_party_draft_match", "practice", "Ranked") },
);
const ending = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("victory", "surrender", "Exitpractice") },
  { weight: 1, arbitrary: fc.constantFrom("exitpractice", "notenoughplayers") },
);
const count = fc.integer({ min: 0, max: 40 });
const gold = fc.oneof(
  fc.integer({ min: 0, max: 20_000 }),
  fc.integer({ min: 0, max: 20_000_000 }).map((thousandths) => thousandths / 1000),
  fc.constantFrom(0.1, 0.2, 1e-6, 123_456_789.123456, 0, undefined),
);

/** Sometimes a value, mostly none. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>, freq = 4) =>
  fc.oneof({ weight: freq, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const extra = fc.dictionary(fc.constantFrom("extra", "__proto__", "7", "ünï"), anyJson, {
  maxKeys: 2,
  noNullPrototype: true,
});

/** A player in a record: all, some or none of the computed stats. */
const person = fc.record({
  name: fc.constantFrom(...NAMES),
  stats: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        level: fc.constant(9),
        skillTier: fc.constantFrom<number>(0, 3, 17, -1, 2.5, 2 ** 53 - 1),
      }),
    },
    { weight: 1, arbitrary: fc.constant(undefined) },
    {
      weight: 2,
      arbitrary: fc.record(
        { played: count, wins: count, played_ranked: fc.constantFrom(0, 0, 0, 1) },
        { requiredKeys: [] },
      ),
    },
    {
      weight: 1,
      arbitrary: fc.record({ played: count, wins: count, played_ranked: fc.constantFrom(0, 3) }),
    },
    {
      weight: 1,
      arbitrary: fc.record(
        { winStreak: count, lossStreak: count, lifetimeGold: fc.constantFrom(0, 17.25) },
        { requiredKeys: [] },
      ),
    },
  ),
  attributes: rarely(extra),
  titleID: fc.constantFrom("titleID", "titleId", "none"),
  patch: rarely(fc.constantFrom("1.0", "9.9")),
  skin: rarely(fc.constantFrom("skin-1", "skin-2"), 8),
  charm: rarely(fc.constantFrom("charm-1", "charm-2"), 8),
  friend: rarely(fc.constantFrom(...PLAYER_IDS), 12),
});

const roster = fc.record({
  bots: fc.integer({ min: 0, max: 1 }),
  team: rarely(
    fc.record({ id: fc.constantFrom(...TEAM_IDS), banner: rarely(fc.constant("banner-1"), 5) }),
    1,
  ),
  isWritten: fc.constantFrom("as text", "as boolean"),
});

const record = fc.record({
  createdAt: moment,
  mode,
  ending,
  patch: fc.constantFrom(...PATCHES),
  winner: fc.constantFrom(0 as const, 1 as const),
  rosters: fc.tuple(roster, roster),
  /** The participants of each roster; others may be spectators. */
  seats: fc.uniqueArray(
    fc.record({ id: fc.constantFrom(...PLAYER_IDS), side: fc.constantFrom(0, 1), gold }),
    { selector: ({ id }) => id, maxLength: 4 },
  ),
  spectators: rarely(fc.uniqueArray(fc.constantFrom(...PLAYER_IDS), { minLength: 1 }), 2),
  casters: rarely(fc.uniqueArray(fc.constantFrom(...PLAYER_IDS), { minLength: 1 })),
  people: fc.record(Object.fromEntries(PLAYER_IDS.map((id) => [id, person]))),
  tags: fc.record(Object.fromEntries(TEAM_IDS.map((id) => [id, fc.constantFrom(...TAGS)]))),
  sponsor: rarely(fc.constantFrom(...TEAM_IDS), 8),
  attributes: rarely(extra),
  assets: rarely(
    fc.uniqueArray(
      fc.record({
        id: fc.constantFrom("asset-1", "asset-2", "asset-3"),
        value: anyJson,
        owner: rarely(fc.constantFrom(...PLAYER_IDS), 3),
        next: rarely(fc.constantFrom("asset-1", "asset-2", "asset-3"), 2),
      }),
      { selector: ({ id }) => id, minLength: 1 },
    ),
  ),
  rounds: rarely(fc.integer({ min: 1, max: 2 })),
  rematch: rarely(fc.constantFrom(...MATCH_IDS), 10),
  statsAreCompact: rarely(fc.constant(true), 10),
});

type Wishes = typeof record extends fc.Arbitrary<infer T> ? T : never;

export const recordOf = (id: string) => record.map((wishes) => written(id, wishes));

/** A set of records with distinct ids. */
export const history: fc.Arbitrary<MatchDocument[]> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...MATCH_IDS), record), {
    selector: ([id]) => id,
    minLength: 3,
    maxLength: MATCH_IDS.length,
    size: "max",
  })
  .map((records) => records.map(([id, wishes]) => written(id, wishes)));

/** A set of records and a way to send it: any order, repetitions and batches. */
export interface Arrival {
  documents: MatchDocument[];
  calls: { documents: MatchDocument[]; batch: number }[];
}

export const arrival: fc.Arbitrary<Arrival> = history.chain((documents) => {
  const all = documents.map((_, index) => index);
  const whole = { minLength: all.length, maxLength: all.length };
  return fc
    .record({
      order: fc.shuffledSubarray(all, whole),
      again: fc.array(fc.record({ which: fc.nat(all.length - 1), at: fc.nat(2 * all.length) }), {
        maxLength: 6,
      }),
      turned: fc.array(fc.boolean(), { minLength: all.length + 6, maxLength: all.length + 6 }),
      calls: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }),
      batch: fc.integer({ min: 1, max: 5 }),
    })
    .map(({ order, again, turned, calls, batch }) => {
      const sequence = [...order];
      for (const { which, at } of again) sequence.splice(at % (sequence.length + 1), 0, which);
      const sent = sequence.map((which, index) => {
        const document = documents[which]!;
        return turned[index] ? turnedRound(document) : document;
      });
      return { documents, calls: cut(sent, calls, batch) };
    });
});

function cut(sent: MatchDocument[], sizes: number[], batch: number): Arrival["calls"] {
  const calls: Arrival["calls"] = [];
  for (let at = 0, turn = 0; at < sent.length; turn++) {
    const size = turn === sizes.length - 1 ? sent.length : sizes[turn % sizes.length]!;
    calls.push({ documents: sent.slice(at, at + size), batch });
    at += size;
  }
  return calls;
}

/** The same document with all members and related resources in reverse order. */
function turnedRound(document: MatchDocument): MatchDocument {
  const { data, included } = document;
  return {
    included: reversed(included.toReversed()) as JsonObject[],
    data: reversed(data) as JsonObject,
  };
}

function written(id: string, wishes: Wishes): MatchDocument {
  const { people, tags, assets = [], rematch, sponsor } = wishes;
  const named = new Set<string>(wishes.seats.map((seat) => seat.id));
  const rosters = wishes.rosters.map((roster, side): RosterIn => {
    const members: MemberIn[] = wishes.seats
      .filter((seat) => seat.side === side)
      .map((seat) => ({ id: seat.id, ...(seat.gold === undefined ? {} : { gold: seat.gold }) }));
    for (let bot = 0; bot < roster.bots; bot++) members.push({ bot: true });
    return {
      members,
      ...(roster.team ? { team: { id: roster.team.id, name: tags[roster.team.id]! } } : {}),
      attributes: roster.isWritten === "as boolean" ? { won: side === wishes.winner } : {},
    };
  });
  const document = aMatch({
    id,
    shard: SHARD,
    createdAt: wishes.createdAt,
    mode: wishes.mode,
    ending: wishes.ending,
    patch: wishes.patch,
    winner: wishes.winner,
    rosters: rosters as [RosterIn, RosterIn],
    ...(wishes.attributes ? { attributes: wishes.attributes as JsonObject } : {}),
  });

  // What aMatch does not create: spectators, related resources, missing fields.
  const { data } = document;
  const included = document.included.filter(({ type }) => type !== "player");
  const links: JsonObject = data.relationships as JsonObject;
  for (const role of ["spectators", "casters"] as const) {
    const people = wishes[role] ?? [];
    if (people.length > 0) links[role] = many("player", people);
    for (const one of people) named.add(one);
  }
  const rounds = Array.from({ length: wishes.rounds ?? 0 }, (_, round) => `${id}-round-${round}`);
  if (rounds.length > 0) links.rounds = many("round", rounds);
  for (const round of rounds) included.push({ type: "round", id: round, attributes: {} });
  if (assets.length > 0) {
    links.assets = many(
      "asset",
      assets.map((asset) => asset.id),
    );
    for (const { id: assetId, value, owner, next } of assets) {
      const relationships: JsonObject = { match: one("match", id) };
      if (owner) relationships.owner = one("player", owner);
      if (owner) named.add(owner);
      if (assets.some((other) => other.id === next)) relationships.next = one("asset", next!);
      included.push({ type: "asset", id: assetId, attributes: { value }, relationships });
    }
  }
  // Another match is linked to, but never included.
  if (rematch !== undefined) links.rematch = one("match", rematch);
  if (sponsor !== undefined) {
    links.sponsor = one("team", sponsor);
    if (!included.some(({ type, id: teamId }) => type === "team" && teamId === sponsor)) {
      included.push({ type: "team", id: sponsor, attributes: { name: tags[sponsor]! } });
    }
  }
  if (wishes.statsAreCompact) {
    (data.attributes as JsonObject).stats =
      `endGameReason: ${wishes.ending}, queue: ${wishes.mode}, acesEarned: 3, tempo: 1.5`;
  }
  wishes.rosters.forEach(({ team }, side) => {
    const resource = included.find(({ id: rosterId }) => rosterId === `${id}-r${side}`)!;
    if (!team) (resource.relationships as JsonObject).team = { data: null };
    else if (team.banner) {
      const carried = included.find((other) => other.type === "team" && other.id === team.id)!;
      carried.relationships = { banner: one("banner", team.banner) };
      add(included, { type: "banner", id: team.banner, attributes: { colours: 3 } });
    }
  });
  for (const { id: seated, gold: earned } of wishes.seats) {
    if (earned !== undefined) continue;
    const participant = included.find(({ relationships }) => playsFor(relationships, seated))!;
    delete ((participant.attributes as JsonObject).stats as JsonObject).gold;
  }
  for (const playerId of named) {
    const { friend } = people[playerId]!;
    if (friend !== undefined && friend !== playerId) named.add(friend);
  }
  for (const playerId of named) {
    const wish = people[playerId]!;
    included.push(carriedPlayer(playerId, wish));
    if (wish.skin) add(included, { type: "skin", id: wish.skin, attributes: { rarity: 1 } });
    if (wish.charm) add(included, { type: "charm", id: wish.charm, attributes: { power: 2 } });
  }
  // As JSON: members without a value are dropped.
  return JSON.parse(JSON.stringify({ data, included }));
}

function carriedPlayer(id: string, wish: Wishes["people"][string]): JsonObject {
  const relationships: JsonObject = {
    ...(wish.skin ? { skin: one("skin", wish.skin) } : {}),
    ...(wish.charm ? { charm: one("charm", wish.charm) } : {}),
    ...(wish.friend && wish.friend !== id ? { friend: one("player", wish.friend) } : {}),
  };
  return {
    type: "player",
    id,
    attributes: {
      ...(wish.attributes as JsonObject),
      name: wish.name,
      stats: wish.stats as Json,
      ...(wish.titleID === "none" ? {} : { [wish.titleID]: `title of ${id}` }),
      ...(wish.patch ? { patchVersion: wish.patch } : {}),
    },
    ...(Object.keys(relationships).length > 0 ? { relationships } : {}),
  };
}

const one = (type: string, id: string): JsonObject => ({ data: { type, id } });
const many = (type: string, ids: string[]): JsonObject => ({
  data: ids.map((id) => ({ type, id })),
});

function playsFor(relationships: Json | undefined, id: string): boolean {
  return JSON.stringify(relationships ?? null) === JSON.stringify({ player: one("player", id) });
}

function add(included: JsonObject[], resource: JsonObject): void {
  const isThere = included.some(({ type, id }) => type === resource.type && id === resource.id);
  if (!isThere) included.push(resource);
}
