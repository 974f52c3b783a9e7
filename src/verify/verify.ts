/**
 * Verifies a shard: the checks of its store for damage, then everything that is derived from the records against a
 * rebuild by the rules of ingest. Reads in short steps, each in one consistent state. What seems wrong because of writes
 * between the steps is read again in one state before it is reported.
 */

import { type Checker, DamagedData } from "../store/store.ts";
import { verifyActors } from "./actors.ts";
import { verifyRecent } from "./boards.ts";
import type { Context, Note, Survey } from "./context.ts";
import { effectOf } from "./effects.ts";
import { verifyDependents, verifyEvidence, verifyVocabulary } from "./evidence.ts";
import { Expected } from "./expected.ts";
import { verifyPlayers, verifyTeams } from "./players.ts";
import { addBases, verifyRecords } from "./records.ts";

/** Something that is not as it was written, or not as the records say. */
export interface Finding {
  table: string;
  record: string;
  /** What is wrong, and what it affects. */
  detail: string;
}

export interface Findings {
  /** The first ones. */
  damage: Finding[];
  /** How many there are. */
  damaged: number;
  rows: number;
  /** Whether everything was compared with a rebuild from the records. */
  isComplete: boolean;
}

export interface VerifyOptions {
  /** The shard to which all records must belong. */
  shard: string;
  /** How many findings to keep. */
  limit: number;
  /** How many rows a step may read, about. */
  rows: number;
  /** Called with the rows so far, and the milliseconds of the last step; waits as long as the pace demands. */
  afterStep(rows: number, milliseconds: number): Promise<void>;
}

/** Verification ends when it has found this much: the shard has to be restored anyway. */
const MAX_DAMAGE = 10_000;

class TooMuchDamage extends Error {
  override name = "TooMuchDamage";
}

export class Verification {
  readonly findings: Findings = { damage: [], damaged: 0, rows: 0, isComplete: false };
  readonly #known = new Set<string>();

  constructor(private readonly options: VerifyOptions) {}

  /** Checksums, indexes and counts. */
  async check(checker: Checker): Promise<void> {
    await this.#untilTooMuch(async () => {
      for (let isLast = false; !isLast; ) {
        const began = performance.now();
        const step = await checker.check(this.options.rows);
        for (const damage of step.damage) this.#noteDamage(damage);
        isLast = step.isLast;
        await this.#afterStep(step.rows, began);
      }
    });
  }

  /** Everything that is derived from the records. A damaged record ends it: nothing can be rebuilt without it. */
  async rebuild(survey: Survey): Promise<void> {
    const expected = new Expected();
    const context: Context = {
      shard: this.options.shard,
      note: this.#note,
      rows: this.options.rows,
      survey,
      step: async (read) => {
        const began = performance.now();
        await this.#afterStep(await survey(read), began);
      },
    };
    try {
      await this.#untilTooMuch(async () => {
        await addBases(context, expected);
        await verifyRecords(context, expected);
        await verifyEvidence(context, expected);
        await verifyDependents(context, expected);
        await verifyVocabulary(context, expected);
        await verifyActors(context, expected);
        await verifyPlayers(context, expected);
        await verifyTeams(context);
        await verifyRecent(context, expected);
        this.findings.isComplete = true;
      });
    } catch (error) {
      if (!(error instanceof DamagedData)) throw error;
      this.#noteDamage(error);
    } finally {
      expected.close();
    }
  }

  async #untilTooMuch(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof TooMuchDamage)) throw error;
    }
  }

  async #afterStep(rows: number, began: number): Promise<void> {
    this.findings.rows += rows;
    await this.options.afterStep(this.findings.rows, performance.now() - began);
  }

  #noteDamage({ table, record }: DamagedData): void {
    this.#note(table, String(record), effectOf(table, record));
  }

  /** Each record of a table once: what else is wrong with it follows. */
  readonly #note: Note = (table, record, detail) => {
    const key = `${table} ${record}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    const { findings } = this;
    findings.damaged += 1;
    if (findings.damage.length < this.options.limit)
      findings.damage.push({ table, record, detail });
    if (findings.damaged >= MAX_DAMAGE) throw new TooMuchDamage();
  };
}
