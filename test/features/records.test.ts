/**
 * Records by the rules of docs/records.md, as examples without their results: what is accepted, served, completed and added
 * up is decided by the model. Order, batches and compression change nothing, nor does an export that is ingested.
 */

import { afterAll, expect, test } from "bun:test";
import { GAME_MODES } from "../../src/domain/modes.ts";
import { type Draft, draftOf, type Loose } from "../support/drafts.ts";
import {
  aMatch,
  anId,
  duel,
  type MatchDocument,
  type MatchIn,
  type PlayerIn,
} from "../support/records.ts";
import { richMatch } from "../support/rich-match.ts";
import { startWorld } from "../support/world.ts";
import { COMPARED, recordTarget } from "../trial/fuzz/records.ts";

const target = recordTarget();
afterAll(target.stop);

/** How many of these records are served, each as the model says. */
async function served(documents: (MatchDocument | Loose)[]): Promise<number> {
  const text = documents.map((one) => `${JSON.stringify(one)}\n`).join("");
  const file = Buffer.from(text).toString("latin1");
  const seen = await target.check({ text: file, wrapping: "plain" });
  return seen.filter((one) => one === COMPARED).length;
}

let minutes = 0;
/** A match a minute after the one before, of new players by default. */
const next = (wishes: MatchIn = {}) =>
  aMatch({ createdAt: Date.UTC(2024, 2, 10) + 60_000 * minutes++, mode: "casual", ...wishes });

const ranked = (player: PlayerIn) => ({ ...player, stats: { played_ranked: 1 } });

test("a match is served if its mode is one of the eight and it was really played", async () => {
  const odd = [
    "practice",
    "casual_bots",
    "",
    "Ranked",
    "ranked ",
    "private_party",
    "ranked,casual",
  ];
  const played = (mode: string, ending: string) =>
    next({ mode, ending, rosters: duel(ranked({ id: anId() }), { id: anId() }) });
  const documents = [...GAME_MODES, ...odd].flatMap((mode) => [
    played(mode, "victory"),
    played(mode, "exitpractice"),
    played(mode, "notenoughplayers"),
  ]);
  const endings = ["surrender", "exit", "", "ExitPractice"].map((one) => played("casual", one));
  expect(await served([...documents, ...endings])).toBe(GAME_MODES.length + endings.length);
});

/** Whether a record shows that the first player is ranked, and whether it is served itself. */
const EVIDENCE: [string, boolean, boolean, (a: PlayerIn, z: PlayerIn) => MatchIn][] = [
  ["a ranked match won", true, true, (a, z) => ({ mode: "ranked", rosters: duel(a, z) })],
  ["a ranked match lost", true, true, (a, z) => ({ mode: "ranked", rosters: duel(z, a) })],
  ["a record that says so", true, true, (a, z) => ({ rosters: duel(ranked(a), z) })],
  ["said by a withheld one", true, false, (a, z) => ({ mode: "x", rosters: duel(ranked(a), z) })],
  [
    "said by a private one",
    true,
    true,
    (a, z) => ({ mode: "private", rosters: duel(z, ranked(a)) }),
  ],
  [
    "said by one not played",
    true,
    false,
    (a, z) => ({ ending: "exitpractice", rosters: duel(z, ranked(a)) }),
  ],
  ["watching a ranked match", true, true, (a) => ({ mode: "ranked", ...watchedBy(a.id) })],
  ["another mode", false, true, (a, z) => ({ mode: "blitz_pvp_ranked", rosters: duel(a, z) })],
  ["a casual match", false, true, (a, z) => ({ rosters: duel(a, z) })],
  [
    "a ranked match not played",
    false,
    false,
    (a, z) => ({ mode: "ranked", ending: "notenoughplayers", rosters: duel(a, z) }),
  ],
  ["what is said of others", false, true, (a, z) => ({ rosters: duel(a, ranked(z)) })],
];

/** A participant outside the rosters who is a player. */
const watchedBy = (id: string): MatchIn => ({
  relationships: { spectators: { data: [{ type: "participant", id: `seat-${id}` }] } },
  included: [
    {
      type: "participant",
      id: `seat-${id}`,
      attributes: {
        actor: "*Crow*",
        stats: { gold: 5, assists: 0, crystalMineCaptures: 0, deaths: 0, farm: 0 },
      },
      relationships: { player: { data: { type: "player", id } } },
    },
    { type: "player", id, attributes: { name: `Name_${id}` } },
  ],
});

test.each(EVIDENCE)(
  "a private match needs a ranked player: %s: %p",
  async (_, isEvidence, isServed, wishes) => {
    const [a, z] = [{ id: "a" }, { id: "z" }];
    const withheld = next({ mode: "private", rosters: duel(a, { id: "b" }) });
    expect(await served([withheld, next(wishes(a, z))])).toBe(
      Number(isEvidence) + Number(isServed),
    );
  },
);

test("a private match without a ranked player of its rosters is withheld, and one that is served makes nobody ranked", async () => {
  const privately = (...[one, other]: [PlayerIn, PlayerIn]) =>
    next({ mode: "private", rosters: duel(one, other) });
  const documents = [
    privately(
      { id: "a", stats: { played: 5, wins: 5 } },
      { id: "b", stats: { played_ranked: -1 } },
    ),
    next({ mode: "private", rosters: [{ members: [{ bot: true }] }, { members: [] }] }),
    next({ mode: "private", ...watchedBy("r") }),
    next({ mode: "private_party_draft_match", rosters: duel({ id: "a" }, { id: "b" }) }),
    privately(ranked({ id: "r" }), { id: "c" }),
    privately({ id: "c" }, { id: "d" }),
  ];
  expect(await served(documents)).toBe(2);
});

test("the report counts a withheld match by the first rule that it breaks, and what is served later", async () => {
  await using world = await startWorld();
  const rosters = duel({ id: "a" }, { id: "b" });
  const { report } = await world.ingest([
    aMatch({ mode: "practice", ending: "exitpractice" }),
    aMatch({ mode: "private", ending: "exitpractice" }),
    aMatch({ mode: "private", rosters }),
  ]);
  expect(report.withheld).toEqual({ "game-mode": 1, ending: 1, "no-ranked-player": 1 });
  const invalid = aMatch({ rosters, attributes: { duration: -1 } });
  expect((await world.ingest([invalid])).report).toMatchObject({ rejected: 1, released: 0 });
  expect((await world.ingest([aMatch({ rosters })])).report).toMatchObject({ released: 1 });
});

/** The matches of a player, won or lost. */
const run = (player: PlayerIn, results: string, wishes: MatchIn = {}) =>
  [...results].map((result) => {
    const other = { id: anId() };
    return next({ rosters: result === "W" ? duel(player, other) : duel(other, player), ...wishes });
  });

test("watching a match counts for nobody, but the participant of a player may have the id of a roster", async () => {
  const watched = next(watchedBy("watcher"));
  const [seat] = run({ id: "seated" }, "W");
  const text = JSON.stringify(seat).replaceAll(`${seat!.data.id}-r0p0`, `${seat!.data.id}-r0`);
  expect(await served([...run({ id: "watcher" }, "W"), watched, JSON.parse(text)])).toBe(3);
});

const player = (draft: Draft) =>
  draft.document.included.find((one: Loose) => one.type === "player");
const roster = (draft: Draft) => draft.at(`roster/${draft.match.id}-r0`);
const seat = (draft: Draft) => draft.at(`participant/${draft.match.id}-r0p0`);

/** What a record may have instead of the usual. */
const FORMS: ((draft: Draft) => unknown)[] = [
  (draft) => Object.assign(roster(draft).attributes, { won: true }),
  (draft) => Object.assign(roster(draft).attributes, { won: false }),
  (draft) => Object.assign(roster(draft).relationships, { team: { data: null } }),
  (draft) => Object.assign(seat(draft).relationships, { mentor: { data: null } }),
  (draft) => Object.assign(draft.match.relationships, { replay: { data: null } }),
  (draft) => Object.assign(draft.match.attributes, { patchVersion: "" }),
  (draft) => Object.assign(player(draft).attributes, { patchVersion: "2.4.1" }),
  (draft) => delete player(draft).attributes.patchVersion,
  (draft) => delete player(draft).attributes.stats,
  (draft) => delete player(draft).attributes.titleID,
  (draft) => {
    delete player(draft).attributes.titleID;
    player(draft).attributes.titleId = "spelt-otherwise";
  },
  ...["titleID", "titleId"].map((name) => (draft: Draft) => {
    delete player(draft).attributes.titleID;
    draft.match.attributes[name] = "of-the-match";
  }),
  (draft) =>
    Object.assign(draft.match.attributes, {
      stats: "endGameReason: two words, queue: ranked, acesEarned: 2, ratio: 0.25",
    }),
];

const TIMES = [
  "2023-03-01T18:30:00.5Z",
  "2023-03-01T18:30:00.123999999Z",
  "2023-03-01T18:30:00.000400Z",
  "2023-03-01T18:30:00+02:00",
  "2023-03-01T00:15:00.25+05:30",
  "2023-02-28T23:00:00-02:00",
  "2024-02-29T23:59:59Z",
  "1969-07-20T20:17:40Z",
];

test("a record may be written in several forms, and is served in one", async () => {
  const forms = FORMS.map((change) => {
    const draft = draftOf(next());
    change(draft);
    return draft.document;
  });
  const empty = draftOf(next({ rosters: [{ members: [{ bot: true }] }, { members: [] }] }));
  seat(empty).relationships = { player: { data: null } };
  const times = TIMES.map((createdAt) => next({ createdAt }));
  const all = [...forms, empty.document, ...times];
  expect(await served(all)).toBe(all.length);
});

test("everything else that a record has is served as it was sent", async () => {
  const rich = richMatch("rich");
  rich.match.attributes.createdAt = "2023-01-01T00:00:00Z";
  expect(await served([rich.document, next()])).toBe(2);
});
