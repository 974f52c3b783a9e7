/** Documents with chosen paths and fields, and with a compatibility profile, match the model for any resources. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { matchContent, playerContent } from "../../src/document/assemble.ts";
import { canonicalList, canonicalResource } from "../../src/document/canonical.ts";
import { encodeMatch } from "../../src/document/encoded-match.ts";
import { type Piece, writeFollowing, writeFragment } from "../../src/document/fragment.ts";
import { plainBody } from "../../src/document/join-pieces.ts";
import { type Json, keyOf, type Resource } from "../../src/domain/json.ts";
import { PROFILES } from "../../src/endpoint/compat-profile.ts";
import type { Shape } from "../../src/query/query.ts";
import { whole } from "../../src/store/byte-range.ts";
import type { MatchesWithLinked, NamedParts } from "../../src/store/store.ts";
import { scaled } from "../support/scale.ts";
import { anyJson } from "./json.ts";
import {
  type NamedResource,
  type Page,
  projectedPage,
  projectedPlayers,
} from "./projection-model.ts";

const IDS = ["1", "2", "a-b_C"];

/** Names that are sorted in different ways, need escapes, or are those of other members. */
const NAMES = [
  ...["name", "stats", "createdAt", "titleId", "titleID", "shardId"],
  ...["attributes", "relationships", "links", "a", "zz", "Z", "", "0", "10", "9", "01"],
  ...['q"uote', "back\\slash", "line\n", "é", "￿", "😀", "__proto__", "constructor"],
];
const PATH_NAMES = ["rosters", "team", "assets", "rounds", "spectators", "é", "zz", "constructor"];

/** Values that look like the ends of other parts. */
const MISLEADING: Json[] = [
  { type: "roster", id: "1", relationships: {} },
  [{ type: "roster" }, { id: "1", type: "roster" }],
  { a: {}, relationships: { rosters: { data: null } } },
  [
    { a: {}, relationships: {} },
    { type: "x", url: "y" },
  ],
  '},"relationships":{',
  '"}},{"type":"roster","id":"1","attributes":{',
  '\\"},"relationships":{"\\',
  "}]",
];

const anyValue = fc.oneof(anyJson, fc.constantFrom(...MISLEADING, null));

/** An object without a prototype problem: members are defined, not assigned. */
const members = <T>(names: string[], value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), value), {
      maxLength: 6,
      selector: ([name]) => name,
    })
    .map((entries) => Object.fromEntries(entries));

const OWN_TYPES = ["roster", "participant", "asset", "_odd-1"];
const reference = fc.record(
  {
    id: fc.constantFrom(...IDS),
    type: fc.constantFrom("match", "player", "team", ...OWN_TYPES),
    meta: anyValue,
  },
  { requiredKeys: ["id", "type"] },
);
const relationship = fc.record(
  {
    data: fc.oneof(reference, fc.array(reference, { maxLength: 3 }), fc.constant(null)),
    links: fc.constant({ self: "/x" }),
    aside: anyValue,
  },
  { requiredKeys: [] },
);

const aResource = (types: string[]): fc.Arbitrary<Resource> =>
  fc
    .record(
      {
        type: fc.constantFrom(...types),
        id: fc.constantFrom(...IDS),
        attributes: members(NAMES, anyValue),
        relationships: members(PATH_NAMES, relationship),
        links: fc.constant({ self: "/y" }),
        meta: anyValue,
      },
      { requiredKeys: ["type", "id"] },
    )
    .map((resource) => resource as unknown as Resource);

const aNamed = (type: string): fc.Arbitrary<NamedResource> =>
  fc.record({
    resource: aResource([type]),
    companions: fc.oneof(
      { weight: 4, arbitrary: fc.constant<Resource[]>([]) },
      { weight: 1, arbitrary: fc.array(aResource(["asset", "_odd-1"]), { maxLength: 2 }) },
    ),
    lastMatchAt:
      type === "player" ? fc.option(fc.nat(), { nil: undefined }) : fc.constant(undefined),
  });

const byId = { selector: ({ resource }: NamedResource) => resource.id, maxLength: 3 };
const aPage = fc.record({
  matches: fc.uniqueArray(
    fc.record({
      match: aResource(["match"]),
      // A match has two rosters, so this list is never empty.
      own: fc.uniqueArray(aResource(["match", ...OWN_TYPES]), {
        minLength: 1,
        maxLength: 5,
        selector: keyOf,
      }),
    }),
    { minLength: 1, maxLength: 3, selector: ({ match }) => match.id },
  ),
  players: fc.uniqueArray(aNamed("player"), byId),
  teams: fc.uniqueArray(aNamed("team"), byId),
});

/** The same with links to everything from every match, so that nothing is left out. */
function withAllLinked({ matches, players, teams }: Page): Page {
  const named = [...players, ...teams].map(({ resource }) => resource);
  return {
    matches: matches.map(({ match, own }) => {
      const data = [...own, ...named].map(({ type, id }) => ({ type, id }));
      const relationships = { ...match.relationships, everything: { data } };
      return { match: { ...match, relationships }, own };
    }),
    players,
    teams,
  };
}

const anyPage: fc.Arbitrary<Page> = fc.oneof(aPage, aPage.map(withAllLinked));

const aPath = fc
  .array(fc.constantFrom(...PATH_NAMES), { minLength: 1, maxLength: 3 })
  .map((names) => names.join("."));
const aShape: fc.Arbitrary<Shape> = fc.record({
  include: fc.option(fc.array(aPath, { maxLength: 4 }), { nil: undefined }),
  fields: fc.option(
    fc
      .uniqueArray(
        fc.tuple(
          fc.constantFrom("match", "player", "team", ...OWN_TYPES),
          fc.subarray([...NAMES, ...PATH_NAMES, "none"]).map((names) => new Set(names)),
        ),
        { maxLength: 4, selector: ([type]) => type },
      )
      .map((types) => new Map(types)),
    { nil: undefined },
  ),
});

function storedNamed({ resource, companions, lastMatchAt }: NamedResource): NamedParts {
  return {
    resource: whole(writeFollowing(canonicalResource(resource))),
    companions: companions.length === 0 ? undefined : writeFragment(canonicalList(companions)),
    lastMatchAt,
  };
}

const WHOLE: Shape = { include: undefined, fields: undefined };

function stored(page: Page): MatchesWithLinked {
  const { matches, players, teams } = page;
  // As at ingest: whatever a match includes is linked, or the match is not joinable.
  const count = players.length + teams.length + matches.flatMap(({ own }) => own).length;
  const joinable = projectedPage(page, WHOLE, false).included.length === count;
  return {
    matches: matches.map(({ match, own }) =>
      whole(
        encodeMatch({
          resource: canonicalResource(match),
          included: canonicalList(own),
          keys: [match, ...own].map(keyOf),
          joinable,
        }),
      ),
    ),
    players: players.map(storedNamed),
    teams: teams.map(storedNamed),
  };
}

function documentOf(content: Piece[]) {
  const text = plainBody(content, "}").toString();
  const document = JSON.parse(text);
  // No member is there twice.
  expect(JSON.stringify(document)).toHaveLength(text.length);
  return document;
}

/** As served: members that are undefined do not exist. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

/** How pieces were written is remembered the second time. */
const repeated = (shape: Shape): Shape[] => {
  const linked = { ...shape, include: undefined };
  return [shape, shape, linked, linked, linked];
};

const cases = fc.tuple(anyPage, fc.array(aShape, { minLength: 1, maxLength: 4 }), fc.boolean());

test("matches have the chosen resources and members, each resource once", () => {
  fc.assert(
    fc.property(cases, ([page, shapes, isCompatible]) => {
      const additions = isCompatible ? PROFILES.gamelocker.additions : undefined;
      const bundle = stored(page);
      for (const shape of shapes.flatMap(repeated)) {
        const expected = plain(projectedPage(page, shape, isCompatible));
        expect(documentOf(matchContent("list", bundle, shape, additions))).toStrictEqual(expected);
      }
      const one = { ...page, matches: page.matches.slice(0, 1) };
      const { data, included } = plain(projectedPage(one, shapes[0]!, isCompatible));
      const single = documentOf(matchContent("single", stored(one), shapes[0]!, additions));
      expect(single).toStrictEqual({ data: data[0], included });
    }),
    { numRuns: scaled(800) },
  );
}, 600_000);

test("players have the chosen members", () => {
  const players = fc.uniqueArray(aNamed("player"), { ...byId, minLength: 1 });
  fc.assert(
    fc.property(players, aShape, fc.boolean(), (given, shape, isCompatible) => {
      const additions = isCompatible ? PROFILES.gamelocker.additions : undefined;
      const parts = given.map(storedNamed);
      const noPaths = { ...shape, include: shape.include && [] };
      const included = noPaths.include && { included: [] };
      const data = plain(projectedPlayers(given, noPaths, isCompatible));
      const list = documentOf(playerContent("list", parts, noPaths, additions));
      expect(list).toStrictEqual({ data, ...included });
      const single = documentOf(playerContent("single", [parts[0]!], noPaths, additions));
      expect(single).toStrictEqual({ data: data[0], ...included });
    }),
    { numRuns: scaled(300) },
  );
}, 600_000);

test("a player who is the same except for the latest match, or is asked for with other fields, is written anew", () => {
  const player = { type: "player", id: "1", attributes: { name: "Ada", titleID: "x" } };
  const attributesAt = (lastMatchAt: number, ...fields: string[]) => {
    const shape = { include: undefined, fields: new Map([["player", new Set(fields)]]) };
    const parts = storedNamed({ resource: player, companions: [], lastMatchAt });
    const { data } = documentOf(
      playerContent("single", [parts], shape, PROFILES.gamelocker.additions),
    );
    return data.attributes;
  };
  for (const time of ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]) {
    const at = Date.parse(time);
    expect(attributesAt(at, "createdAt")).toEqual({ createdAt: time });
    expect(attributesAt(at, "name", "createdAt")).toEqual({ name: "Ada", createdAt: time });
    expect(attributesAt(at, "name,createdAt")).toBeUndefined();
    expect(attributesAt(at, "titleId")).toEqual({ titleId: "x" });
  }
});
