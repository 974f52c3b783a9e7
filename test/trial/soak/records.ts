/**
 * The records of a run: demo matches of one shard in order of time, some of which come late; players with unusual and
 * shared names among them; and other versions of records, which can replace them.
 */

import { demoDocuments } from "../../../src/demo/demo.ts";
import { attributesOf, key, linksOf, type Thing } from "../../model/record.ts";
import { NAMES } from "../../properties/histories.ts";
import type { Chance } from "../../support/chance.ts";

export const SHARD = "na";
const MODES = ["ranked", "casual", "private", "practice"];

/** The matches of thirty days. No day has as many as a prune removes in one transaction. */
export const MATCHES = 4500;

export class Records {
  readonly #documents: Generator<Thing>;
  readonly #late: Thing[] = [];
  /** How many have been taken. */
  taken = 0;

  constructor(
    private readonly chance: Chance,
    seed: number,
    until: number,
    readonly total = MATCHES,
  ) {
    const options = { matches: total, seed, until, shards: [SHARD] };
    this.#documents = demoDocuments(options) as Generator<Thing>;
  }

  /** The next ones. One of ten waits for a later call, and then comes out of order. */
  next(count: number): Thing[] {
    const found: Thing[] = [];
    for (let at = 0; at < count && this.taken < this.total; at++) {
      const { value, done } = this.#documents.next();
      if (done) break;
      this.taken += 1;
      const document = this.#renamed(value);
      if (this.chance.oneIn(10)) this.#late.push(document);
      else found.push(document);
    }
    while (this.#late.length > 12) {
      found.push(this.#late.splice(this.chance.below(this.#late.length), 1)[0]!);
    }
    return found;
  }

  #renamed(document: Thing): Thing {
    if (!this.chance.oneIn(4)) return document;
    const players = (document.included as Thing[]).filter(({ type }) => type === "player");
    if (players.length === 0) return document;
    // Others share it, and queries have to escape it.
    attributesOf(this.chance.pick(players)).name = this.chance.pick(NAMES);
    return document;
  }
}

/** The same match with another outcome. It keeps its time, so that a list does not show it twice. */
export function altered(document: Thing, chance: Chance): Thing {
  const { data, included } = structuredClone(document) as { data: Thing; included: Thing[] };
  const attributes = attributesOf(data);
  attributes.duration = Number(attributes.duration) + 1 + chance.below(100);
  if (chance.oneIn(2)) {
    for (const one of included.filter(({ type }) => type === "roster")) {
      attributesOf(one).won = attributesOf(one).won === "true" ? "false" : "true";
    }
  }
  if (chance.oneIn(3)) attributes.gameMode = chance.pick(MODES);
  const players = included.filter(({ type }) => type === "player");
  if (chance.oneIn(3) && players.length > 1) {
    const gone = chance.pick(players);
    const seat = included.find((one) => linksOf(one, "player").some(({ id }) => id === gone.id))!;
    delete seat.relationships;
    return { data, included: included.filter((one) => key(one) !== key(gone)) };
  }
  return { data, included };
}
