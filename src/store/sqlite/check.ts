/**
 * Looks for damage in a shard's file that reads cannot see: rows that an index does not list, and entries without a
 * row. Every step compares rows and indexes in one snapshot, so that writes between the steps are never damage.
 *
 * An exact pass looks up each row in every index, and each entry in its table. A fast one leaves the indexes to SQLite's
 * own check, and adds up the checksums of the entries that rows need in other tables, and of those that are there. The
 * exact one follows if something was written meanwhile, which makes sums useless, or seems wrong: it names the records.
 */

import type { Database } from "bun:sqlite";
import { indexKeys } from "../../domain/similar-names.ts";
import { ACTOR_COLUMNS, type ActorRow, actorChecksum, actorLabel } from "../actor-rows.ts";
import { damagedRows, ROWS_AT_ONCE } from "../change-log.ts";
import { checksum } from "../checksum.ts";
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
import {
  type Checker,
  type CheckStep,
  DamagedData,
  StoreRefuses,
  StoreReplaced,
} from "../store.ts";
import { logRowsFrom } from "./change-log.ts";
import {
  ACTORS,
  BASES,
  ENTRIES,
  foundStatement,
  type Index,
  isListed,
  type Key,
  keyOf,
  LEAST,
  leadsToRow,
  MATCHES,
  NAMED,
  RECENT,
  type Scan,
  scanStatements,
  type Table,
  WITHHELD,
} from "./check-tables.ts";
import type { OpenedFile } from "./opened-file.ts";
import { NAMED_ROWS } from "./players.ts";
import { BASE_COLUMNS } from "./pruning.ts";
import { FORMAT } from "./schema.ts";
import { asReadError } from "./sqlite-errors.ts";
import { Statements } from "./statements.ts";
import { readShard } from "./totals.ts";

/** In a server. Small, because most pages are needed only once. */
const CACHED_KIB = 8 * 1024;

/** Entries looked up by one statement. */
const AT_ONCE = 64;

/** Checks the next rows of a table or an index. */
type Stage = (limit: number) => { rows: number; isOver: boolean };

/** Both find the same damage. Exact passes go in short steps; SQLite's own check is one long statement. */
export type Pass = "fast" | "exact";

interface Tally {
  rows: number;
  /** Of the checksums of entries. */
  sum: number;
}

const OVER = { rows: 0, isOver: true };

export class SqliteChecker implements Checker {
  readonly isRemote = false;
  readonly #statements: Statements;
  readonly #stages: Stage[];
  readonly #found = new Map<string, DamagedData>();
  /** By table and index. */
  readonly #tallies = new Map<string, Tally>();
  #version: number | undefined;
  /** Whether something was written since the first step, so that the counts cannot be compared. */
  #wasChanged = false;

  /** With `file`, the check ends when the file is replaced. */
  constructor(
    private readonly database: Database,
    private readonly file?: OpenedFile,
    private readonly pass: Pass = "fast",
  ) {
    this.#statements = new Statements(database);
    this.#stages = [...this.#tables(pass), this.#changes(), this.#matchChanges(), this.#compare()];
  }

  #tables(pass: Pass): Stage[] {
    const indexed = [MATCHES, NAMED.players, NAMED.teams, WITHHELD, BASES, ACTORS, RECENT];
    return [
      this.#matches(pass),
      this.#entries("players", pass),
      this.#entries("teams", pass),
      this.#named("players", pass),
      this.#named("teams", pass),
      this.#names(pass),
      this.#nameIndex(pass),
      this.#withheld(pass),
      this.#bases(pass),
      this.#actors(pass),
      this.#recent(pass),
      ...(pass === "exact" ? indexed.flatMap((table) => this.#indexes(table)) : []),
    ];
  }

  check(limit: number): CheckStep {
    const known = this.#found.size;
    const { rows, isOver } = this.#inSnapshot(() => this.#stages[0]!(limit));
    if (isOver) this.#stages.shift();
    // Damage of a file that is gone does not matter.
    if (this.file?.isReplaced()) {
      throw new StoreReplaced(`${this.database.filename} was replaced during the check`);
    }
    const damage = [...this.#found.values()].slice(known);
    return { rows, damage, isLast: this.#stages.length === 0 };
  }

  close(): void {
    this.#statements.close();
  }

  /** A page that cannot be read ends the stage. */
  #inSnapshot<T>(read: () => T): T | typeof OVER {
    try {
      // Here, because a damaged schema is noticed with the first statement.
      if (this.#version === undefined && this.pass === "exact") {
        this.database.run(`PRAGMA cache_size = ${-CACHED_KIB}`);
      }
      this.#statements.run("BEGIN");
      this.#readVersions();
      return read();
    } catch (error) {
      const cause = asReadError(error, this.database);
      if (!(cause instanceof DamagedData)) throw cause;
      this.#note(cause);
      return OVER;
    } finally {
      try {
        if (this.database.inTransaction) this.#statements.run("COMMIT");
      } catch {
        // After a read of a damaged page, this fails with the same error. Nothing was written.
      }
    }
  }

  #readVersions(): void {
    const pragma = (name: string) =>
      this.#statements.row<Record<string, number>>(`PRAGMA ${name}`)![name]!;
    // A newer version may have migrated the file.
    if (pragma("user_version") !== FORMAT) {
      throw new StoreRefuses(`the format of ${this.database.filename} has changed`);
    }
    const version = pragma("data_version");
    this.#wasChanged ||= version !== (this.#version ?? version);
    this.#version = version;
  }

  #note(damage: DamagedData): void {
    const key = `${damage.table} ${damage.record}`;
    if (!this.#found.has(key)) this.#found.set(key, damage);
  }

  #damaged(table: string, record: Key): void {
    this.#note(new DamagedData(table, record));
  }

  #tally(what: string): Tally {
    const tally = this.#tallies.get(what) ?? { rows: 0, sum: 0 };
    this.#tallies.set(what, tally);
    return tally;
  }

  #addUp(what: string, entries: readonly Key[][]): void {
    const tally = this.#tally(what);
    tally.rows += entries.length;
    for (const entry of entries) tally.sum = (tally.sum + checksum(entry)) >>> 0;
  }

  /** Rows in the order of their numbers. */
  #rows<Row extends { num: number }>(
    { name, num }: Table & { num: string },
    select: string,
    verify: (rows: Row[]) => void,
  ): Stage {
    const sql = `${select} WHERE ${name}.${num} > ? ORDER BY ${name}.${num} LIMIT ?`;
    let after = LEAST;
    return (limit) => {
      const rows = this.#statements.get<Row>(sql).all(after, limit);
      const last = rows.at(-1)?.num ?? after;
      if (rows.length > 0 && last <= after) throw new DamagedData(name, `row ${last}`);
      verify(rows);
      this.#tally(name).rows += rows.length;
      after = last;
      return { rows: rows.length, isOver: rows.length < limit };
    };
  }

  #matches(pass: Pass): Stage {
    const select = `SELECT matches.num, id, created_at, game_mode, patch_version, results, document, matches.checksum,
        snapshot, match_snapshots.checksum AS snapshotChecksum, ${listed(MATCHES, pass)} AS isListed
      FROM matches NOT INDEXED LEFT JOIN match_snapshots ON match = matches.num`;
    type Row = MatchRow & {
      num: number;
      snapshot: Uint8Array | null;
      snapshotChecksum: number | null;
      isListed: number;
    };
    return this.#rows<Row>(MATCHES, select, (rows) => {
      const whole = rows.filter((row) => {
        const isWhole = row.checksum === matchChecksum(row);
        if (!isWhole || !row.isListed) this.#damaged("matches", row.id);
        if (row.snapshotChecksum !== snapshotChecksum(row.id, row.snapshot)) {
          this.#damaged("match_snapshots", row.id);
        }
        return isWhole;
      });
      this.#entriesOf("players", whole, pass);
      this.#entriesOf("teams", whole, pass);
    });
  }

  /** Whether every player or team of these matches has an entry with its result. */
  #entriesOf(of: NamedTable, matches: readonly (MatchRow & { num: number })[], pass: Pass): void {
    const { name, columns } = ENTRIES[of];
    const entries: Key[][] = [];
    for (const match of matches) {
      const { created_at, id, num: matchNum } = match;
      someResult(match, of, (num, result) => {
        entries.push([num, created_at, id, matchNum, result]);
        return false;
      });
    }
    if (pass === "fast") {
      this.#addUp(`${name} of matches`, entries);
      return;
    }
    this.#tally(`${name} of matches`).rows += entries.length;
    // Neighbours are on the same pages.
    entries.sort(([one], [other]) => (one as number) - (other as number));
    for (const entry of this.#missing(name, columns, entries)) this.#damaged(name, entry[2]!);
  }

  /** Those of these entries that a table does not have. Finds many at once: a statement costs more than a lookup. */
  #missing(table: string, columns: readonly string[], entries: readonly Key[][]): Key[][] {
    const many = foundStatement(table, columns, AT_ONCE);
    const one = foundStatement(table, columns, 1);
    const found = (sql: string, values: Key[]): number =>
      this.#statements.get(sql).values(...values)[0]![0] as number;
    const missing: Key[][] = [];
    for (let at = 0; at < entries.length; at += AT_ONCE) {
      const some = entries.slice(at, at + AT_ONCE);
      const values = some.flat();
      // One statement for every number of entries: the last one is repeated.
      for (let count = some.length; count < AT_ONCE; count++) values.push(...some.at(-1)!);
      if (found(many, values) === AT_ONCE) continue;
      missing.push(...some.filter((entry) => found(one, entry) === 0));
    }
    return missing;
  }

  #named(table: NamedTable, pass: Pass): Stage {
    const columns = `, ${listed(NAMED[table], pass)} AS isListed FROM`;
    const select = `${NAMED_ROWS[table].replace(" FROM", columns)} NOT INDEXED`;
    return this.#rows<NamedRow & { isListed: number }>(NAMED[table], select, (rows) => {
      for (const row of rows) {
        if (!row.isListed || row.checksum !== namedChecksum(row)) this.#damaged(table, row.id);
      }
    });
  }

  #withheld(pass: Pass): Stage {
    const select = `SELECT rowid AS num, id, created_at, game_mode, patch_version, reason, document, snapshot, checksum,
        ${listed(WITHHELD, pass)} AS isListed FROM withheld NOT INDEXED`;
    type Row = RecordRow & { num: number; checksum: number; isListed: number };
    return this.#rows<Row>(WITHHELD, select, (rows) => {
      for (const row of rows) {
        const isRight = row.isListed && row.checksum === withheldChecksum(row);
        if (!isRight) this.#damaged("withheld", row.id);
      }
    });
  }

  #bases(pass: Pass): Stage {
    const select = `SELECT rowid AS num, ${BASE_COLUMNS}, ${listed(BASES, pass)} AS isListed
      FROM player_base NOT INDEXED`;
    return this.#rows<BaseRow & { num: number; isListed: number }>(BASES, select, (rows) => {
      for (const row of rows) {
        if (!row.isListed || row.checksum !== baseChecksum(row)) this.#damaged(BASES.name, row.id);
      }
    });
  }

  #actors(pass: Pass): Stage {
    const select = `SELECT rowid AS num, ${ACTOR_COLUMNS}, ${listed(ACTORS, pass)} AS isListed
      FROM actor_stats NOT INDEXED`;
    return this.#rows<ActorRow & { num: number; isListed: number }>(ACTORS, select, (rows) => {
      for (const row of rows) {
        if (!row.isListed || row.checksum !== actorChecksum(row)) {
          this.#damaged(ACTORS.name, actorLabel(row));
        }
      }
    });
  }

  /** In the order of the ids. */
  #recent(pass: Pass): Stage {
    const sql = `SELECT id, played, wins, win_rate, checksum, ${listed(RECENT, pass)} AS isListed
      FROM player_recent NOT INDEXED WHERE id > ? ORDER BY id LIMIT ?`;
    let after = "";
    return (limit) => {
      const rows = this.#statements.get<RecentRow & { isListed: number }>(sql).all(after, limit);
      for (const row of rows) {
        // Damage could lead the scan back to where it was.
        if (typeof row.id !== "string" || row.id <= after) {
          throw new DamagedData(RECENT.name, "order");
        }
        const isRight = row.isListed && row.checksum === recentChecksum(row);
        if (!isRight) this.#damaged(RECENT.name, row.id);
        after = row.id;
      }
      return { rows: rows.length, isOver: rows.length < limit };
    };
  }

  /** Every entry of an index leads to its row. */
  #indexes(table: Table): Stage[] {
    return table.indexes.map((index: Index) => {
      const { name, isDescending } = index;
      const idAt = index.columns.indexOf("id");
      const scan: Scan = {
        name,
        from: `${table.name} AS entry INDEXED BY ${name}`,
        columns: keyOf(table.num, index),
        start: table.num === undefined ? index.start : [...index.start, LEAST],
        isDescending,
        isListed: index.isListed,
        isRight: leadsToRow(table, index),
      };
      return this.#scan(scan, (key) => this.#damaged(table.name, key[idAt] ?? `row ${key.at(-1)}`));
    });
  }

  /** Every entry of a player or team leads to its match. */
  #entries(of: NamedTable, pass: Pass): Stage {
    const { name, columns } = ENTRIES[of];
    const scan: Scan = {
      name,
      from: `${name} AS entry`,
      columns: columns.slice(0, 3),
      start: [LEAST, LEAST, ""],
      // Read from the index: it is in memory, unlike the matches.
      isRight: `EXISTS (SELECT 1 FROM matches AS here INDEXED BY matches_by_time
        WHERE here.created_at = entry.created_at AND here.id = entry.match_id AND here.num = entry.match)`,
    };
    if (pass === "fast") return this.#sum(scan, columns);
    return this.#scan(scan, (key) => this.#damaged(name, key[2]!));
  }

  /** Every current name is in the name index, under each of its keys. Reports ids, because names are personal data. */
  #names(pass: Pass): Stage {
    let after = "";
    return (limit) => {
      const rows = this.#statements
        .get(
          `SELECT name, min(id) FROM players INDEXED BY players_by_name
           WHERE name > ? GROUP BY name ORDER BY name LIMIT ?`,
        )
        .values(after, limit) as [name: string, id: string][];
      const last = rows.at(-1);
      // Compared by SQLite: JavaScript has another order, and replaces what is not valid UTF-8.
      const isAfter = this.#statements.get("SELECT ? > ?").values(last?.[0] ?? "", after)[0]![0];
      if (last && !isAfter) throw new DamagedData("players", last[1]);
      const entries: Key[][] = [];
      for (const [name, id] of rows) {
        // A damaged entry may have a value of another type.
        if (typeof name !== "string") throw new DamagedData("players", id);
        for (const key of indexKeys(name)) entries.push([key, name]);
      }
      if (pass === "fast") this.#addUp("name_index of players", entries);
      else {
        this.#tally("name_index of players").rows += entries.length;
        const missing = new Set(
          this.#missing("name_index", ["key", "name"], entries).map(([, name]) => name),
        );
        for (const [name, id] of rows) if (missing.has(name)) this.#damaged("name_index", id);
      }
      after = last?.[0] ?? after;
      return { rows: rows.length, isOver: rows.length < limit };
    };
  }

  #nameIndex(pass: Pass): Stage {
    const scan: Scan = {
      name: "name_index",
      from: "name_index AS entry",
      columns: ["key", "name"],
      start: ["", ""],
      isRight: `EXISTS (SELECT 1 FROM players AS here INDEXED BY players_by_name
        WHERE here.name = entry.name)`,
    };
    if (pass === "fast") return this.#sum(scan, scan.columns);
    return this.#scan(scan, () => this.#damaged("name_index", "a name without a player"));
  }

  /** Adds up these columns of all entries, of which the first are the key. */
  #sum(scan: Scan, columns: readonly string[]): Stage {
    const { name } = scan;
    const sql = scanStatements(scan, columns);
    let after = scan.start;
    return (limit) => {
      const read = (statement: string, ...more: Key[]) =>
        this.#statements.get(statement).values(...after, ...more) as Key[][];
      const entries = read(sql.entries, limit);
      const end = entries.at(-1)?.slice(0, after.length);
      if (end && !read(sql.isAfter, ...end)[0]![0]) throw new DamagedData(name, "order");
      this.#addUp(name, entries);
      after = end ?? after;
      return { rows: entries.length, isOver: entries.length < limit };
    };
  }

  #scan(scan: Scan, onWrong: (key: Key[]) => void): Stage {
    const { name } = scan;
    const sql = scanStatements(scan);
    let after = scan.start;
    return (limit) => {
      const read = (statement: string, ...more: Key[]) =>
        this.#statements.get(statement).values(...after, ...more) as Key[][];
      const [end] = read(sql.last, limit - 1);
      // Damage could lead the scan back to where it was.
      if (end && !read(sql.isAfter, ...end)[0]![0]) throw new DamagedData(name, "order");
      const [tally] = end ? read(sql.tally, ...end) : read(sql.tallyRest);
      const [rows, wrong] = tally as [number, number];
      const wrongKeys = wrong === 0 ? [] : end ? read(sql.wrong, ...end) : read(sql.wrongRest);
      for (const key of wrongKeys) onWrong(key);
      this.#tally(name).rows += rows;
      after = end ?? after;
      return { rows, isOver: !end };
    };
  }

  /** The change log, on which the caches of readers depend, has no gaps. */
  #changes(): Stage {
    return () => {
      const rows = this.#statements
        .get("SELECT sequence, players, teams, checksum FROM changes ORDER BY sequence DESC")
        .values() as [number, Uint8Array, Uint8Array, number][];
      const newest = readShard(this.#statements).sequence;
      for (const [at, [sequence, players, teams, sum]] of rows.entries()) {
        const isRight = sequence === newest - at && sum === checksum([sequence, players, teams]);
        if (!isRight) this.#damaged("changes", sequence);
      }
      return { rows: rows.length, isOver: true };
    };
  }

  /** Each step begins with the last row of the one before: only within a step no rows can have been removed. */
  #matchChanges(): Stage {
    let after = 0;
    return () => {
      const rows = logRowsFrom(this.#statements, after, ROWS_AT_ONCE);
      for (const first of damagedRows(rows)) this.#damaged("match_changes", first);
      after = rows.at(-1)?.first ?? after;
      return { rows: rows.length, isOver: rows.length < ROWS_AT_ONCE };
    };
  }

  /** As many rows as the shard says, and the same entries as rows. They can be compared only while nobody writes. */
  #compare(): Stage {
    return () => {
      const different = this.#wasChanged ? [] : this.#different();
      const problems = this.pass === "fast" ? this.#structure() : [];
      const isDoubtful = this.#wasChanged || different.length + problems.length > 0;
      if (this.pass === "fast" && isDoubtful) this.#stages.push(...this.#tables("exact"));
      // After the records by which they differ.
      this.#stages.push(() => {
        for (const name of different) this.#damaged(name, "number of entries");
        for (const problem of problems) this.#damaged("file", problem);
        return OVER;
      });
      return OVER;
    };
  }

  /** The lists and indexes that do not have the entries of their rows. Totals that are wrong are noted. */
  #different(): string[] {
    const stored = readShard(this.#statements);
    for (const name of ["matches", "players", "teams"] as const) {
      if (stored[name] !== this.#tally(name).rows) this.#damaged("shard", `total of ${name}`);
    }
    const lists = Object.values(ENTRIES).map(({ name }) => [name, `${name} of matches`]);
    const indexes = [MATCHES, NAMED.players, NAMED.teams, WITHHELD, BASES, ACTORS].flatMap(
      (table) =>
        table.indexes
          .filter(({ isListed }) => isListed === undefined)
          .map(({ name }) => [name, table.name]),
    );
    return [...lists, ["name_index", "name_index of players"], ...indexes]
      .filter(([name, rows]) => {
        const tally = this.#tallies.get(name!);
        return tally && !Bun.deepEquals(tally, this.#tally(rows!));
      })
      .map(([name]) => name!);
  }

  /** What SQLite itself finds: pages, and indexes that do not fit their tables. */
  #structure(): string[] {
    const lines = this.#statements.get("PRAGMA integrity_check").values() as [string][];
    return lines.map(([line]) => line.replaceAll("\n", " ")).filter((line) => line !== "ok");
  }
}

/** SQL: whether every index lists the row. */
const listed = (table: Table, pass: Pass): string => (pass === "exact" ? isListed(table) : "1");
