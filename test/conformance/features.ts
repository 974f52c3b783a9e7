/**
 * What features add to the conformance suite. As in src/features/list.ts, one is gone without its file and its line here,
 * and the suite goes on without it.
 */

import type fc from "fast-check";
import type { Awaitable } from "../../src/domain/awaitable.ts";
import type { PlayerRow, Reader, StoredRow, Transaction } from "../../src/store/store.ts";
import type { TableShape } from "../../src/store/table.ts";
import type { Questions } from "./compared.ts";
import { heroes } from "./heroes.ts";
import { leaderboards } from "./leaderboards.ts";
import type { Contents } from "./model.ts";
import { nameSearch } from "./name-search.ts";
import type { Guarantee } from "./suite.ts";

type Rows<Row> = ReadonlyMap<string, Row>;
type Wishes<Wish> = Record<string, Wish>;
type State<Row> = { before: Contents; after: Contents; rows: Rows<Row> };

export interface FeaturePart<Row = unknown, Wish = unknown> {
  name: string;
  /** Its own ones, on a topic of its name. */
  guarantees?(guarantee: Guarantee): void;
  /** What it stores in a transaction, in rows by their keys. */
  stored?: {
    wishes: fc.Arbitrary<Wishes<Wish>>;
    after(before: Rows<Row>, wishes: Wishes<Wish>, players: Rows<PlayerRow>): Rows<Row>;
    carryOut(
      transaction: Transaction,
      ...change: [before: Rows<Row>, after: Rows<Row>, wishes: Wishes<Wish>]
    ): Awaitable<void>;
  };
  /** After a write, compares what readers find. */
  compare?(reader: Reader, state: State<Row>, about: Questions): Promise<void>;
  /** Compares the rows of tables. */
  compareRows?(rows: Rows<Row>, stored: (table: TableShape) => Promise<StoredRow[]>): Promise<void>;
  /** Compares what a transaction finds. */
  compareTransaction?(
    transaction: Transaction,
    contents: Contents,
    about: Questions,
  ): Promise<void>;
}

export const FEATURES: readonly FeaturePart[] = [nameSearch, leaderboards, heroes];
