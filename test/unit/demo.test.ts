/** Tests the demo data: adding up, and with every kind of match. That it is deterministic, test/processes/demo.test.ts says. */

import { describe, expect, test } from "bun:test";
import { type DemoOptions, demoDocuments } from "../../src/demo/demo.ts";
import { type Reference, type Resource, references } from "../../src/domain/json.ts";
import { GAME_MODES, isServedMode, isVoidEnding } from "../../src/domain/modes.ts";

interface Document {
  data: Resource;
  included: Resource[];
}

const UNTIL = Date.UTC(2026, 2, 1, 18, 30, 0);
const DAY = 86_400_000;
const OPTIONS: DemoOptions = { matches: 3_000, seed: 11, until: UNTIL };

const make = (options: Partial<DemoOptions> = {}): Document[] => [
  ...(demoDocuments({ ...OPTIONS, ...options }) as Generator<unknown> as Generator<Document>),
];

const documents = make();

const statsOf = (resource: Resource) => resource.attributes.stats as { [name: string]: number };
const modeOf = ({ data }: Document) => data.attributes.gameMode as string;
const endingOf = ({ data }: Document) => statsOf(data).endGameReason as unknown as string;
const timeOf = ({ data }: Document) => Date.parse(data.attributes.createdAt as string);
const ofType = ({ included }: Document, type: string) =>
  included.filter((resource) => resource.type === type);
const linked = (resource: Resource, name: string): Reference[] =>
  references(resource.relationships?.[name]);
const membersOf = (document: Document, roster: Resource): Resource[] =>
  linked(roster, "participants").map(
    ({ id }) => document.included.find((resource) => resource.id === id)!,
  );
const sum = (resources: Resource[], stat: string): number =>
  resources.reduce((total, resource) => total + statsOf(resource)[stat]!, 0);

test("the same options with another seed share no id", () => {
  const ids = ({ data, included }: Document) => [data.id, ...included.map(({ id }) => id)];
  const known = new Set(make({ matches: 300 }).flatMap(ids));
  const others = make({ matches: 300, seed: 12 }).flatMap(ids);
  expect(others.filter((id) => known.has(id))).toEqual([]);
});

describe("a scoreboard", () => {
  test("has two rosters of equal size, of which exactly one won", () => {
    for (const one of documents) {
      const rosters = ofType(one, "roster");
      const sizes = rosters.map((roster) => linked(roster, "participants").length);
      expect(sizes[0]).toBe(sizes[1]!);
      expect([3, 5]).toContain(sizes[0]!);
      expect(rosters.map(({ attributes }) => attributes.won).sort()).toEqual(["false", "true"]);
    }
  });

  test("has roster totals that are the sums of the participants", () => {
    for (const one of documents) {
      for (const roster of ofType(one, "roster")) {
        const members = membersOf(one, roster);
        const { gold, heroKills, krakenCaptures, turretKills } = statsOf(roster);
        expect(Number.isInteger(gold)).toBe(true);
        expect(sum(members, "gold")).toBe(gold!);
        expect(sum(members, "kills")).toBe(heroKills!);
        expect(sum(members, "krakenCaptures")).toBe(krakenCaptures!);
        expect(sum(members, "turretCaptures")).toBe(turretKills!);
      }
    }
  });
});

describe("three thousand matches", () => {
  const registered = (one: Document) => ofType(one, "player").map(({ id }) => id);
  const isVoid = (one: Document) => isVoidEnding(endingOf(one));
  const rankedPlayers = new Set(
    documents.filter((one) => modeOf(one) === "ranked" && !isVoid(one)).flatMap(registered),
  );
  for (const { id, attributes } of documents.flatMap((one) => ofType(one, "player"))) {
    const { played_ranked } = attributes.stats as { played_ranked?: number };
    if ((played_ranked ?? 0) >= 1) rankedPlayers.add(id);
  }
  const privates = documents.filter((one) => modeOf(one) === "private" && !isVoid(one));

  test("are of all eight served modes", () => {
    const modes = new Set(documents.map(modeOf));
    expect(GAME_MODES.filter((mode) => !modes.has(mode))).toEqual([]);
  });

  test("are withheld for each reason in about one case of fifty", () => {
    const counts = [
      documents.filter((one) => !isServedMode(modeOf(one))),
      documents.filter((one) => endingOf(one) === "exitpractice"),
      documents.filter((one) => endingOf(one) === "notenoughplayers"),
      privates.filter((one) => !registered(one).some((id) => rankedPlayers.has(id))),
    ].map(({ length }) => length);
    for (const count of counts) {
      expect(count).toBeGreaterThan(30);
      expect(count).toBeLessThan(100);
    }
  });

  test("include private matches that a ranked player makes valid", () => {
    const valid = privates.filter((one) => registered(one).some((id) => rankedPlayers.has(id)));
    expect(valid.length).toBeGreaterThan(60);
  });
});

describe("players", () => {
  const names = new Map(
    documents
      .flatMap((one) => ofType(one, "player"))
      .map(({ id, attributes }) => [id, attributes.name as string]),
  );
  const named = (pattern: RegExp) => [...names.values()].filter((name) => pattern.test(name));

  test("have names in several scripts, guest names, and names with spaces inside and at the end", () => {
    for (const pattern of [
      /\p{Script=Han}/u,
      /\p{Script=Katakana}/u,
      /\p{Script=Hangul}/u,
      /\p{Script=Cyrillic}/u,
      /^Guest_\d{9}$/,
      /\S \S/,
      / $/,
    ]) {
      expect(named(pattern).length).toBeGreaterThan(0);
    }
    expect(named(/^.{3,16}$/u)).toHaveLength(names.size);
  });
});

describe("time", () => {
  test("ascends through the thirty days before the end and never passes it", () => {
    const until = UNTIL + 999;
    const times = make({ until, matches: 600 }).map(timeOf);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(times[0]).toBeGreaterThanOrEqual(UNTIL - 30 * DAY);
    expect(times[0]).toBeLessThan(UNTIL - 29 * DAY);
    expect(times.at(-1)).toBeLessThanOrEqual(until);
  });
});
