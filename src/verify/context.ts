/** What the stages of a verification share. */

import type { StoredState } from "../store/store.ts";

export type Note = (table: string, record: string, detail: string) => void;

/** Reads a consistent state of the shard. */
export type Survey = <T>(read: (state: StoredState) => Promise<T>) => Promise<T>;

export interface Context {
  shard: string;
  note: Note;
  /** How many rows a step may read. */
  rows: number;
  /** Runs one step. It returns the number of rows that it has read. */
  step(read: (state: StoredState) => Promise<number>): Promise<void>;
  /** Reads without counting rows, to look again at what seems wrong. */
  survey: Survey;
}
