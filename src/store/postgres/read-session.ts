/**
 * Reads a shard of the current format or an earlier one, also while another process migrates it or,
 * on a replica, while the migration is replayed.
 */

import { isUndefined } from "../../postgres/errors.ts";
import { StoreUnavailable } from "../store.ts";
import { inFormat } from "./earlier-formats.ts";
import { readableFormat } from "./open.ts";
import { FORMAT } from "./schema.ts";
import {
  type Connection,
  IN_INDEX_ORDER,
  PATIENCE,
  type Patience,
  type PostgresTarget,
  Session,
} from "./session.ts";

/** How long an earlier format is assumed to be still there. A later one is there for good. */
const LOOK_AGAIN_MS = 1000;

export class ReadSession implements Connection {
  #format: number | undefined;
  #lookedAt = 0;

  constructor(private readonly session: Session) {}

  get place() {
    return this.session.place;
  }

  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.#read((format) => this.session.rows<Row>(inFormat(text, format), values));
  }

  run(text: string, values?: readonly unknown[]): Promise<number> {
    return this.session.run(text, values);
  }

  /** Runs `work` on one state of the shard. It may run twice. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#read((format) =>
      this.session.transaction("REPEATABLE READ READ ONLY", (connection) =>
        work({
          rows: (text, values) => connection.rows(inFormat(text, format), values),
          run: (text, values) => connection.run(text, values),
        }),
      ),
    );
  }

  close(): Promise<void> {
    return this.session.close();
  }

  /** If tables or columns are missing, somebody may have migrated the shard. */
  async #read<T>(read: (format: number) => Promise<T>): Promise<T> {
    const format = this.#isRecent() ? this.#format! : await this.#look();
    try {
      return await read(format);
    } catch (error) {
      if (!isUndefined((error as Error).cause)) throw error;
      const now = await this.#look();
      if (now === format) throw error;
      return read(now);
    }
  }

  #isRecent(): boolean {
    if (this.#format === undefined || this.#format === FORMAT) return this.#format === FORMAT;
    return performance.now() - this.#lookedAt < LOOK_AGAIN_MS;
  }

  async #look(): Promise<number> {
    // Concurrent reads continue with the format that is known.
    this.#lookedAt = performance.now();
    const format = await readableFormat(this.session);
    if (format === undefined) {
      throw new StoreUnavailable(`${this.place.shown} does not contain a shard yet`);
    }
    this.#format = format;
    return format;
  }
}

export const sessionForReading = (
  target: PostgresTarget,
  patience: Patience = PATIENCE,
): ReadSession => new ReadSession(new Session(target, patience, IN_INDEX_ORDER, true));
