/**
 * Whether the check has found damage in a shard in PostgreSQL. It is recorded in the data folder, for the processes of
 * this installation: other installations check the shard themselves.
 */

import type { Awaitable } from "../../domain/awaitable.ts";
import { DamageMarker } from "../damage-marker.ts";
import { type DamagedData, type DamagedShard, StoreError } from "../store.ts";
import type { Connection } from "./session.ts";

/** How often the record is looked at, at most. */
const LOOK_MS = 1000;
/** The same while the database cannot be asked whether the record is about this shard. */
const RETRY_MS = 5000;

const ADVICE =
  "restore the database from a backup, or ingest all records again into an empty schema";

export class DatabaseDamage {
  readonly #marker: DamageMarker;
  #damage: DamagedShard | undefined;
  #nextLook = 0;
  /** Concurrent requests share one look. */
  #looking: Promise<void> | undefined;

  /** `location` has no user and password. The database is asked for `tableNumber` only if something is recorded. */
  constructor(
    path: string,
    private readonly location: string,
    private readonly tableNumber: () => Promise<number>,
  ) {
    this.#marker = new DamageMarker(path, location, ADVICE);
  }

  /** What is recorded. */
  async read(): Promise<DamagedShard | undefined> {
    if (!this.#marker.exists) return undefined;
    return this.#marker.read({ location: this.location, table: await this.tableNumber() });
  }

  /** Throws DamagedShard if damage is recorded. */
  verify(): Awaitable<void> {
    const now = performance.now();
    if (now >= this.#nextLook && this.#marker.exists) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      return this.#looking.then(() => this.#refuse());
    }
    if (now >= this.#nextLook) {
      this.#damage = undefined;
      this.#nextLook = now + LOOK_MS;
    }
    this.#refuse();
  }

  /** Throws if this cannot be recorded for other processes. */
  async set(damage: readonly DamagedData[]): Promise<void> {
    this.#nextLook = 0;
    if (damage.length === 0) this.#marker.remove();
    else {
      // If the database is unavailable by now, the record is about every shard at this location.
      const table = await this.tableNumber().catch(() => undefined);
      const { location } = this;
      this.#nextLook = 0;
      this.#marker.write(table === undefined ? { location } : { location, table }, damage);
    }
  }

  #refuse(): void {
    if (this.#damage) throw this.#damage;
  }

  async #look(): Promise<void> {
    let pause = LOOK_MS;
    try {
      this.#damage = await this.read();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // Replicas may still serve it.
      this.#damage = this.#marker.read({ location: this.location });
      pause = RETRY_MS;
    }
    this.#nextLook = performance.now() + pause;
  }
}

/**
 * The number of one of its tables identifies a shard: if the schema is dropped and created again, it has another one. 0
 * if there is no shard.
 */
export async function readTableNumber(session: Pick<Connection, "rows">): Promise<number> {
  const [row] = await session.rows<{ table: number }>(
    `SELECT coalesce(to_regclass('{format}')::oid, 0)::bigint::float8 AS "table"`,
  );
  return row!.table;
}
