/**
 * Verifies a shard. First every row by its checksum, and the indexes, in short steps; that is a quick verification. Then the
 * shard is rebuilt from its records in a file that is thrown away, and all rows are compared.
 */

import { mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { openNewFile } from "../open-stores.ts";
import { orUndefined, rebuild, storedRows } from "../rebuild/rebuild.ts";
import { DECLARED } from "../store/all-tables/declared.ts";
import { unbuilt } from "../store/all-tables/derived.ts";
import { damagedCommits } from "../store/core/change-log.ts";
import type { Shards } from "../store/shards.ts";
import {
  type Damage,
  DamagedData,
  type StoredRow,
  type StoredState,
  type Writer,
} from "../store/store.ts";
import { isWhole, type Table, type TableShape } from "../store/table.ts";
import {
  CHANGES,
  type ChangeRow,
  DERIVED,
  DOCUMENTS,
  FINDINGS,
  PLAYER_BASE,
  RECORDS,
  REDACTIONS,
} from "../store/tables.ts";
import { differences } from "./differences.ts";
import { effectOf } from "./effects.ts";

export type Verified = Verification["verified"];

export interface VerifyOptions {
  quick: boolean;
  /** The share of the time that it may use, up to 1. */
  share: number;
  signal?: AbortSignal;
  /** How many findings to keep. */
  limit: number;
  /** The folder for the copy and the rebuilt shard, about twice the size of the shard. */
  scratch: string;
  onProgress?(rows: number): void;
}

/** Verification ends when it has found this much. */
const MAX_DAMAGE = 10_000;
/** A copy of the shard, the rebuilt one, and some more. */
const SPACE_FACTOR = 2.2;
const PREFIX = ".verify-";
/** The first work is not paced: a small shard is verified at once. */
const UNPACED_MS = 5000;

/** Undefined if there is no shard yet. Throws StoreError if it cannot be read at all. */
export async function verifyShard(
  shards: Pick<Shards, "existingWriter">,
  id: string,
  options: VerifyOptions,
): Promise<Verified | undefined> {
  const writer = await shards.existingWriter(id);
  if (!writer) return undefined;
  const verification = new Verification(id, writer, options);
  try {
    await verification.checkRows();
    if (!options.quick) await verification.compare();
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return verification.verified;
}

/** A quick verification of a shard that nobody else uses. Returns the first finding. */
export async function verifyRows(
  id: string,
  writer: Writer,
  onProgress = (_rows: number) => {},
): Promise<Damage | undefined> {
  const options = { quick: true, share: 1, limit: 1, scratch: "", onProgress };
  const verified = await verifyShard({ existingWriter: () => writer }, id, options);
  return verified?.damage[0];
}

/** It was aborted, or has found too much. */
class Enough extends Error {}

/** Damage there makes everything that is derived differ. */
const SOURCES: readonly TableShape[] = [RECORDS, DOCUMENTS, PLAYER_BASE, REDACTIONS];

class Verification {
  readonly verified = {
    rows: 0,
    /** How many findings there are; `damage` has the first ones. */
    damaged: 0,
    damage: [] as Damage[],
    /** Whether everything was compared with a rebuild. */
    isComplete: false,
    /** Why not, if it was not only a quick verification. */
    why: undefined as string | undefined,
  };
  readonly #known = new Set<string>();

  constructor(
    private readonly id: string,
    private readonly writer: Writer,
    private readonly options: VerifyOptions,
  ) {}

  /** Every row of every table, then the indexes. */
  async checkRows(): Promise<void> {
    for (const table of DECLARED) {
      await this.#orNote(async () => {
        for await (const rows of storedRows(this.#inSteps(), table)) this.#check(table, rows);
      });
    }
    await this.#orNote(() =>
      this.writer.survey(async (state) => {
        const found = await state.checkIndexes(this.options.limit);
        for (const { table, record } of found) this.#note(table, String(record));
      }),
    );
  }

  /** Against a rebuild. */
  async compare(): Promise<void> {
    const { verified, options } = this;
    if ([...this.#known].some((key) => SOURCES.some(({ name }) => key.startsWith(`${name} `)))) {
      verified.why = "records are damaged, so what is derived from them was not compared";
      return;
    }
    // Damage to its row was reported.
    const { bytes } = (await orUndefined(() => this.writer.counts())) ?? { bytes: 0 };
    const folder = makeScratch(options.scratch, bytes * SPACE_FACTOR);
    if (folder === undefined) {
      verified.why = `there is not enough space in ${options.scratch} to rebuild the shard (${Math.ceil((bytes * SPACE_FACTOR) / 1e6)} MB), so nothing was compared`;
      return;
    }
    try {
      await this.#orNote(() =>
        this.writer.surveyCopy(join(folder, "copy.db"), async (state) => {
          verified.isComplete = await this.#rebuildAndCompare(state, join(folder, "rebuilt.db"));
        }),
      );
      if (!verified.isComplete)
        verified.why ??= "the shard cannot be rebuilt because of this damage";
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async #rebuildAndCompare(state: StoredState, path: string): Promise<boolean> {
    const rebuilt = openNewFile(this.id, path);
    let isWhole = true;
    try {
      await rebuild(this.#paced(state), rebuilt, {
        shard: this.id,
        onDamage: (table, record) => {
          isWhole = false;
          this.#note(table, record);
        },
        onProgress: () => {},
      });
      if (!isWhole) return false;
      const built = await builtTables(state);
      await rebuilt.survey(async (expected) => {
        for (const table of DECLARED.filter((one) => built(one))) {
          for await (const record of differences(this.#paced(state), expected, table)) {
            this.#note(table.name, record);
          }
        }
      });
      return true;
    } finally {
      await rebuilt.close();
    }
  }

  #check(table: TableShape, rows: StoredRow[]): void {
    const declared = table as Table<StoredRow>;
    for (const row of rows) {
      if (!isWhole(declared, row)) this.#note(table.name, declared.label(row));
    }
    if (table !== CHANGES) return;
    for (const sequence of damagedCommits(rows as ChangeRow[]))
      this.#note(table.name, `${sequence}`);
  }

  /** Each step in a short transaction of its own. */
  #inSteps(): Pick<StoredState, "rows"> {
    return {
      rows: (table, range) =>
        this.#step(() => this.writer.survey(async (state) => state.rows(table, range))),
    };
  }

  /** The same state, read at the pace that is allowed. */
  #paced(state: StoredState): StoredState {
    return {
      ...state,
      rows: (table, range) => this.#step(async () => state.rows(table, range)),
      keys: (table, range) => this.#step(async () => state.keys(table, range)),
    };
  }

  #last = performance.now();
  #worked = 0;

  async #step<T>(read: () => Promise<T>): Promise<T> {
    const { share, signal, onProgress } = this.options;
    if (signal?.aborted) throw new Enough();
    const worked = performance.now() - this.#last;
    // Also at full speed, so that signals are noticed.
    this.#worked += worked;
    await Bun.sleep(this.#worked < UNPACED_MS ? 0 : worked / share - worked);
    this.#last = performance.now();
    const result = await read();
    if (Array.isArray(result)) this.verified.rows += result.length;
    onProgress?.(this.verified.rows);
    return result;
  }

  /** What cannot be read is a finding too. */
  async #orNote(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DamagedData)) throw error;
      this.#note(error.table, String(error.record));
    }
  }

  /** Each record of a table once. */
  #note(table: string, record: string): void {
    const key = `${table} ${record}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    const { verified, options } = this;
    verified.damaged += 1;
    const { damage } = verified;
    if (damage.length < options.limit)
      damage.push({ table, record, detail: effectOf(table, record) });
    if (verified.damaged >= MAX_DAMAGE) throw new Enough();
  }
}

/** Which tables are compared: not those that records say nothing about, nor one that is still being built. */
async function builtTables(state: StoredState): Promise<(table: TableShape) => boolean> {
  const left = [CHANGES.name, DERIVED.name, FINDINGS.name, ...(await state.run(unbuilt))];
  return ({ name }) => !left.includes(name);
}

/** A new folder. Removes those that killed processes have left. Undefined without enough space. */
function makeScratch(parent: string, bytes: number): string | undefined {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(parent)) {
    if (isAbandoned(name)) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const { bavail, bsize } = statfsSync(parent);
  if (bavail * bsize < bytes) return undefined;
  const folder = join(parent, `${PREFIX}${process.pid}-${crypto.randomUUID()}`);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

function isAbandoned(name: string): boolean {
  if (!name.startsWith(PREFIX)) return false;
  const pid = Number.parseInt(name.slice(PREFIX.length), 10);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
