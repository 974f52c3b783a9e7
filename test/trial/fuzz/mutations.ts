/** Damages documents: any node is replaced, dropped, duplicated, moved or renamed. */

import { isObject, type Json, type JsonObject } from "../../../src/domain/json.ts";
import type { Chance } from "../../support/chance.ts";
import { strangeName, strangeValue } from "./values.ts";

/** A location in a document: a member of an object or an item of a list. */
interface Place {
  parent: JsonObject | Json[];
  at: string | number;
}

/** Damages a document in place, at one location or several. */
export function damage(document: JsonObject, chance: Chance): void {
  for (let times = chance.pick([1, 1, 1, 2, 3, 8]); times > 0; times--) {
    damageOnce(document, chance);
  }
}

export function damageOnce(document: JsonObject, chance: Chance): void {
  const place = somePlace(document, chance);
  if (place) chance.weigh(DAMAGES).make(place, document, chance);
}

type Damage = (place: Place, document: JsonObject, chance: Chance) => void;

const replace: Damage = (place, _document, chance) => put(place, strangeValue(chance));

const drop: Damage = ({ parent, at }) => {
  if (Array.isArray(parent)) parent.splice(at as number, 1);
  else delete parent[at];
};

const double: Damage = ({ parent, at }, _document, chance) => {
  if (Array.isArray(parent)) parent.push(structuredClone(parent[at as number]!));
  else define(parent, strangeName(chance), structuredClone(parent[at]!));
};

const swap: Damage = (place, document, chance) => {
  const other = somePlace(document, chance);
  if (!other) return;
  // Copies: a node must not end up inside itself.
  const [one, two] = [structuredClone(get(place)), structuredClone(get(other))];
  put(place, two);
  put(other, one);
};

const rename: Damage = (place, document, chance) => {
  const { parent, at } = place;
  if (Array.isArray(parent)) return replace(place, document, chance);
  const value = parent[at]!;
  delete parent[at];
  define(parent, strangeName(chance), value);
};

const add: Damage = (place, _document, chance) => {
  const value = get(place);
  if (Array.isArray(value)) value.push(strangeValue(chance));
  else if (isObject(value)) define(value, strangeName(chance), strangeValue(chance));
  else put(place, strangeValue(chance));
};

/** Times, ids and words that are hardly wrong. */
const mistype: Damage = (place, _document, chance) => {
  const value = get(place);
  if (typeof value === "string") put(place, chance.mistyped(value, "0129-:TZ+. aA_"));
};

const wrap: Damage = (place) => put(place, [get(place)]);

const DAMAGES: readonly { weight: number; make: Damage }[] = [
  { weight: 6, make: replace },
  { weight: 3, make: drop },
  { weight: 2, make: double },
  { weight: 2, make: swap },
  { weight: 2, make: rename },
  { weight: 4, make: add },
  { weight: 3, make: mistype },
  { weight: 1, make: wrap },
];

/** Mostly deep nodes: damage near the top is always the same. */
function somePlace(document: JsonObject, chance: Chance): Place | undefined {
  let parent: JsonObject | Json[] = document;
  for (let stop = chance.oneIn(4) ? chance.between(1, 4) : chance.between(4, 6); ; stop--) {
    const names = placesIn(parent);
    if (names.length === 0) return undefined;
    const at = parent;
    const inner = names.filter((name) => isFull(get({ parent: at, at: name })));
    const place: Place = { parent, at: chance.pick(stop > 1 && inner.length > 0 ? inner : names) };
    const value = get(place);
    if (stop === 1 || !isFull(value)) return place;
    parent = value;
  }
}

function placesIn(parent: JsonObject | Json[]): (string | number)[] {
  return Array.isArray(parent) ? [...parent.keys()] : Object.keys(parent);
}

function isFull(value: Json): value is JsonObject | Json[] {
  return typeof value === "object" && value !== null && placesIn(value).length > 0;
}

const get = ({ parent, at }: Place): Json => (parent as JsonObject)[at]!;

function put({ parent, at }: Place, value: Json): void {
  if (Array.isArray(parent)) parent[at as number] = value;
  else define(parent, at as string, value);
}

/** Assigning to `__proto__` would not create a member. */
function define(object: JsonObject, name: string, value: Json): void {
  Object.defineProperty(object, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
