/** Unusual records for the browser tests: coded names, names of any direction, markup, very many and very few players. */

import type { JsonObject } from "../../src/domain/json.ts";
import { aMatch, type MatchDocument, type MatchIn, type MemberIn } from "../support/records.ts";

/** Changes the title if a page treats a name as markup. */
export const MARKUP = `<img src=x onerror="document.title='hacked'">`;

export const CODED = "match-coded";
export const HOSTILE = "match-hostile";
export const UNEVEN = "match-uneven";
export const SPARE = "match-spare";
export const SIX = "match-six";

/** Reverses what follows, unless it is isolated; the second character would end the isolated part. */
export const OVERRIDE = "\u202eevil\u2069\u202e";

/** Stats of the first participant of the first roster. */
const FULL_STATS = {
  kills: 7,
  deaths: 1,
  assists: 12,
  gold: 16_844.25,
  farm: 62.85,
  crystalMineCaptures: 2,
  level: 30,
  skillTier: 29,
  skinKey: "Hero009_Festival",
  items: ["*Item_SprintBoots*", "Storm Prism", "Storm Prism"],
  itemGrants: { "*Item_SprintBoots*": 2 },
  wentAfk: true,
  firstAfkTime: 95,
  jungleKills: 4,
  moonPhase: "waning",
  omens: [{ crow: true }, 3],
};

export function oddRecords(): MatchDocument[] {
  return [coded(), hostile(), uneven(), spare(), six()];
}

function coded(): MatchDocument {
  const document = aMatch({
    id: CODED,
    mode: "casual_aral",
    ending: "surrender",
    winner: 1,
    rosters: [
      {
        members: [{ id: "ada", name: "Ada" }, { bot: true }],
        team: { id: "team-1", name: "TKJK" },
        attributes: {
          stats: { acesEarned: 1, gold: 41_000, side: "left/blue", turretKills: 3, weather: "fog" },
        },
      },
      {
        members: [{ id: "bo", name: "Bo" }],
        attributes: { stats: { acesEarned: 0, gold: 39_000, side: "right/red", turretKills: 5 } },
      },
    ],
    attributes: { season: "autumn" },
    relationships: {
      assets: { data: [{ type: "asset", id: "asset-1" }] },
      rounds: { data: [] },
    },
    included: [asset("asset-1", "https://telemetry.example/1.json")],
  });
  return withFirst(document, { actor: "*Hero009*", stats: FULL_STATS });
}

/** Markup wherever a record may contain text. */
function hostile(): MatchDocument {
  const document = aMatch({
    id: HOSTILE,
    patch: MARKUP,
    ending: MARKUP,
    rosters: [
      {
        members: [{ id: "eve", name: MARKUP }],
        team: { id: "team-2", name: MARKUP },
        attributes: { stats: { acesEarned: 0, gold: 1, side: MARKUP } },
      },
      { members: [{ id: "mallory", name: `${"x".repeat(255)}` }] },
    ],
    relationships: { assets: { data: [{ type: "asset", id: "asset-2" }] } },
    included: [asset("asset-2", "javascript:document.title='hacked'")],
  });
  return withFirst(document, {
    actor: MARKUP,
    stats: { ...FULL_STATS, items: [MARKUP], [MARKUP]: MARKUP },
  });
}

/** One against ten. */
function uneven(): MatchDocument {
  const ten: MemberIn[] = Array.from({ length: 10 }, (_, at) =>
    at % 2 === 0 ? { id: `crowd-${at}`, name: `Somebody_${at}` } : { bot: true },
  );
  const rosters: MatchIn["rosters"] = [{ members: [{ id: "ada", name: "Ada" }] }, { members: ten }];
  return aMatch({ id: UNEVEN, rosters });
}

/** Only what the API guarantees, and no winner. */
function spare(): MatchDocument {
  const rosters: MatchIn["rosters"] = [
    { members: [{ id: "ada", name: "Ada" }], attributes: { won: "false" } },
    { members: [], attributes: { won: "false" } },
  ];
  return withFirst(aMatch({ id: SPARE, patch: "", rosters }), {
    actor: "",
    stats: { assists: 0, crystalMineCaptures: 0, deaths: 0, farm: 0 },
  });
}

/** Six against six, with names from right to left, long, short and reversed. */
function six(): MatchDocument {
  const names = ["מלך_הסערה", OVERRIDE, "W".repeat(32), "العاصفة", "x", "Many words in one name"];
  const members = (side: string) => names.map((name, at) => ({ id: `${side}-${at}`, name }));
  return aMatch({
    id: SIX,
    rosters: [
      {
        members: members("left"),
        team: { id: "team-6", name: OVERRIDE },
        attributes: { stats: { acesEarned: 3, gold: 61_000, heroKills: 123, side: "left/blue" } },
      },
      {
        members: members("right"),
        attributes: { stats: { acesEarned: 2, gold: 59_000, heroKills: 108, side: "right/red" } },
      },
    ],
  });
}

function asset(id: string, url: string): JsonObject {
  const attributes = { URL: url, contentType: "application/json", name: "telemetry" };
  return { type: "asset", id, attributes };
}

/** Replaces the attributes of the first participant. */
function withFirst(document: MatchDocument, attributes: JsonObject): MatchDocument {
  const first = document.included.find(({ type }) => type === "participant");
  if (first) first.attributes = { shardId: "na", ...attributes };
  return document;
}
