/** Tests which records are served: the three rules, and matches that become valid later. */

import { afterAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/domain/json.ts";
import { GAME_MODES } from "../../src/domain/modes.ts";
import type { Loose } from "../support/drafts.ts";
import {
  aMatch,
  duel,
  type MatchDocument,
  type MatchIn,
  type RosterIn,
} from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld();
afterAll(() => world.stop());

let made = 0;

/** A new shard for a test, with helpers for requests. */
function aShard() {
  made += 1;
  return inShard(`shard-${made}`, "");
}

/** The same without the cost of a shard: new players and matches in a shared one. */
function aCorner() {
  made += 1;
  return inShard("corners", `c${made}-`);
}

function inShard(shard: string, prefix: string) {
  const get = (path: string) => world.get(`/shards/${shard}${path}`);
  const ids = async (query: string): Promise<string[]> =>
    (await get(`/matches${query}`)).body.data.map(({ id }: Loose) => id);
  const owned = ({ members, ...roster }: RosterIn): RosterIn => ({
    ...roster,
    members: members.map((one) => ("bot" in one ? one : { ...one, id: prefix + one.id })),
  });
  return {
    shard,
    match(id: string, { rosters = duel({ id: "p" }, { id: "q" }), ...wishes }: MatchIn) {
      const own = rosters.map(owned) as [RosterIn, RosterIn];
      return aMatch({ id: prefix + id, shard, patch: prefix + id, rosters: own, ...wishes });
    },
    add: async (documents: MatchDocument[], options: { replace?: boolean; batch?: number } = {}) =>
      (await world.ingest(documents, options)).report,
    /** Whether a match is served, checked both alone and in the list. */
    async serves(id: string): Promise<boolean> {
      const { status } = await get(`/matches/${prefix}${id}`);
      const listed = await ids(`?filter[patchVersion]=${prefix}${id}`);
      expect(listed).toEqual(status === 200 ? [prefix + id] : []);
      return status === 200;
    },
    ids,
    get,
    player: (id: string) => get(`/players/${prefix}${id}`),
  };
}

const stored = { stored: 1, withheld: { "game-mode": 0, ending: 0, "no-ranked-player": 0 } };
const withheld = (reason: string) => ({ stored: 0, withheld: { ...stored.withheld, [reason]: 1 } });
const ranked = (id: string) => ({ id, stats: { played_ranked: 1 } });

describe("rule 1: the game mode is one of the eight", () => {
  test.each(GAME_MODES.map((mode) => [mode]))("%s is served", async (mode) => {
    const { match, add, serves, ids } = aCorner();
    const document = match("m", { mode, rosters: duel(ranked("a"), { id: "b" }) });
    expect(await add([document])).toMatchObject(stored);
    expect(await serves("m")).toBe(true);
    expect(await ids(`?filter[gameMode]=${mode}`)).toEqual([document.data.id as string]);
  });

  test.each(["practice", "casual_bots", "", "Ranked", "ranked ", "private_party", "ranked,casual"])(
    "%j is withheld",
    async (mode) => {
      const { match, add, serves } = aCorner();
      expect(await add([match("m", { mode })])).toMatchObject(withheld("game-mode"));
      expect(await serves("m")).toBe(false);
    },
  );
});

describe("rule 2: the session was really played", () => {
  for (const ending of ["exitpractice", "notenoughplayers"]) {
    test.each(GAME_MODES.map((mode) => [mode]))(
      `${ending} in mode %s is withheld`,
      async (mode) => {
        const { match, add, serves } = aCorner();
        const report = await add([
          match("m", { mode, ending, rosters: duel(ranked("a"), ranked("b")) }),
        ]);
        expect(report).toMatchObject(withheld("ending"));
        expect(await serves("m")).toBe(false);
      },
    );
  }

  test.each(["victory", "surrender", "exit", "", "ExitPractice"])(
    "%j is served",
    async (ending) => {
      const { match, add, serves } = aCorner();
      expect(await add([match("m", { ending })])).toMatchObject(stored);
      expect(await serves("m")).toBe(true);
    },
  );

  test("a match that breaks two rules is counted under the first", async () => {
    const { match, add } = aCorner();
    const report = await add([match("m", { mode: "practice", ending: "exitpractice" })]);
    expect(report).toMatchObject(withheld("game-mode"));
  });
});

describe("rule 3: a private match has a ranked player", () => {
  const privately = (a: string, b: string): MatchIn => ({
    mode: "private",
    rosters: duel({ id: a }, { id: b }),
  });

  test("without one it is withheld", async () => {
    const { match, add, serves } = aCorner();
    expect(await add([match("m", privately("a", "b"))])).toMatchObject(
      withheld("no-ranked-player"),
    );
    expect(await serves("m")).toBe(false);
  });

  test("bots and nobody at all are not ranked", async () => {
    const { match, add } = aCorner();
    const rosters: MatchIn["rosters"] = [{ members: [{ bot: true }] }, { members: [] }];
    expect(await add([match("m", { mode: "private", rosters })])).toMatchObject(
      withheld("no-ranked-player"),
    );
  });

  test.each(["private_party_draft_match", "private_party_aral_match", "private_party_blitz_match"])(
    "%s needs none",
    async (mode) => {
      const { match, add } = aCorner();
      expect(await add([match("m", { ...privately("a", "b"), mode })])).toMatchObject(stored);
    },
  );

  test.each([
    ["1", { played_ranked: 1 }, true],
    ["250", { played_ranked: 250 }, true],
    ["0", { played_ranked: 0 }, false],
    ["-1", { played_ranked: -1 }, false],
    ["nothing", {}, false],
    ["played and wins only", { played: 5, wins: 5 }, false],
  ])("its own record says played_ranked %s", async (_, stats: JsonObject, isServed) => {
    const { match, add, serves } = aCorner();
    await add([match("m", { mode: "private", rosters: duel({ id: "a" }, { id: "b", stats }) })]);
    expect(await serves("m")).toBe(isServed);
  });

  describe("the player is ranked by another record:", () => {
    const evidence: [what: string, wishes: MatchIn, isEvidence: boolean][] = [
      [
        "a ranked match that the player won",
        { mode: "ranked", rosters: duel({ id: "a" }, { id: "z" }) },
        true,
      ],
      [
        "a ranked match that the player lost",
        { mode: "ranked", rosters: duel({ id: "z" }, { id: "a" }) },
        true,
      ],
      [
        "a casual record that says played_ranked",
        { mode: "casual", rosters: duel(ranked("a"), { id: "z" }) },
        true,
      ],
      [
        "a record withheld by its mode that says played_ranked",
        { mode: "practice", rosters: duel(ranked("a"), { id: "z" }) },
        true,
      ],
      [
        "a record withheld by its ending that says played_ranked",
        { ending: "exitpractice", rosters: duel({ id: "z" }, ranked("a")) },
        true,
      ],
      [
        "another private match that says played_ranked",
        { mode: "private", rosters: duel({ id: "z" }, ranked("a")) },
        true,
      ],
      [
        "a blitz_pvp_ranked match",
        { mode: "blitz_pvp_ranked", rosters: duel({ id: "a" }, { id: "z" }) },
        false,
      ],
      ["a casual match", { mode: "casual", rosters: duel({ id: "a" }, { id: "z" }) }, false],
      [
        "a ranked match that is itself withheld",
        { mode: "ranked", ending: "notenoughplayers", rosters: duel({ id: "a" }, { id: "z" }) },
        false,
      ],
      [
        "a ranked match of others",
        { mode: "ranked", rosters: duel({ id: "y" }, { id: "z" }) },
        false,
      ],
      [
        "a record that says played_ranked of others",
        { mode: "casual", rosters: duel({ id: "a" }, ranked("z")) },
        false,
      ],
    ];

    test.each(evidence)("%s (%#)", async (_, wishes, isEvidence) => {
      const orders = [
        async ({ match, add }: ReturnType<typeof aCorner>) => {
          await add([match("m", privately("a", "b"))]);
          return add([match("e", wishes)]);
        },
        async ({ match, add }: ReturnType<typeof aCorner>) => {
          await add([match("e", wishes)]);
          return add([match("m", privately("a", "b"))]);
        },
        ({ match, add }: ReturnType<typeof aCorner>) =>
          add([match("m", privately("a", "b")), match("e", wishes)]),
        ({ match, add }: ReturnType<typeof aCorner>) =>
          add([match("m", privately("a", "b")), match("e", wishes)], { batch: 1 }),
      ];
      for (const [index, order] of orders.entries()) {
        const shard = aCorner();
        const report = await order(shard);
        expect(await shard.serves("m")).toBe(isEvidence);
        // Only where the private match was withheld before.
        expect(report.released).toBe(isEvidence && (index === 0 || index === 3) ? 1 : 0);
        const { status, body } = await shard.player("b");
        expect(status).toBe(isEvidence ? 200 : 404);
        if (isEvidence)
          expect(body.data.attributes.stats).toMatchObject({ played: 1, lossStreak: 1 });
      }
    });

    test("a rejected record is not evidence", async () => {
      const { match, add, serves } = aCorner();
      await add([match("m", privately("a", "b"))]);
      const wrong = match("e", {
        rosters: duel({ id: "a" }, { id: "z" }),
        attributes: { duration: -1 },
      });
      expect(await add([wrong])).toMatchObject({ rejected: 1, released: 0 });
      expect(await serves("m")).toBe(false);
    });

    test("a ranked match that only links the player, as a spectator, is evidence", async () => {
      const { match, add, serves, shard } = aShard();
      await add([match("m", privately("a", "b"))]);
      await add([match("e", { mode: "ranked", ...spectator("a", shard) })]);
      expect(await serves("m")).toBe(true);
    });

    test("it must be a player of the rosters: a ranked spectator is not enough", async () => {
      const { match, add, serves, shard } = aShard();
      await add([match("m", { ...privately("a", "b"), ...spectator("eve", shard) })]);
      await add([match("e", { mode: "ranked", rosters: duel({ id: "eve" }, { id: "z" }) })]);
      expect(await serves("m")).toBe(false);
    });
  });

  test("this does not cascade: a released private match makes nobody ranked", async () => {
    const { match, add, serves, player } = aCorner();
    await add([match("p1", privately("a", "b")), match("p2", privately("b", "c"))]);
    await add([match("r", { rosters: duel({ id: "a" }, { id: "z" }) })]);
    expect(await serves("p1")).toBe(true);
    expect(await serves("p2")).toBe(false);
    const { body } = await player("b");
    expect(body.data.attributes.stats.played_ranked).toBe(0);
  });
});

/** A match with a spectator: a participant outside the rosters who links a player. */
function spectator(id: string, shard: string): MatchIn {
  const attributes = { name: `Name_${id}`, patchVersion: "2.5", shardId: shard, titleID: "t" };
  return {
    relationships: { spectators: { data: [{ type: "participant", id: "watching" }] } },
    included: [
      {
        type: "participant",
        id: "watching",
        attributes: { actor: "*Crow*" },
        relationships: { player: { data: { type: "player", id } } },
      },
      { type: "player", id, attributes },
    ],
  };
}
