/** Tests the formats a record may use, and the one format in which it is served. */

import { afterAll, describe, expect, test } from "bun:test";
import { type Draft, draftOf, type Loose } from "../support/drafts.ts";
import { aMatch, anId, duel, type MatchIn } from "../support/records.ts";
import { included, startWorld } from "../support/world.ts";

const world = await startWorld([], { "title-id": "the-setting" });
afterAll(() => world.stop());

/** The match as served after it was ingested with these changes. */
async function served(change: (draft: Draft) => void, wishes: MatchIn = {}): Promise<Loose> {
  const id = anId("match");
  const draft = draftOf(
    aMatch({ id, rosters: duel({ id: `${id}-w` }, { id: `${id}-l` }), ...wishes }),
  );
  change(draft);
  const { report, rejections } = await world.ingest([draft.document]);
  expect(rejections.map(({ problems }) => problems)).toEqual([]);
  expect(report.stored).toBe(1);
  const { body } = await world.get(`/shards/na/matches/${draft.match.id}`);
  // The same record again is a duplicate, however it was written.
  expect((await world.ingest([draft.document])).report.duplicate).toBe(1);
  return body;
}

describe("roster won:", () => {
  test.each([
    [true, "true"],
    [false, "false"],
    ["true", "true"],
    ["false", "false"],
  ])("%j is served as %j", async (sent, shown) => {
    const body = await served((draft) => {
      draft.at(`roster/${draft.match.id}-r0`).attributes.won = sent;
    });
    expect(included(body, "roster", `${body.data.id}-r0`)).toMatchObject({
      attributes: { won: shown },
    });
    const { body: player } = await world.get(`/shards/na/players/${body.data.id}-w`);
    expect(player.data.attributes.stats.wins).toBe(shown === "true" ? 1 : 0);
  });
});

describe("compact match stats:", () => {
  test.each([
    ["endGameReason: victory, queue: ranked", { endGameReason: "victory", queue: "ranked" }],
    ["endGameReason:victory,queue:ranked", { endGameReason: "victory", queue: "ranked" }],
    ["endGameReason=surrender, queue=casual", { endGameReason: "surrender", queue: "casual" }],
    [
      '{"endGameReason": "victory", "queue": "ranked", "acesEarned": 3}',
      { endGameReason: "victory", queue: "ranked", acesEarned: 3 },
    ],
    [
      "endGameReason: two words, queue: ranked, acesEarned: 2, ratio: -0.25, late: true, code: 007",
      {
        endGameReason: "two words",
        queue: "ranked",
        acesEarned: 2,
        ratio: -0.25,
        late: true,
        code: "007",
      },
    ],
    ["endGameReason: , queue: ", { endGameReason: "", queue: "" }],
  ])("%j becomes an object", async (text, stats) => {
    const body = await served((draft) => {
      draft.match.attributes.stats = text;
    });
    expect(body.data.attributes.stats).toEqual(stats);
  });

  test("the ending in them decides whether the match is served", async () => {
    const { report } = await world.ingest([
      aMatch({ attributes: { stats: "endGameReason: exitpractice, queue: casual" } }),
    ]);
    expect(report.withheld.ending).toBe(1);
  });

  test.each(["", "victory", "a: 1,, b: 2"])(
    "%j cannot be parsed, and is rejected",
    async (stats) => {
      const { rejections } = await world.ingest([aMatch({ attributes: { stats } })]);
      expect(rejections[0]!.problems[0]).toEndWith("attributes.stats must be an object");
    },
  );

  test("a compact record and the same record as an object are duplicates", async () => {
    const stats = "endGameReason: victory, queue: ranked";
    const compact = aMatch({ attributes: { stats } });
    const full = draftOf(compact);
    full.match.attributes.stats = { queue: "ranked", endGameReason: "victory" };
    const { report } = await world.ingest([compact, full.document]);
    expect(report).toMatchObject({ stored: 1, duplicate: 1 });
  });
});

describe("titleID:", () => {
  const titleOf = (body: Loose) =>
    (included(body, "player", `${body.data.id}-w`) as Loose).attributes.titleID;
  const playerOf = (draft: Draft) => draft.at(`player/${draft.match.id}-w`).attributes;

  test("the record's own is served", async () => {
    expect(titleOf(await served(() => {}))).toBe("emberfall");
  });

  test("titleId is read as titleID, and still served", async () => {
    const body = await served((draft) => {
      delete playerOf(draft).titleID;
      playerOf(draft).titleId = "spelt-otherwise";
    });
    expect(included(body, "player", `${body.data.id}-w`)).toMatchObject({
      attributes: { titleID: "spelt-otherwise", titleId: "spelt-otherwise" },
    });
  });

  test.each(["titleID", "titleId"])("a match's %s is the default for its players", async (name) => {
    const body = await served((draft) => {
      delete playerOf(draft).titleID;
      draft.match.attributes[name] = "of-the-match";
    });
    expect(titleOf(body)).toBe("of-the-match");
  });

  test("the setting is the default for records without one", async () => {
    const body = await served((draft) => delete playerOf(draft).titleID);
    expect(titleOf(body)).toBe("the-setting");
    const { body: player } = await world.get(`/shards/na/players/${body.data.id}-w`);
    expect(player.data.attributes.titleID).toBe("the-setting");
  });
});

describe("empty references:", () => {
  test("a team of null is absent", async () => {
    const body = await served((draft) => {
      draft.at(`roster/${draft.match.id}-r0`).relationships.team = { data: null };
    });
    const roster = included(body, "roster", `${body.data.id}-r0`) as Loose;
    expect(Object.keys(roster.relationships)).toEqual(["participants"]);
  });

  test("a player of null is absent, and relationships with it when nothing else is in them", async () => {
    const body = await served(
      (draft) => {
        draft.at(`participant/${draft.match.id}-r0p0`).relationships = { player: { data: null } };
      },
      { rosters: [{ members: [{ bot: true }] }, { members: [] }] },
    );
    expect(included(body, "participant")).not.toHaveProperty("relationships");
  });

  test("other null relationships are kept as sent", async () => {
    const body = await served((draft) => {
      draft.match.relationships.replay = { data: null };
      draft.at(`participant/${draft.match.id}-r0p0`).relationships.mentor = { data: null };
    });
    expect(body.data.relationships.replay).toEqual({ data: null });
    const participant = included(body, "participant", `${body.data.id}-r0p0`) as Loose;
    expect(participant.relationships.mentor).toEqual({ data: null });
  });
});

describe("createdAt:", () => {
  test.each([
    ["2023-03-01T18:30:00Z", "2023-03-01T18:30:00Z"],
    ["2023-03-01T18:30:00.5Z", "2023-03-01T18:30:00.5Z"],
    ["2023-03-01T18:30:00.123Z", "2023-03-01T18:30:00.123Z"],
    ["2023-03-01T18:30:00.123456Z", "2023-03-01T18:30:00.123Z"],
    ["2023-03-01T18:30:00.123999999Z", "2023-03-01T18:30:00.123Z"],
    ["2023-03-01T18:30:00.000400Z", "2023-03-01T18:30:00Z"],
    ["2023-03-01T18:30:00+02:00", "2023-03-01T16:30:00Z"],
    ["2023-03-01T00:15:00.25+05:30", "2023-02-28T18:45:00.250Z"],
    ["2023-02-28T23:00:00-02:00", "2023-03-01T01:00:00Z"],
    ["2023-03-01T18:30:00+00:00", "2023-03-01T18:30:00Z"],
    ["2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z"],
  ])("%s is served as %s", async (sent, shown) => {
    const body = await served(() => {}, { createdAt: sent });
    expect(body.data.attributes.createdAt).toBe(shown);
    // The window uses the same time, to the millisecond and including both ends.
    const at = Date.parse(shown);
    const found = async (start: number, end: number) => {
      const query = new URLSearchParams({
        "filter[createdAt-start]": new Date(start).toISOString(),
        "filter[createdAt-end]": new Date(end).toISOString(),
        "filter[playerIds]": `${body.data.id}-w`,
      });
      return (await world.get(`/shards/na/matches?${query}`)).body.data.length;
    };
    expect(await found(at, at + 1)).toBe(1);
    expect(await found(at - 1, at)).toBe(1);
    expect(await found(at + 1, at + 2)).toBe(0);
    expect(await found(at - 2, at - 1)).toBe(0);
  });
});

describe("patchVersion of a player", () => {
  test("is its own if the record has one", async () => {
    const body = await served((draft) => {
      draft.at(`player/${draft.match.id}-w`).attributes.patchVersion = "2.4.1";
    });
    expect(included(body, "player", `${body.data.id}-w`)).toMatchObject({
      attributes: { patchVersion: "2.4.1" },
    });
  });

  test("comes from its match where the record has none", async () => {
    const body = await served(
      (draft) => delete draft.at(`player/${draft.match.id}-w`).attributes.patchVersion,
      { patch: "3.1" },
    );
    expect(included(body, "player", `${body.data.id}-w`)).toMatchObject({
      attributes: { patchVersion: "3.1" },
    });
  });

  test("may be empty, like that of a match", async () => {
    const body = await served(() => {}, { patch: "" });
    expect(body.data.attributes.patchVersion).toBe("");
  });
});

test("a player without stats is served with the totals of its matches", async () => {
  const body = await served(
    (draft) => delete draft.at(`player/${draft.match.id}-w`).attributes.stats,
  );
  expect(included(body, "player", `${body.data.id}-w`)).toMatchObject({
    attributes: {
      stats: {
        winStreak: 1,
        lossStreak: 0,
        lifetimeGold: 1000.25,
        played: 1,
        wins: 1,
        played_ranked: 1,
      },
    },
  });
});
