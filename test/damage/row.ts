/** What the rows of the table of damage are made of. */

import type { Transaction } from "../../src/store/store.ts";
import type { Damage, Kind, NewValues, Which } from "../support/engine.ts";

/** A change through the store, so that all checksums are right. */
export type Harm = (state: Transaction) => unknown;

export type Columns = [
  what: string,
  damage: Damage[],
  found: RegExp,
  quick: "quick" | "full",
  shown: "shown" | "hidden",
  digest: "refused" | "other" | "same",
  lost: number,
];

/** A row is whole, but not as the records say. */
export type Unlike = [what: string, harm: Harm, found: RegExp];

export const change = (kind: Kind, which: Which, to: NewValues): Damage[] => [
  { change: kind, which, to },
];
export const remove = (kind: Kind, which?: Which): Damage[] => [
  { remove: kind, ...(which === undefined ? {} : { which }) },
];

/** A player of the shard. */
export const ADA = "player-0";
