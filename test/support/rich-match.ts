/** A match with extra data everywhere a record may have it. */

import type { JsonObject } from "../../src/domain/json.ts";
import { type Draft, draftOf } from "./drafts.ts";
import { aMatch, minutesAgo } from "./records.ts";

/** One value of every JSON type, and names that break careless code. */
const OPEN_SET: JsonObject = JSON.parse(`{
  "text": "two\\nlines, \\"quotes\\", \\\\ and \\u0000",
  "empty": "",
  "yes": true,
  "no": false,
  "nothing": null,
  "zero": 0,
  "decimal": 62.85,
  "tiny": 5e-324,
  "negative": -1,
  "list": [1, "two", null, [true, []], {"a": {}}],
  "emptyList": [],
  "object": {"*Item_Boots*": 2, "nested": {"deeper": [{"still": null}]}},
  "emptyObject": {},
  "名前": "値 👩‍🚀",
  "": "a name of no letters",
  "with space": 1,
  "a.b/c~d": 1,
  "10": "ten",
  "9": "nine",
  "-1": "minus one",
  "__proto__": {"polluted": true},
  "constructor": "text",
  "toString": null,
  "hasOwnProperty": 1,
  "toJSON": "text",
  "rawJSON": "text"
}`);

/** Player stats that already contain every computed value, so that nothing is added. */
const COMPLETE = {
  winStreak: 7,
  lossStreak: 0,
  lifetimeGold: 12.5,
  played: 9,
  wins: 8,
  played_ranked: 2,
};

/** Its resources have ids that begin with the id of the match. */
export function richMatch(id: string): Draft {
  const named = (name: string) => `${id}-${name}`;
  const to = (type: string, name: string) => ({ type, id: named(name) });
  const draft = draftOf(
    aMatch({
      id,
      createdAt: minutesAgo(30),
      rosters: [
        {
          members: [{ id: named("ann"), stats: COMPLETE }, { bot: true }],
          team: { id: named("team"), name: "TÄG" },
        },
        { members: [{ id: named("bob"), stats: COMPLETE }] },
      ],
    }),
  );
  const { match, document } = draft;
  const at = (type: string, name: string) => draft.at(`${type}/${named(name)}`);
  for (const { attributes } of [match, at("roster", "r0"), at("participant", "r0p0")]) {
    attributes.stats = { ...attributes.stats, ...OPEN_SET };
    attributes.extra = OPEN_SET;
  }
  Object.assign(match.attributes, { tags: ["a", { b: null }], flag: false });
  match.links = { self: "https://records.test/m" };
  match.meta = OPEN_SET;
  Object.assign(match.relationships, {
    assets: { data: [to("asset", "telemetry")], meta: { count: 1 } },
    rounds: { data: [to("round", "round1")] },
    spectators: { data: [to("participant", "spectator")] },
    previous: {
      data: { type: "match", id: "not-included" },
      links: { related: "https://records.test/p" },
    },
    empty: { data: [] },
    linksOnly: { links: { related: "https://records.test/l" } },
  });
  at("roster", "r0").meta = { seeded: true };
  at("participant", "r0p0").links = { self: "https://records.test/x" };
  at("participant", "r0p1").relationships = { owner: { data: to("player", "ann") } };

  const ann = at("player", "ann");
  ann.attributes.country = OPEN_SET;
  ann.attributes.stats = { ...ann.attributes.stats, ...OPEN_SET, elo_earned_season_4: 1500.5 };
  ann.meta = { verified: null };
  ann.relationships = {
    assets: { data: [] },
    badges: { data: [to("badge", "shared"), to("badge", "ann-only")] },
  };
  at("player", "bob").relationships = { badges: { data: [to("badge", "shared")] } };
  at("team", "team").attributes.founded = OPEN_SET;
  at("team", "team").relationships = { coach: { data: to("coach", "coach") } };

  document.included.push(
    {
      ...to("asset", "telemetry"),
      attributes: {
        URL: "https://records.test/t.json",
        contentType: "application/json",
        createdAt: "2020-01-01T00:00:00.000000+02:00",
        description: "",
        filename: "t.json",
        name: "telemetry",
      },
    },
    {
      ...to("round", "round1"),
      attributes: { number: 1 },
      relationships: {
        winner: { data: to("roster", "r0") },
        next: { data: to("round", "round2") },
      },
    },
    { ...to("round", "round2"), relationships: { match: { data: { type: "match", id } } } },
    {
      ...to("participant", "spectator"),
      attributes: { actor: "", anything: OPEN_SET },
      relationships: { player: { data: to("player", "eve") } },
    },
    {
      ...structuredClone(at("player", "bob")),
      id: named("eve"),
      relationships: { seat: { meta: { row: 1 } } },
    },
    { ...to("badge", "shared"), attributes: { colour: "gold" } },
    {
      ...to("badge", "ann-only"),
      attributes: {},
      relationships: { from: { data: to("season", "season") } },
    },
    { ...to("season", "season"), meta: { year: 2026 } },
    { ...to("coach", "coach"), links: { self: "https://records.test/c" } },
  );
  return draft;
}
