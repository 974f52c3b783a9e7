/**
 * The state that a reader's connection looks at. Beginning and ending a read takes
 * longer than most look-ups, so one state serves for a turn of the event loop: everything that was
 * asked by its beginning is answered from a state that is not older than the question.
 */

import type { Database, Statement } from "bun:sqlite";

/** How many commits there were in this process: they must be seen at once, within a turn too. */
let commits = 0;

export function noteCommit(): void {
  commits += 1;
}

export class Snapshot {
  readonly #begin: Statement;
  readonly #end: Statement;
  readonly #version: Statement<{ data_version: number }, []>;
  readonly #onChange: () => void;
  #isOpen = false;
  #commits = -1;
  #seen = -1;

  /** `onChange` is called inside the snapshot, before anything else is read, if the file has changed. */
  constructor(database: Database, onChange: () => void) {
    this.#begin = database.prepare("BEGIN");
    this.#end = database.prepare("COMMIT");
    this.#version = database.prepare("PRAGMA data_version");
    this.#onChange = onChange;
  }

  /** To be called before every read. */
  enter(): void {
    if (this.#isOpen) {
      if (this.#commits === commits) return;
      this.leave();
    }
    this.#begin.run();
    this.#isOpen = true;
    this.#commits = commits;
    setImmediate(this.#leaveAfterTurn);
    const { data_version } = this.#version.get()!;
    if (data_version === this.#seen) return;
    this.#onChange();
    this.#seen = data_version;
  }

  leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#end.run();
  }

  readonly #leaveAfterTurn = () => this.leave();
}
