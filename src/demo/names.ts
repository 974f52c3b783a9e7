/** Names of players and teams: several scripts, guests, unusual spaces. */

import type { Random } from "./random.ts";

/** How common names of each script are: Latin, Chinese, Japanese, Korean, Cyrillic. */
export type ScriptWeights = readonly [number, number, number, number, number];

const LONGEST = 16;
const PLAIN_NAMES = 300;
const GUEST = "Guest_";

const words = (text: string): readonly string[] => text.split(" ");

const FIRST = words(
  "Silent Rusty Lucky Grim Tiny Mad Iron Frost Ember Dusk Sly Brave Lone Swift Salty Hollow Wild Pale Neon Turbo Sour Royal Feral Odd Dizzy Stone Amber Storm Shy Bold Cosmic Gentle Dark Sunny Crisp Vivid Sleepy Noble Rapid Misty",
);
const SECOND = words(
  "Otter Raven Badger Pixel Wolf Noodle Falcon Moth Tiger Cactus Panda Viper Knight Waffle Hunter Goblin Comet Shark Pirate Turnip Lynx Wizard Hornet Koala Reaper Mango Drake Sparrow Bandit Ferret Titan Kettle Phantom Beetle Heron Walrus Nomad Gecko Mantis Boar",
);
const SYLLABLES = words(
  "ka ri to mel vor an du shi nok ala zer bri ex qua lo fen tis ura mi yo dra pel sa gu hex rin jo val ty noc be lum cor wy ste ix ora kun fi zan",
);
const CYRILLIC = words(
  "во лк ми ша са ня дра кон ти гр ки ра но вик зло й бе лы ка тя ру сич мо роз сне г ар тем гро за ли са ви тя зь",
);
const CHINESE = [
  ..."风云雷火龙虎剑影夜月星光雪山海天地无名小大白黑青红狂孤独战神魔王者传说一刀千里清明寒冰落花流水醉梦江湖少年归来不败飞鱼熊猫饭团茶酒",
];
const KANJI = [..."桜月影狼竜剣侍空海雪花猫犬夜光風雷炎鬼神姫忍"];
const KATAKANA = [
  ..."アイカキクケコサシスセソタチツテトナニノハヒフヘマミムメモヤユラリルレロワンー",
];
const HANGUL = [..."가나다라마바사아자차카하별달빛용검신왕은하늘바람소리구름호랑이토끼곰불꽃나무"];

/**
 * A new name for the player with this number. The first players have short and plain names; later ones need more
 * characters or digits, or too many would share a name. Guests have not chosen a name yet, so `guests` is false for
 * a player who renames.
 */
export function playerName(
  random: Random,
  scripts: ScriptWeights,
  player: number,
  guests: boolean,
): string {
  const late = player >= PLAIN_NAMES;
  const least = late ? 4 : 3;
  switch (random.weighted(scripts)) {
    case 1:
      return characters(random, CHINESE, least, 6);
    case 2:
      return characters(random, KANJI, 0, 2) + characters(random, KATAKANA, least, 6);
    case 3:
      return characters(random, HANGUL, least, 6);
    case 4:
      return cut(capitalised(characters(random, CYRILLIC, 3, 5)) + digits(random, 0.5, late));
  }
  if (guests && random.chance(0.05)) return `${GUEST}${random.int(100_000_000, 999_999_999)}`;
  return latinName(random, late);
}

export function isGuest(name: string): boolean {
  return name.startsWith(GUEST);
}

/** The tag of a team: three to five characters. */
export function teamTag(random: Random): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const length = random.pick([3, 4, 4, 5, 5]);
  let tag = "";
  while (tag.length < length) tag += letters[random.int(0, 25)];
  return random.chance(0.1) ? tag.slice(0, -1) + random.int(0, 9) : tag;
}

function latinName(random: Random, late: boolean): string {
  const style = random.unit();
  if (style < 0.4) {
    return cut(random.pick(FIRST) + random.pick(SECOND) + digits(random, 0.7, late));
  }
  if (style < 0.85) return cut(invented(random) + digits(random, 0.4, late));
  if (style < 0.92) return cut(`${invented(random).toLowerCase()}_${random.pick(SECOND)}`);
  if (style < 0.97) return `x${invented(random).slice(0, 10)}${random.int(10, 999)}x`;
  if (style < 0.99) return cut(`${invented(random)} ${random.pick(SECOND)}`).trimEnd();
  // The game does not trim names, so a trailing space makes a different name.
  return `${(invented(random) + digits(random, 0.3, late)).slice(0, LONGEST - 1)} `;
}

function invented(random: Random): string {
  const name = characters(random, SYLLABLES, 3, 4);
  return random.chance(0.3) ? name : capitalised(name);
}

function characters(random: Random, from: readonly string[], least: number, most: number): string {
  let text = "";
  for (let left = random.int(least, most); left > 0; left--) text += random.pick(from);
  return text;
}

function digits(random: Random, probability: number, late: boolean): string {
  if (late) return String(random.int(10, 9_999));
  return random.chance(probability) ? String(random.int(1, random.pick([99, 999, 9_999]))) : "";
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function cut(name: string): string {
  return name.slice(0, LONGEST);
}
