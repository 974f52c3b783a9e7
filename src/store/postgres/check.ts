/**
 * Looks for damage in a shard in PostgreSQL that reads cannot see: records that no list has, entries without a record.
 * Every step reads one snapshot, so that writes between the steps are never damage; what it finds must be in a second
 * snapshot too, because changes of tables are visible in older ones. It does not compare tables with their indexes,
 * which SQL cannot tell apart: pg_amcheck does.
 */

import { indexKeys } from "../../domain/similar-names.ts";
import { isDamage } from "../../postgres/errors.ts";
import { ACTOR_KEY_COLUMNS, type ActorRow, actorChecksum, actorLabel } from "../actor-rows.ts";
import { damagedRows, ROWS_AT_ONCE } from "../change-log.ts";
import {
  type BaseRow,
  baseChecksum,
  type MatchRow,
  matchChecksum,
  type NamedRow,
  type NamedTable,
  namedChecksum,
  type RecentRow,
  recentChecksum,
  snapshotChecksum,
  withheldChecksum,
} from "../row-checks.ts";
import { type RecordRow, someResult } from "../row-encoding.ts";
import type { CheckPurpose } from "../shards.ts";
import { type Checker, type CheckStep, DamagedData, StoreReplaced } from "../store.ts";
import { ACTOR_ROWS } from "./actors.ts";
import { RECENT_ROWS } from "./boards.ts";
import { logRowsFrom } from "./change-log.ts";
import { changeChecksum } from "./linked-resources.ts";
import { MATCH_COLUMNS, WITHHELD_ROWS } from "./matches.ts";
import { NAMED_ROWS } from "./named-rows.ts";
import { formatOf } from "./open.ts";
import { BASE_ROWS } from "./pruning.ts";
import { FORMAT } from "./schema.ts";
import {
  type Connection,
  IN_INDEX_ORDER,
  PATIENCE,
  type Patience,
  type PostgresTarget,
  Session,
} from "./session.ts";

/** Checks the next rows of a table. */
type Stage = (connection: Connection, limit: number) => Promise<{ rows: number; isOver: boolean }>;

const OVER = { rows: 0, isOver: true };

/** How far a pass is. */
interface Progress {
  stage: number;
  /** The last key that was read in this stage; undefined at its start. */
  after: Key | undefined;
  /** Rows by table. */
  counts: ReadonlyMap<string, number>;
}

type Key = readonly (string | number)[];

interface ShardRow {
  version: number;
  table: number;
  token: string;
  sequence: number;
  matches: number;
  players: number;
  teams: number;
}

/** The tables that list the matches of players and teams. */
const ENTRIES = {
  players: { name: "player_matches", of: "player", result: "result" },
  teams: { name: "team_matches", of: "team", result: "plays::integer" },
} as const;

/** Before every time and number. */
const LEAST = { time: Number.MIN_SAFE_INTEGER, num: -(2 ** 31) };

const IN_COMMAND = { patience: PATIENCE, settings: IN_INDEX_ORDER };

/** Ends statements that take much longer than they should: they cost the database more than a late finding. */
const IN_BACKGROUND: { patience: Patience; settings: Record<string, string> } = {
  patience: { readMs: 5000, writeMs: 10_000 },
  settings: {
    ...IN_INDEX_ORDER,
    max_parallel_workers_per_gather: "0",
    statement_timeout: "10s",
    idle_in_transaction_session_timeout: "10s",
  },
};

export class PostgresChecker implements Checker {
  readonly isRemote = true;
  readonly #stages: Stage[] = [
    this.#documents(),
    this.#listed(),
    this.#entries("players"),
    this.#entries("teams"),
    this.#named("players"),
    this.#named("teams"),
    this.#names(),
    this.#nameIndex(),
    this.#withheld(),
    this.#bases(),
    this.#actors(),
    this.#recent(),
    this.#changes(),
    this.#matchChanges(),
    this.#totals(),
  ];
  /** Everything that this pass has reported. */
  readonly #reported = new Set<string>();
  /** What the current step has found. */
  #found = new Map<string, DamagedData>();
  #progress: Progress = { stage: 0, after: undefined, counts: new Map() };
  #shard: ShardRow | undefined;
  /** Whether something was written since the first step, so that the counts cannot be compared. */
  #wasChanged = false;

  private constructor(private readonly session: Session) {}

  /** Undefined if there is no shard yet. Throws MigrationNeeded. */
  static async open(
    target: PostgresTarget,
    purpose: CheckPurpose,
  ): Promise<PostgresChecker | undefined> {
    const { patience, settings } = purpose === "background" ? IN_BACKGROUND : IN_COMMAND;
    const session = new Session({ ...target, pool: 1 }, patience, settings);
    try {
      if ((await formatOf(session)) !== undefined) return new PostgresChecker(session);
      await session.close();
      return undefined;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  async check(limit: number): Promise<CheckStep> {
    const before = this.#progress;
    let { rows, found } = await this.#step(limit);
    if (found.size > 0) {
      const first = found;
      this.#progress = before;
      ({ rows, found } = await this.#step(limit));
      for (const key of found.keys()) if (!first.has(key)) found.delete(key);
    }
    const damage = [...found].flatMap(([key, one]) => (this.#reported.has(key) ? [] : one));
    for (const key of found.keys()) this.#reported.add(key);
    return { rows, damage, isLast: this.#progress.stage === this.#stages.length };
  }

  /** Goes on from where the last step ended. */
  async #step(limit: number): Promise<{ rows: number; found: Map<string, DamagedData> }> {
    this.#found = new Map();
    const { rows, isOver } = await this.#inSnapshot((connection) =>
      this.#stages[this.#progress.stage]!(connection, limit),
    );
    if (isOver) {
      this.#progress = { ...this.#progress, stage: this.#progress.stage + 1, after: undefined };
    }
    return { rows, found: this.#found };
  }

  close(): Promise<void> {
    return this.session.close();
  }

  /** A page that cannot be read ends the stage. */
  async #inSnapshot<T>(read: (connection: Connection) => Promise<T>): Promise<T | typeof OVER> {
    try {
      return await this.session.transaction("REPEATABLE READ READ ONLY", async (connection) => {
        await this.#readShard(connection);
        return read(connection);
      });
    } catch (error) {
      const { cause, message } = error as Error;
      const damage = isDamage(cause) ? new DamagedData("file", message) : error;
      if (!(damage instanceof DamagedData)) throw error;
      this.#note(damage);
      return OVER;
    }
  }

  async #readShard(connection: Connection): Promise<void> {
    const { shown } = this.session.place;
    const [row] = await connection.rows<Omit<ShardRow, "token"> & { token: string | null }>(
      `SELECT version, format.tableoid::bigint::float8 AS "table", token, sequence::float8 AS sequence,
         matches::float8 AS matches, players::float8 AS players, teams::float8 AS teams
       FROM {format} AS format LEFT JOIN {shard} AS shard ON true`,
    );
    if (row?.version !== FORMAT) throw new StoreReplaced(`${shown} was migrated during the check`);
    if (row.token === null) throw new DamagedData("shard", "row 1");
    const shard: ShardRow = { ...row, token: row.token };
    const last = this.#shard ?? shard;
    if (row.table !== last.table) throw new StoreReplaced(`${shown} was replaced during the check`);
    this.#wasChanged ||= row.token !== last.token;
    this.#shard = shard;
  }

  #note(damage: DamagedData): void {
    const key = `${damage.table} ${damage.record}`;
    if (!this.#found.has(key)) this.#found.set(key, damage);
  }

  #damaged(table: string, record: string | number): void {
    this.#note(new DamagedData(table, record));
  }

  #counted(what: string): number {
    return this.#progress.counts.get(what) ?? 0;
  }

  #count(what: string, rows: number): void {
    const counts = new Map(this.#progress.counts).set(what, this.#counted(what) + rows);
    this.#progress = { ...this.#progress, counts };
  }

  /** Reads a table in the order of its key, from which the next step goes on. */
  #scan<Row>(
    name: string,
    sql: string,
    start: Key,
    keyOf: (row: Row) => Key,
    verify: (rows: Row[], connection: Connection) => void | Promise<void>,
  ): Stage {
    return async (connection, limit) => {
      const after = this.#progress.after ?? start;
      const rows = await connection.rows<Row>(`${sql} LIMIT ${limit}`, after);
      const last = rows.at(-1);
      const end = last === undefined ? after : keyOf(last);
      // Damage could lead the scan back to where it was.
      if (last !== undefined && !(await isAfter(end, after, connection))) {
        throw new DamagedData(name, "order");
      }
      await verify(rows, connection);
      this.#count(name, rows.length);
      this.#progress = { ...this.#progress, after: end };
      return { rows: rows.length, isOver: rows.length < limit };
    };
  }

  /** Every match is whole, and listed with its values; its players and teams list it. */
  #documents(): Stage {
    type Row = MatchRow & {
      listed_mode: string | null;
      listed_patch: string | null;
      snapshot: Uint8Array | null;
      snapshot_checksum: number | null;
    };
    const sql = `SELECT ${MATCH_COLUMNS}, listed.game_mode AS listed_mode,
        listed.patch_version AS listed_patch, listed.snapshot,
        listed.checksum::float8 AS snapshot_checksum
      FROM {match_documents} AS stored LEFT JOIN {matches} AS listed
        ON listed.created_at = stored.created_at AND listed.id = stored.id
      WHERE stored.id > $1 ORDER BY stored.id`;
    return this.#scan<Row>(
      "match_documents",
      sql,
      [""],
      ({ id }) => [id],
      async (rows, connection) => {
        for (const row of rows) {
          const isListed =
            row.game_mode === row.listed_mode &&
            row.patch_version === row.listed_patch &&
            row.snapshot !== null &&
            row.snapshot_checksum === snapshotChecksum(row.id, row.snapshot);
          if (!isListed) this.#damaged("matches", row.id);
        }
        const whole = rows.filter((row) => {
          const isWhole = row.checksum === matchChecksum(row);
          if (!isWhole) this.#damaged("match_documents", row.id);
          return isWhole;
        });
        await this.#entriesOf("players", whole, connection);
        await this.#entriesOf("teams", whole, connection);
      },
    );
  }

  async #entriesOf(
    of: NamedTable,
    matches: readonly MatchRow[],
    connection: Connection,
  ): Promise<void> {
    const table = ENTRIES[of];
    const nums: number[] = [];
    const times: number[] = [];
    const ids: string[] = [];
    const results: number[] = [];
    for (const match of matches) {
      someResult(match, of, (num, result) => {
        nums.push(num);
        times.push(match.created_at);
        ids.push(match.id);
        results.push(result);
        return false;
      });
    }
    this.#count(`${table.name} of matches`, nums.length);
    if (nums.length === 0) return;
    const missing = await connection.rows<{ match_id: string }>(
      `SELECT given.match_id
       FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::integer[])
         AS given (num, created_at, match_id, result)
       LEFT JOIN {${table.name}} AS entry ON entry.${table.of} = given.num
         AND entry.created_at = given.created_at AND entry.match_id = given.match_id COLLATE "C"
       WHERE entry.${table.result} IS DISTINCT FROM given.result`,
      [nums, times, ids, results],
    );
    for (const { match_id } of missing) this.#damaged(table.name, match_id);
  }

  /** Every listed match has a document. */
  #listed(): Stage {
    type Row = { id: string; created_at: number; is_right: boolean };
    const sql = `SELECT id, created_at::float8 AS created_at,
        EXISTS (SELECT 1 FROM {match_documents} AS stored
          WHERE stored.id = listed.id AND stored.created_at = listed.created_at) AS is_right
      FROM {matches} AS listed
      WHERE listed.created_at >= $1::bigint AND (listed.created_at, listed.id) > ($1::bigint, $2)
      ORDER BY listed.created_at, listed.id`;
    return this.#scan<Row>(
      "matches",
      sql,
      [LEAST.time, ""],
      (row) => [row.created_at, row.id],
      (rows) => {
        for (const { id, is_right } of rows) if (!is_right) this.#damaged("matches", id);
      },
    );
  }

  /** Every entry of a player or team leads to its match. */
  #entries(whose: NamedTable): Stage {
    const { name, of } = ENTRIES[whose];
    type Row = { num: number; created_at: number; match_id: string; is_right: boolean };
    const sql = `SELECT ${of} AS num, created_at::float8 AS created_at, match_id,
        EXISTS (SELECT 1 FROM {matches} AS listed
          WHERE listed.created_at = entry.created_at AND listed.id = entry.match_id) AS is_right
      FROM {${name}} AS entry
      WHERE ${of} >= $1::integer
        AND (${of}, entry.created_at, match_id) > ($1::integer, $2::bigint, $3)
      ORDER BY ${of}, entry.created_at, match_id`;
    return this.#scan<Row>(
      name,
      sql,
      [LEAST.num, LEAST.time, ""],
      (row) => [row.num, row.created_at, row.match_id],
      (rows) => {
        for (const { match_id, is_right } of rows) if (!is_right) this.#damaged(name, match_id);
      },
    );
  }

  #named(table: NamedTable): Stage {
    const sql = `${NAMED_ROWS[table]} WHERE num > $1 ORDER BY num`;
    return this.#scan<NamedRow>(
      table,
      sql,
      [LEAST.num],
      ({ num }) => [num],
      (rows) => {
        for (const row of rows)
          if (row.checksum !== namedChecksum(row)) this.#damaged(table, row.id);
      },
    );
  }

  /** Every current name is in the name index, under each of its keys. Reports ids, because names are personal data. */
  #names(): Stage {
    type Row = { name: string; id: string };
    const sql = `SELECT name, min(id) AS id FROM {players} AS players WHERE name > $1
      GROUP BY name ORDER BY name`;
    return this.#scan<Row>(
      "names",
      sql,
      [""],
      ({ name }) => [name],
      async (rows, connection) => {
        const entries = rows.flatMap(({ name, id }) =>
          indexKeys(name).map((key) => ({ key, name, id })),
        );
        this.#count("name_index of players", entries.length);
        const missing = await connection.rows<{ id: string }>(
          `SELECT given.id FROM unnest($1::text[], $2::text[], $3::text[]) AS given (key, name, id)
         LEFT JOIN {name_index} AS entry
           ON entry.key = given.key COLLATE "C" AND entry.name = given.name COLLATE "C"
         WHERE entry.key IS NULL`,
          [
            entries.map(({ key }) => key),
            entries.map(({ name }) => name),
            entries.map(({ id }) => id),
          ],
        );
        for (const { id } of missing) this.#damaged("name_index", id);
      },
    );
  }

  #nameIndex(): Stage {
    type Row = { key: string; name: string; is_right: boolean };
    const sql = `SELECT key, name,
        EXISTS (SELECT 1 FROM {players} AS player WHERE player.name = entry.name) AS is_right
      FROM {name_index} AS entry WHERE (key, name) > ($1, $2) ORDER BY key, name`;
    return this.#scan<Row>(
      "name_index",
      sql,
      ["", ""],
      ({ key, name }) => [key, name],
      (rows) => {
        if (rows.some(({ is_right }) => !is_right)) {
          this.#damaged("name_index", "a name without a player");
        }
      },
    );
  }

  #withheld(): Stage {
    type Row = RecordRow & { checksum: number | null };
    const sql = `${WITHHELD_ROWS} WHERE id > $1 ORDER BY id`;
    return this.#scan<Row>(
      "withheld",
      sql,
      [""],
      ({ id }) => [id],
      (rows) => {
        for (const row of rows) {
          if (row.checksum !== withheldChecksum(row)) this.#damaged("withheld", row.id);
        }
      },
    );
  }

  #bases(): Stage {
    return this.#scan<BaseRow>(
      "player_base",
      `${BASE_ROWS} WHERE id > $1 ORDER BY id`,
      [""],
      ({ id }) => [id],
      (rows) => {
        for (const row of rows) {
          if (row.checksum !== baseChecksum(row)) this.#damaged("player_base", row.id);
        }
      },
    );
  }

  #actors(): Stage {
    const key = ACTOR_KEY_COLUMNS.map((column) => `stats.${column}`);
    return this.#scan<ActorRow>(
      "actor_stats",
      `${ACTOR_ROWS} WHERE (${key}) > ($1, $2, $3, $4::smallint) ORDER BY ${key}`,
      ["", "", "", 0],
      (row) => [row.game_mode, row.patch_version, row.actor, row.is_pruned],
      (rows) => {
        for (const row of rows) {
          if (row.checksum !== actorChecksum(row)) this.#damaged("actor_stats", actorLabel(row));
        }
      },
    );
  }

  #recent(): Stage {
    return this.#scan<RecentRow>(
      "player_recent",
      `${RECENT_ROWS} WHERE id > $1 ORDER BY id`,
      [""],
      ({ id }) => [id],
      (rows) => {
        for (const row of rows) {
          if (row.checksum !== recentChecksum(row)) this.#damaged("player_recent", row.id);
        }
      },
    );
  }

  /** The change log, on which the caches of readers depend, has no gaps. */
  #changes(): Stage {
    type Row = Parameters<typeof changeChecksum>[0] & { sequence: number; checksum: number };
    return async (connection) => {
      const rows = await connection.rows<Row>(
        `SELECT sequence::float8 AS sequence, token, players, teams, checksum::float8 AS checksum
         FROM {changes} AS changes ORDER BY changes.sequence DESC`,
      );
      for (const [at, row] of rows.entries()) {
        const isRight =
          row.sequence === this.#shard!.sequence - at && row.checksum === changeChecksum(row);
        if (!isRight) this.#damaged("changes", row.sequence);
      }
      return { rows: rows.length, isOver: true };
    };
  }

  /** Each step begins with the last row of the one before: only within a step no rows can have been removed. */
  #matchChanges(): Stage {
    return async (connection) => {
      const [from] = (this.#progress.after ?? [0]) as [number];
      const rows = await logRowsFrom(connection, from, ROWS_AT_ONCE);
      for (const first of damagedRows(rows)) this.#damaged("match_changes", first);
      this.#progress = { ...this.#progress, after: [rows.at(-1)?.first ?? from] };
      return { rows: rows.length, isOver: rows.length < ROWS_AT_ONCE };
    };
  }

  /** As many rows as the shard says, and as many entries as the matches have. Only while nobody writes. */
  #totals(): Stage {
    return async () => {
      if (this.#wasChanged) return OVER;
      for (const name of ["matches", "players", "teams"] as const) {
        if (this.#shard![name] !== this.#counted(name)) this.#damaged("shard", `total of ${name}`);
      }
      const same = [
        ["match_documents", "matches"],
        ...Object.values(ENTRIES).map(({ name }) => [name, `${name} of matches`]),
        ["name_index", "name_index of players"],
      ] as [string, string][];
      for (const [one, other] of same) {
        if (this.#counted(one) !== this.#counted(other)) this.#damaged(one, "number of entries");
      }
      return OVER;
    };
  }
}

/** Whether a key comes after another one. The database has the last word on the order of texts. */
async function isAfter(one: Key, other: Key, connection: Connection): Promise<boolean> {
  const at = one.findIndex((value, index) => value !== other[index]);
  const [value, before] = [one[at], other[at]];
  if (value === undefined || before === undefined) return false;
  if (typeof value === "number" || typeof before === "number") return value > before;
  if (value > before) return true;
  const [row] = await connection.rows<{ isAfter: boolean }>(
    'SELECT $1::text COLLATE "C" > $2::text COLLATE "C" AS "isAfter"',
    [value, before],
  );
  return row!.isAfter;
}
