/**
 * Turns codes in records into readable names: heroes, items, skins, sides, modes, endings and stat keys.
 * Records may hold anything, so every function accepts any value, never throws and never returns an empty
 * name. A name that is already readable stays unchanged.
 */

import { MODE_NAMES } from "../domain/modes.ts";

/** Words that are always written in capitals. */
const CAPITALS = new Set(["afk", "aral", "id", "ids", "kda", "pvp", "url", "xp"]);

const MODES: ReadonlyMap<string, string> = new Map(Object.entries(MODE_NAMES));

const ENDINGS: ReadonlyMap<string, string> = new Map([
  ["victory", "Victory"],
  ["surrender", "Surrender"],
  ["exitpractice", "Left practice"],
  ["notenoughplayers", "Not enough players"],
]);

/** Player names stay unchanged, unless nothing in them is visible. */
export const playerName = (name: unknown): string =>
  typeof name === "string" && !isBlank(name) ? name : "Unnamed player";

/** `*Hero009*` is "Hero 009". */
export const heroName = (actor: unknown): string => fromCode(actor, "Unknown hero");

/** `*Item_SprintBoots*` is "Sprint Boots". */
export const itemName = (item: unknown): string => fromCode(item, "Unknown item");

/** `Ivo_Festival` is "Festival" for the hero Ivo, and "Ivo Festival" elsewhere. */
export function skinName(skin: unknown, actor?: unknown): string {
  const words = fromCode(skin, "Default skin");
  if (typeof actor !== "string" || actor === "") return words;
  const hero = `${heroName(actor)} `;
  const rest = words.startsWith(hero) ? words.slice(hero.length) : words;
  return isBlank(rest) ? words : rest;
}

/** `casual_aral` is "Casual ARAL". */
export const modeName = (mode: unknown): string => known(MODES, mode, "Unknown mode");

/** `surrender` is "Surrender". */
export const endingName = (ending: unknown): string => known(ENDINGS, ending, "Unknown ending");

/** `left/blue` is "Blue side". */
export function sideName(side: unknown): string {
  if (typeof side !== "string" || isBlank(side)) return "Unknown side";
  const [, colour = ""] = side.split("/");
  const name = sentence(isBlank(colour) ? side : colour);
  return / side$/i.test(name) ? name : `${name} side`;
}

/** `krakenCaptures` is "Kraken captures". */
export function statName(key: unknown): string {
  if (typeof key !== "string" || isBlank(key)) return "Unnamed";
  return isCode(key) ? itemName(key) : sentence(key);
}

function known(names: ReadonlyMap<string, string>, code: unknown, fallback: string): string {
  if (typeof code !== "string" || isBlank(code)) return fallback;
  return names.get(code) ?? sentence(code);
}

/** A name between asterisks or with underscores is a code; any other is already readable. */
function fromCode(code: unknown, fallback: string): string {
  if (typeof code !== "string" || isBlank(code)) return fallback;
  if (!isCode(code) && !code.includes("_")) return code;
  const bare = code.replace(/^\*+|\*+$/g, "").replace(/^(?:Item|Hero|Actor)_(?=.)/i, "");
  const name = split(bare).join(" ");
  return isBlank(name) ? code : name;
}

/** In sentence case: "Kraken captures". */
function sentence(code: string): string {
  if (/\s/u.test(code)) return code;
  const words = split(code).map((word) => {
    if (CAPITALS.has(word.toLowerCase())) return word.toUpperCase();
    return /^[A-Z][a-z]+$/.test(word) ? word.toLowerCase() : word;
  });
  const text = words.join(" ");
  return isBlank(text) ? code : text.charAt(0).toUpperCase() + text.slice(1);
}

/** Splits at underscores, between lower and upper case, before digits and before a joined "of". */
function split(code: string): string[] {
  return code
    .replace(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ")
    .replace(/(?<=\p{L})(?=\d)|(?<=\d)(?=\p{Lu}\p{Ll})/gu, " ")
    .replace(/(?<=\p{Ll}{2})(?<!o)of(?= \p{Lu})/gu, " of")
    .split(/[\s_]+/u)
    .filter((word) => word !== "");
}

const isCode = (text: string): boolean => /^\*.*\*$/su.test(text);
/** Also true for invisible characters only, such as a zero-width space. */
const isBlank = (text: string): boolean => !/[\p{L}\p{N}\p{P}\p{S}]/u.test(text);
