/** What a transaction has done so far. */

import type { GivenNumbers, NamedTable } from "../store.ts";

import { TransactionChanges } from "./change-log.ts";
import { RowNumbers } from "./row-numbers.ts";

export class TransactionState {
  readonly numbers: Record<NamedTable, RowNumbers>;
  /** The numbers of players and teams that were written or removed. */
  readonly changed = { players: new Set<number>(), teams: new Set<number>() };
  /** Rows added minus removed. */
  readonly added = { matches: 0, players: 0, teams: 0 };
  /** Names that players gained or lost. */
  readonly names = new Set<string>();
  readonly matches = new TransactionChanges();

  /** `given` are the numbers of players and teams of a shard that is rebuilt: nothing is logged. */
  constructor(readonly given?: GivenNumbers) {
    this.numbers = {
      players: new RowNumbers("players", given?.players),
      teams: new RowNumbers("teams", given?.teams),
    };
  }
}
