/** Stores hooks and how far each has come in the log of each shard. Several processes may use it. */

import { randomBase62 } from "../access/key.ts";
import type { Connection, Database } from "../access/key-database.ts";
import { decodeLogCursor, encodeLogCursor } from "../features/changes/cursor.ts";
import type { LogPosition } from "../store/store.ts";

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

const number = (column: string, name: string) => `CAST(${column} AS double precision) AS "${name}"`;

const COLUMNS = [
  "hooks.id",
  'key_id AS "keyId"',
  "url",
  "shards",
  "players",
  number("created_at", "createdAt"),
  "secret",
  'previous_secret AS "previousSecret"',
  number("previous_until", "previousUntil"),
  'paused_by AS "pausedBy"',
  number("paused_at", "pausedAt"),
  "shard",
  'position AS "cursor"',
  number("is_gap", "isGap"),
  'batch_id AS "batchId"',
  'batch_end AS "batchEnd"',
  number("batch_started_at", "batchStartedAt"),
  number("batch_oldest", "batchOldest"),
  number("attempts", "attempts"),
  number("failing_since", "failingSince"),
  number("next_attempt", "nextAttempt"),
  'last_result AS "lastResult"',
  number("last_at", "lastAt"),
].join(", ");

/** A hook joined with its progress in a shard; the shard is null if there is none. */
interface Row
  extends Omit<Hook, "shards" | "players" | "progress">,
    Omit<HookProgress, "shard" | "cursor" | "isGap" | "batch"> {
  shards: string;
  players: string;
  shard: string | null;
  cursor: string;
  isGap: number;
  batchId: string | null;
  batchEnd: string;
  batchStartedAt: number;
  batchOldest: number;
}

const BETWEEN_IDS = ",";
const NO_BATCH = "batch_id = NULL, batch_end = NULL, batch_started_at = NULL, batch_oldest = NULL";
const NO_FAILURES = "attempts = 0, failing_since = NULL, next_attempt = 0";

/** A batch that another process has finished or abandoned meanwhile is not changed. */
export class HookStore {
  constructor(private readonly database: Database) {}

  /** Whether the tables exist. Creates nothing. */
  exists(): Promise<boolean> {
    return this.database.exists();
  }

  /** Oldest first. */
  list(): Promise<Hook[]> {
    return hooksIn(this.database, "", []);
  }

  find(id: string): Promise<Hook | undefined> {
    return find(this.database, id);
  }

  /** The hook begins after these positions. */
  add(wanted: NewHook, secret: string, positions: Positions, now: number): Promise<Hook> {
    const id = `h_${randomBase62(10)}`;
    return this.database.transaction(async (connection) => {
      await connection.run(
        `INSERT INTO {hooks} (id, key_id, url, shards, players, created_at, secret)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [
          id,
          wanted.keyId,
          wanted.url,
          wanted.shards.join(BETWEEN_IDS),
          wanted.players.join(BETWEEN_IDS),
          now,
          secret,
        ],
      );
      await place(connection, id, positions);
      return (await find(connection, id))!;
    });
  }

  /** False if it is paused already, or does not exist. */
  async pause(id: string, by: PausedBy, now: number): Promise<boolean> {
    const changed = await this.database.transaction((connection) =>
      connection.run(
        "UPDATE {hooks} SET paused_by = $1, paused_at = $2 WHERE id = $3 AND paused_by IS NULL",
        [by, now, id],
      ),
    );
    return changed > 0;
  }

  /** Continues at once, also after failures. */
  resume(id: string): Promise<void> {
    return this.database.transaction(async (connection) => {
      await connection.run("UPDATE {hooks} SET paused_by = NULL, paused_at = NULL WHERE id = $1", [
        id,
      ]);
      await connection.run(`UPDATE {hook_shards} SET ${NO_FAILURES} WHERE hook_id = $1`, [id]);
    });
  }

  /** The secret that was valid before signs as well, until a time. */
  async rotateSecret(id: string, secret: string, previousUntil: number): Promise<void> {
    await this.database.transaction((connection) =>
      connection.run(
        "UPDATE {hooks} SET previous_secret = secret, previous_until = $1, secret = $2 WHERE id = $3",
        [previousUntil, secret, id],
      ),
    );
  }

  remove(id: string): Promise<void> {
    return this.database.transaction(async (connection) => {
      await connection.run("DELETE FROM {hook_shards} WHERE hook_id = $1", [id]);
      await connection.run("DELETE FROM {hooks} WHERE id = $1", [id]);
    });
  }

  /** Continues after these positions, with new batches. */
  replay(id: string, positions: Positions): Promise<void> {
    return this.database.transaction((connection) => place(connection, id, positions));
  }

  /** Begins after this position in a shard that the hook has not seen yet. */
  async addShard(id: string, shard: string, cursor: LogPosition): Promise<void> {
    await this.database.run(
      `INSERT INTO {hook_shards} (hook_id, shard, position) SELECT id, $1, $2 FROM {hooks} WHERE id = $3
       ON CONFLICT (hook_id, shard) DO NOTHING`,
      [shard, encodeLogCursor(cursor), id],
    );
  }

  /** False if the hook is paused, removed or replayed. */
  async startBatch(
    id: string,
    { shard, cursor }: Pick<HookProgress, "shard" | "cursor">,
    batch: HookBatch,
  ): Promise<boolean> {
    const changed = await this.database.run(
      `UPDATE {hook_shards} SET batch_id = $1, batch_end = $2, batch_started_at = $3, batch_oldest = $4
       WHERE hook_id = $5 AND shard = $6 AND position = $7 AND batch_id IS NULL
         AND EXISTS (SELECT 1 FROM {hooks} AS hooks WHERE hooks.id = $5 AND paused_by IS NULL)`,
      [
        batch.id,
        encodeLogCursor(batch.end),
        batch.startedAt,
        batch.oldest,
        id,
        shard,
        encodeLogCursor(cursor),
      ],
    );
    return changed > 0;
  }

  /** Moves the cursor without a delivery. A batch in flight is abandoned. False if it has moved already. */
  async move(
    id: string,
    { shard, cursor, batch }: Pick<HookProgress, "shard" | "cursor" | "batch">,
    to: LogPosition,
    isGap: boolean,
  ): Promise<boolean> {
    const changed = await this.database.run(
      `UPDATE {hook_shards} SET position = $1, is_gap = $2, ${NO_BATCH}, ${NO_FAILURES}
       WHERE hook_id = $3 AND shard = $4 AND position = $5 AND COALESCE(batch_id, '') = $6`,
      [encodeLogCursor(to), isGap ? 1 : 0, id, shard, encodeLogCursor(cursor), batch?.id ?? ""],
    );
    return changed > 0;
  }

  /** Moves the cursor to the end of a batch. False if it was replayed or removed meanwhile. */
  async delivered(
    id: string,
    shard: string,
    batchId: string,
    result: string,
    now: number,
  ): Promise<boolean> {
    const changed = await this.database.run(
      `UPDATE {hook_shards} SET position = batch_end, is_gap = 0, ${NO_BATCH}, ${NO_FAILURES},
         last_result = $1, last_at = $2
       WHERE hook_id = $3 AND shard = $4 AND batch_id = $5`,
      [result, now, id, shard, batchId],
    );
    return changed > 0;
  }

  /** False if the failures before this one (`before`) are not the stored ones: it was resumed or attempted meanwhile. */
  async failed(
    id: string,
    before: Pick<HookProgress, "shard" | "attempts" | "failingSince">,
    batchId: string,
    failure: Pick<HookProgress, "attempts" | "failingSince" | "nextAttempt" | "lastResult">,
    now: number,
  ): Promise<boolean> {
    const changed = await this.database.run(
      `UPDATE {hook_shards} SET attempts = $1, failing_since = $2, next_attempt = $3,
         last_result = $4, last_at = $5
       WHERE hook_id = $6 AND shard = $7 AND batch_id = $8 AND attempts = $9
         AND COALESCE(failing_since, 0) = $10`,
      [
        failure.attempts,
        failure.failingSince,
        failure.nextAttempt,
        failure.lastResult,
        now,
        id,
        before.shard,
        batchId,
        before.attempts,
        before.failingSince ?? 0,
      ],
    );
    return changed > 0;
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
}

async function place(connection: Connection, id: string, positions: Positions): Promise<void> {
  for (const [shard, position] of positions) {
    await connection.run(
      `INSERT INTO {hook_shards} (hook_id, shard, position) VALUES ($1, $2, $3)
       ON CONFLICT (hook_id, shard) DO UPDATE SET position = excluded.position, is_gap = 0,
         ${NO_BATCH}, ${NO_FAILURES}`,
      [id, shard, encodeLogCursor(position)],
    );
  }
}

async function find(connection: Connection, id: string): Promise<Hook | undefined> {
  return (await hooksIn(connection, "WHERE hooks.id = $1", [id]))[0];
}

/** One statement, so that hooks and their progress are consistent. */
async function hooksIn(
  connection: Connection,
  condition: string,
  values: readonly unknown[],
): Promise<Hook[]> {
  const rows = await connection.rows<Row>(
    `SELECT ${COLUMNS} FROM {hooks} AS hooks
       LEFT JOIN {hook_shards} AS progress ON progress.hook_id = hooks.id
     ${condition} ORDER BY created_at, hooks.id, shard`,
    values,
  );
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((ofHook) => {
    const row = ofHook[0]!;
    return {
      id: row.id,
      keyId: row.keyId,
      url: row.url,
      shards: idsIn(row.shards),
      players: idsIn(row.players),
      createdAt: row.createdAt,
      secret: row.secret,
      previousSecret: row.previousSecret,
      previousUntil: row.previousUntil,
      pausedBy: row.pausedBy,
      pausedAt: row.pausedAt,
      progress: ofHook.flatMap((one) => progressIn(one) ?? []),
    };
  });
}

function progressIn(row: Row): HookProgress | undefined {
  if (row.shard === null) return undefined;
  const batch = row.batchId === null ? null : batchIn(row, row.batchId);
  return {
    shard: row.shard,
    cursor: decodeLogCursor(row.cursor)!,
    isGap: row.isGap === 1,
    batch,
    attempts: row.attempts,
    failingSince: row.failingSince,
    nextAttempt: row.nextAttempt,
    lastResult: row.lastResult,
    lastAt: row.lastAt,
  };
}

const batchIn = (row: Row, id: string): HookBatch => ({
  id,
  end: decodeLogCursor(row.batchEnd)!,
  startedAt: row.batchStartedAt,
  oldest: row.batchOldest,
});

const idsIn = (text: string): string[] => (text === "" ? [] : text.split(BETWEEN_IDS));
