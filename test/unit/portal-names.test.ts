/** The portal's readable names and formatted values. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyValue, compact, counted, durationText, share, tier } from "../../src/portal/format.ts";
import {
  endingName,
  heroName,
  itemName,
  modeName,
  playerName,
  sideName,
  skinName,
  statName,
} from "../../src/portal/names.ts";
import { scaled } from "../support/scale.ts";

const NAMING = {
  playerName,
  heroName,
  itemName,
  skinName,
  modeName,
  endingName,
  sideName,
  statName,
};

describe("readable names", () => {
  test.each([
    ["*Hero009*", "Hero 009"],
    ["*Ember*", "Ember"],
    ["*SAW*", "SAW"],
    ["*Le_Blanc*", "Le Blanc"],
    ["Ember", "Ember"],
    ["McAllister", "McAllister"],
    ["*", "*"],
    ["", "Unknown hero"],
    ["\u200b", "Unknown hero"],
    [null, "Unknown hero"],
  ])("hero %p", (code, name) => expect(heroName(code)).toBe(name));

  test.each([
    ["*Item_SprintBoots*", "Sprint Boots"],
    ["*Item_BulwarkofDawn*", "Bulwark of Dawn"],
    ["*Item_ProofStone*", "Proof Stone"],
    ["*Item_Tier2Blade*", "Tier 2 Blade"],
    ["Item_SprintBoots", "Sprint Boots"],
    ["Hunter's Oath", "Hunter's Oath"],
    ["*Item_*", "Item"],
    ["", "Unknown item"],
    [7, "Unknown item"],
  ])("item %p", (code, name) => expect(itemName(code)).toBe(name));

  test.each([
    ["Ivo_Festival", "*Ivo*", "Festival"],
    ["Ivo_DefaultSkin", "*Ivo*", "Default Skin"],
    ["Ivo_Festival", undefined, "Ivo Festival"],
    ["Ivo_Festival", "*Lumora*", "Ivo Festival"],
    ["Ivo_", "*Ivo*", "Ivo"],
    [undefined, "*Ivo*", "Default skin"],
  ])("skin %p of %p", (code, actor, name) => expect(skinName(code, actor)).toBe(name));

  test.each([
    ["ranked", "Ranked"],
    ["casual_aral", "Casual ARAL"],
    ["blitz_pvp_ranked", "Ranked blitz"],
    ["private_party_draft_match", "Private draft"],
    ["moon_pvp_match", "Moon PVP match"],
    ["constructor", "Constructor"],
    ["", "Unknown mode"],
  ])("mode %p", (code, name) => expect(modeName(code)).toBe(name));

  test.each([
    ["left/blue", "Blue side"],
    ["right/red", "Red side"],
    ["north", "North side"],
    ["left/", "Left/ side"],
    ["", "Unknown side"],
  ])("side %p", (code, name) => expect(sideName(code)).toBe(name));

  test.each([
    ["krakenCaptures", "Kraken captures"],
    ["firstAfkTime", "First AFK time"],
    ["elo_earned_season_4", "Elo earned season 4"],
    ["xp", "XP"],
    ["titleID", "Title ID"],
    ["URL", "URL"],
    ["*Item_SprintBoots*", "Sprint Boots"],
    ["Damage dealt", "Damage dealt"],
    ["surrender", "Surrender"],
  ])("key %p", (code, name) => expect(statName(code)).toBe(name));

  test("endings", () => {
    expect(endingName("surrender")).toBe("Surrender");
    expect(endingName("timeLimitReached")).toBe("Time limit reached");
  });

  test("no value leads to an empty name or an error", () => {
    const anything = fc.oneof(
      fc.anything(),
      fc.string({ unit: "binary" }),
      fc.stringMatching(/^[*_/ A-Za-z0-9]{0,8}$/),
    );
    fc.assert(
      fc.property(anything, anything, (code, actor) => {
        for (const [naming, name] of Object.entries(NAMING)) {
          const named = (name as (code: unknown, actor?: unknown) => string)(code, actor);
          if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(named)) throw new Error(`${naming}: ${named}`);
        }
      }),
      { numRuns: scaled(2000) },
    );
  });

  test("a player's name is never changed, only replaced if nothing in it is visible", () => {
    const names = ["*Hero009*", "Guest_740478124", " Ada ", "<b>", "\u2003\u200b", ""];
    expect(names.map(playerName)).toEqual([
      "*Hero009*",
      "Guest_740478124",
      " Ada ",
      "<b>",
      "Unnamed player",
      "Unnamed player",
    ]);
  });

  test("a readable name stays unchanged", () => {
    const plain = fc.stringMatching(/^[\p{L}][\p{L}' -]{0,20}$/u);
    fc.assert(
      fc.property(plain, (name) => {
        expect(heroName(name)).toBe(name);
        expect(itemName(name)).toBe(name);
      }),
    );
  });

  test("naming is idempotent", () => {
    const code = fc.stringMatching(/^\*(Item_)?[A-Za-z0-9]{1,12}\*$/);
    fc.assert(fc.property(code, (one) => expect(heroName(heroName(one))).toBe(heroName(one))));
  });
});

describe("formatted values", () => {
  test("show that a value is missing instead of a made-up number", () => {
    expect([
      durationText(undefined),
      compact(undefined),
      tier(undefined),
      share(3, undefined),
    ]).toEqual(["–", "–", "–", "–"]);
    expect(share(0, 0)).toBe("–");
  });

  test.each([
    [0, "0 s"],
    [59.9, "59 s"],
    [1200, "20 min"],
    [1702, "28 min 22 s"],
    [3_605, "1 h 5 s"],
    [-1, "–"],
  ])("%p seconds do not look like a time of the day", (seconds, shown) =>
    expect(durationText(seconds).replaceAll("\u00a0", " ")).toBe(shown),
  );

  test("singular and plural", () => {
    expect([counted(1, "win"), counted(0, "win"), counted(2, "loss", "losses")]).toEqual([
      "1 win",
      "0 wins",
      "2 losses",
    ]);
  });

  test.each([
    [true, "wentAfk", "Yes"],
    [-1, "firstAfkTime", "Never"],
    [90, "firstAfkTime", "1\u00a0min 30\u00a0s"],
    [-1, "skillTier", "Unranked"],
    [0, "skillTier", "Tier 0"],
    [62.853, "farm", "62.85"],
    ["", "note", "–"],
    [{ "*Item_SprintBoots*": 2, "*Item_Orb*": 1 }, "itemGrants", "Sprint Boots × 2, Orb × 1"],
    [[], "rounds", "None"],
    [[1, [2, { deep: "er" }]], "odd", "1, 2, Deep: er"],
    [null, "odd", "–"],
  ])("%p under %p", (value, key, text) => expect(anyValue(value, key)).toBe(text));

  test("every JSON value can be shown", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, key) => {
        expect(anyValue(value, key).length).toBeGreaterThan(0);
      }),
    );
  });
});
