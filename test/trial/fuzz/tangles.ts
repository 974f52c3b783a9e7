/** Generates documents with problematic references: cycles, very many links, unknown targets, unlinked resources. */

import type { Json, JsonObject } from "../../../src/domain/json.ts";
import type { Chance } from "../../support/chance.ts";
import { strangeName, strangeText } from "./values.ts";

interface Linkable extends JsonObject {
  type: string;
  id: string;
}

/** Changes a document with a match in `data` and resources in `included` in place. */
export type Tangle = (document: { data: Linkable; included: Linkable[] }, chance: Chance) => void;

const reference = ({ type, id }: { type: string; id: string }): JsonObject => ({ type, id });

function link(from: Linkable, name: string, data: Json): void {
  from.relationships = { ...(from.relationships as JsonObject), [name]: { data } };
}

/** Resources of one type, each linked to the next. */
function chain(length: number, type = "asset"): Linkable[] {
  const resources = Array.from({ length }, (_, at): Linkable => ({ type, id: `${type}-${at}` }));
  resources.forEach((resource, at) => {
    const next = resources[at + 1];
    if (next) link(resource, "next", reference(next));
  });
  return resources;
}

const circle: Tangle = ({ data, included }, chance) => {
  const ring = chain(chance.between(1, 20));
  link(ring.at(-1)!, "next", reference(ring[0]!));
  link(chance.pick([data, ...included]), "ring", reference(ring[0]!));
  included.push(...ring);
};

const selfReference: Tangle = ({ data, included }, chance) => {
  const one = chance.pick([data, ...included]);
  link(one, chance.pick(["self", "rosters", "participants", "player", "team"]), reference(one));
};

export const crossReference: Tangle = ({ data, included }, chance) => {
  const all = [data, ...included];
  for (let times = chance.between(1, 5); times > 0; times--) {
    const names = ["back", "rosters", "participants", "player", "team", strangeName(chance)];
    const target = reference(chance.pick(all));
    link(chance.pick(all), chance.pick(names), chance.oneIn(2) ? target : [target]);
  }
};

export const dangling: Tangle = ({ data, included }, chance) => {
  const nowhere = {
    type: chance.pick(["roster", "player", "asset", ""]),
    id: strangeText(chance),
  };
  const name = chance.pick(["extra", "rosters", "participants", "player", "team"]);
  link(chance.pick([data, ...included]), name, chance.pick<Json>([nowhere, [nowhere], null, []]));
};

const otherMatch: Tangle = ({ data, included }, chance) => {
  const other = { ...structuredClone(data), id: chance.oneIn(3) ? data.id : `${data.id}-2` };
  included.push(other);
  link(chance.pick([data, ...included]), "rematch", reference(other));
};

const spareResources: Tangle = ({ data, included }, chance) => {
  const spare = structuredClone(chance.pick(included));
  spare.id = `${spare.id}-2`;
  if (chance.oneIn(2)) spare.attributes = { won: 1, name: null, stats: [], shardId: "eu" };
  included.push(spare);
  link(chance.pick([data, ...included]), "spare", reference(spare));
};

/** Many relationships on one resource. */
const crowd: Tangle = ({ data, included }, chance) => {
  const one = chance.pick([data, ...included]);
  const count = chance.pick([70, 200, 1000]);
  const crowded = Array.from({ length: count }, (_, at) => [
    `relation-${at}`,
    { data: reference(chance.pick(included)) },
  ]);
  one.relationships = { ...(one.relationships as JsonObject), ...Object.fromEntries(crowded) };
};

/** Many resources, all linked to the match. */
const entourage: Tangle = ({ data, included }, chance) => {
  const followers = chain(chance.pick([20, 100, 500]), chance.pick(["asset", "player", "team"]));
  for (const one of followers) {
    if (one.type === "player" || one.type === "team") one.attributes = { name: one.id };
  }
  link(data, "followers", followers.map(reference));
  included.push(...followers);
};

/** Every player links to the same long chain. */
const dragging: Tangle = ({ included }, chance) => {
  const dragged = chain(chance.pick([10, 50, 200]));
  for (const one of included.filter(({ type }) => type === "player")) {
    link(one, "drags", reference(dragged[0]!));
  }
  included.push(...dragged);
};

/** As many types as resources. */
const babel: Tangle = ({ data, included }, chance) => {
  const many = Array.from(
    { length: chance.pick([10, 300]) },
    (_, at): Linkable => ({
      type: `type-${at}`,
      id: `one-${at}`,
    }),
  );
  link(data, "babel", many.map(reference));
  included.push(...many);
};

export const TANGLES: readonly { weight: number; make: Tangle }[] = [
  { weight: 8, make: circle },
  { weight: 8, make: selfReference },
  { weight: 8, make: crossReference },
  { weight: 8, make: dangling },
  { weight: 6, make: otherMatch },
  { weight: 6, make: spareResources },
  { weight: 1, make: crowd },
  { weight: 1, make: entourage },
  { weight: 1, make: dragging },
  { weight: 1, make: babel },
];
