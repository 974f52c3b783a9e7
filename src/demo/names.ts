/** Names of players and teams: several scripts, guests, unusual spaces. */

import type { Random } from "./random.ts";

/** How common names of each script are: Latin, Chinese, Japanese, Korean, Cyrillic. */
export type ScriptWeights = readonly [number, number, number, number, number];

const LONGEST = 16;
const PLAIN_NAMES = 300;

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
  const number = late ? random.int(10, 9_999) : random.pick(["", "", "", random.int(1, 999)]);
  const script = random.weighted(scripts);
  if (script === 4) return cut(capitalised(joined(random, CYRILLIC, 3, 5)) + number);
  if (script > 0) return joined(random, [CHINESE, KATAKANA, HANGUL][script - 1]!, least, 6);
  if (guests && random.chance(0.05)) return `Guest_${random.int(100_000_000, 999_999_999)}`;
  const invented = capitalised(joined(random, SYLLABLES, 3, 4));
  const animal = random.pick(SECOND);
  const style = random.unit();
  if (style < 0.45) return cut(random.pick(FIRST) + animal + number);
  if (style < 0.9) return cut(invented + number);
  if (style < 0.97) return cut(`${invented.toLowerCase()}_${animal}`);
  if (style < 0.99) return cut(`${invented} ${animal}`).trimEnd();
  // The game does not trim names, so a trailing space makes a different name.
  return `${(invented + number).slice(0, LONGEST - 1)} `;
}

/** The tag of a team: three to five letters. */
export const teamTag = (random: Random): string =>
  joined(random, [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"], 3, 5);

function joined(random: Random, from: readonly string[], least: number, most: number): string {
  return Array.from({ length: random.int(least, most) }, () => random.pick(from)).join("");
}

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const cut = (name: string): string => name.slice(0, LONGEST);
