/** Stores hooks and how far each has come in the log of each shard. Several processes may use it. */

import { randomBase62 } from "../../access/key.ts";
import type { Database } from "../../access/key-database.ts";
import type { AccessTables } from "../../access/tables.ts";
import type { LogPosition } from "../../store/store.ts";
import { bigint, declareTable, integer, text } from "../../store/table.ts";

const HOOKS = declareTable("hooks", {
  columns: { id: text, created_at: bigint, version: bigint, state: text },
  key: ["id"],
  isChecked: false,
});

const LEASE = declareTable("hook_lease", {
  columns: { id: integer, owner: text, valid_until: bigint },
  key: ["id"],
  isChecked: false,
});

/** A separate file: it is written with every delivery. In PostgreSQL, instances without hooks can still open the keys. */
export const HOOK_TABLES: AccessTables = {
  name: "hooks",
  tables: [HOOKS, LEASE],
  rows: ["INSERT INTO {hook_lease} VALUES (1, '', 0)"],
  count: "SELECT count(*) AS hooks FROM {hooks}",
  file: "hooks.sqlite",
  // A delivery that is forgotten after a power failure is repeated.
  synchronous: "NORMAL",
  isReplaceable: true,
  ifDamaged: "restore it from a backup, or move it elsewhere and add the hooks again",
};

export interface NewHook {
  keyId: string;
  url: string;
  /** Empty: all that the key may read. */
  shards: readonly string[];
  /** Only changes of matches with one of these players. Empty: all changes. */
  players: readonly string[];
}

export type PausedBy = "operator" | "failures";

export interface Hook extends NewHook {
  id: string;
  createdAt: number;
  secret: string;
  /** After a rotation it signs as well, until this time. */
  previousSecret: string | null;
  previousUntil: number | null;
  pausedBy: PausedBy | null;
  pausedAt: number | null;
  /** By shard. */
  progress: HookProgress[];
}

/** How far a hook has come in the log of a shard. */
export interface HookProgress {
  shard: string;
  /** Everything up to here was delivered. */
  cursor: LogPosition;
  /** Whether changes before the cursor were lost, which the next delivery reports. */
  isGap: boolean;
  /** The batch after the cursor that is being delivered: a retry repeats it. */
  batch: HookBatch | null;
  /** Failed attempts to deliver it. */
  attempts: number;
  failingSince: number | null;
  /** 0: at once. */
  nextAttempt: number;
  lastResult: string | null;
  lastAt: number | null;
}

export interface HookBatch {
  id: string;
  end: LogPosition;
  startedAt: number;
  /** When its first change was committed. Without changes, when it was made. */
  oldest: number;
}

export type Positions = ReadonlyMap<string, LogPosition>;

const NO_FAILURES = { attempts: 0, failingSince: null, nextAttempt: 0 };

/** After everything up to a position was delivered, or is not to be. */
export const reached = (cursor: LogPosition, isGap = false) => ({
  ...NO_FAILURES,
  cursor,
  isGap,
  batch: null,
});

/** At a position, with nothing delivered or failed. */
const startAt = (shard: string, cursor: LogPosition): HookProgress => ({
  shard,
  ...reached(cursor),
  lastResult: null,
  lastAt: null,
});

interface Row {
  id: string;
  version: number;
  /** The rest of the hook, as JSON. */
  state: string;
}

/** What another process has changed meanwhile is not overwritten: each change is made to the newest version. */
export class HookStore {
  constructor(private readonly database: Database) {}

  /** Oldest first. Without tables there are none, and none are created. */
  async list(): Promise<Hook[]> {
    return (await this.database.exists()) ? (await this.#rows("", [])).map(hookIn) : [];
  }

  /** The hook begins after these positions. */
  async add(wanted: NewHook, secret: string, positions: Positions, now: number): Promise<Hook> {
    const hook: Hook = {
      ...wanted,
      id: `h_${randomBase62(10)}`,
      createdAt: now,
      secret,
      previousSecret: null,
      previousUntil: null,
      pausedBy: null,
      pausedAt: null,
      progress: Array.from(positions, ([shard, cursor]) => startAt(shard, cursor)),
    };
    await this.database.transaction((connection) =>
      connection.run(
        "INSERT INTO {hooks} (id, created_at, version, state) VALUES ($1, $2, 0, $3)",
        [hook.id, now, stateOf(hook)],
      ),
    );
    return hook;
  }

  async remove(id: string): Promise<void> {
    await this.database.transaction((connection) =>
      connection.run("DELETE FROM {hooks} WHERE id = $1", [id]),
    );
  }

  /**
   * Makes a change, and again if another process was faster. False if the hook does not exist, or `change` returns
   * undefined.
   */
  async change(id: string, change: (hook: Hook) => Hook | undefined): Promise<boolean> {
    for (;;) {
      const [row] = await this.#rows("WHERE id = $1", [id]);
      const next = row && change(hookIn(row));
      if (!next) return false;
      // In a transaction, which also waits for the disk where a database does not by itself.
      const changed = await this.database.transaction((connection) =>
        connection.run(
          "UPDATE {hooks} SET version = version + 1, state = $1 WHERE id = $2 AND version = $3",
          [stateOf(next), id, row.version],
        ),
      );
      if (changed > 0) return true;
    }
  }

  /**
   * Changes the progress in a shard, and returns it. Undefined if it is not as `before` any more: the hook was
   * removed, or delivered by another instance; for a failure, also if it was resumed or has failed again; for a new batch, if
   * the hook is paused.
   */
  async advance(
    id: string,
    before: HookProgress,
    changes: Partial<HookProgress>,
  ): Promise<HookProgress | undefined> {
    let next: HookProgress | undefined;
    const isChanged = await this.change(id, (hook) => {
      const present = hook.progress.find(({ shard }) => shard === before.shard);
      if (!present || present.batch?.id !== before.batch?.id) return undefined;
      if (!isSame(present.cursor, before.cursor)) return undefined;
      if (before.batch === null && changes.batch && hook.pausedBy !== null) return undefined;
      const isFailure = changes.attempts !== undefined && changes.attempts > 0;
      const isAsBefore =
        present.attempts === before.attempts && present.failingSince === before.failingSince;
      if (isFailure && !isAsBefore) return undefined;
      next = { ...present, ...changes };
      return withProgress(hook, next);
    });
    return isChanged ? next : undefined;
  }

  /** False if it is paused already, or does not exist. */
  pause(id: string, by: PausedBy, now: number): Promise<boolean> {
    return this.change(id, (hook) =>
      hook.pausedBy === null ? { ...hook, pausedBy: by, pausedAt: now } : undefined,
    );
  }

  /** Begins after this position in a shard that the hook has not seen yet. */
  async addShard(id: string, shard: string, cursor: LogPosition): Promise<void> {
    await this.change(id, (hook) =>
      hook.progress.some((one) => one.shard === shard)
        ? undefined
        : withProgress(hook, startAt(shard, cursor)),
    );
  }

  /** Whether this owner now delivers, until a time: nobody else does, or their time is over. */
  async takeLease(owner: string, now: number, until: number): Promise<boolean> {
    const changed = await this.database.run(
      "UPDATE {hook_lease} SET owner = $1, valid_until = $2 WHERE owner = $1 OR valid_until <= $3",
      [owner, until, now],
    );
    return changed > 0;
  }

  async releaseLease(owner: string): Promise<void> {
    await this.database.run("UPDATE {hook_lease} SET valid_until = 0 WHERE owner = $1", [owner]);
  }

  #rows(condition: string, values: readonly unknown[]): Promise<Row[]> {
    return this.database.rows<Row>(
      `SELECT id, CAST(version AS double precision) AS version, state FROM {hooks}
       ${condition} ORDER BY created_at, id`,
      values,
    );
  }
}

/** Continues at once, also after failures. */
export const resumed = (hook: Hook): Hook => ({
  ...hook,
  pausedBy: null,
  pausedAt: null,
  progress: hook.progress.map((one) => ({ ...one, ...NO_FAILURES })),
});

/** In the order of the shards. */
function withProgress(hook: Hook, progress: HookProgress): Hook {
  const others = hook.progress.filter(({ shard }) => shard !== progress.shard);
  const all = [...others, progress].sort((one, other) => (one.shard < other.shard ? -1 : 1));
  return { ...hook, progress: all };
}

export const isSame = (one: LogPosition, other: LogPosition): boolean =>
  one.number === other.number && one.tag === other.tag;

const hookIn = ({ id, state }: Row): Hook => ({ ...JSON.parse(state), id });

const stateOf = ({ id: _, ...rest }: Hook): string => JSON.stringify(rest);

/** The current secret first. */
export const secretsOf = (
  { secret, previousSecret, previousUntil }: Hook,
  now: number,
): string[] =>
  previousSecret !== null && now < (previousUntil ?? 0) ? [secret, previousSecret] : [secret];
