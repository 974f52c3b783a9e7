/** The tables of a shard with their indexes, as the check for damage reads them. */

import { ACTOR_STATS, type NamedTable, PLAYER_RECENT, PLAYERS } from "../tables.ts";

export type Key = string | number;

export interface Table {
  name: string;
  /** The column that is the row number; undefined for a table in the order of its ids. */
  num?: string;
  indexes: readonly Index[];
}

type NumberedTable = Table & { num: string };

export interface Index {
  name: string;
  /** The row number follows them, if there is one. */
  columns: readonly string[];
  /** A key before the first entry. */
  start: readonly Key[];
  /** Whether the first column is in descending order. */
  isDescending?: true;
  /** SQL: which rows a partial index has, by its first column. */
  isListed?: string;
}

/** Before and after every time and number. */
export const LEAST = Number.MIN_SAFE_INTEGER;
const GREATEST = Number.MAX_SAFE_INTEGER;

const byId = (table: string): Index => ({
  name: `sqlite_autoindex_${table}_1`,
  columns: ["id"],
  start: [""],
});
const byName = (table: string): Index => ({
  name: `${table}_by_name`,
  columns: ["name", "id"],
  start: ["", ""],
});

export const MATCHES: NumberedTable = {
  name: "matches",
  num: "num",
  indexes: [
    byId("matches"),
    { name: "matches_by_time", columns: ["created_at", "id"], start: [LEAST, ""] },
    {
      name: "matches_by_mode",
      columns: ["game_mode", "created_at", "id", "patch_version"],
      start: ["", LEAST, "", ""],
    },
    {
      name: "matches_by_patch",
      columns: ["patch_version", "created_at", "id", "game_mode"],
      start: ["", LEAST, "", ""],
    },
  ],
};

const BY_LAST_MATCH: Index = {
  name: "players_by_last_match",
  columns: ["last_match_at", "id"],
  start: [GREATEST, ""],
  isDescending: true,
};

const boardsOf = ({ indexes }: typeof PLAYERS | typeof PLAYER_RECENT): Index[] =>
  indexes.flatMap(({ name, on, where }) =>
    where === undefined
      ? []
      : {
          name,
          columns: [on.split(" ")[0]!, "id"],
          start: [GREATEST, ""],
          isDescending: true,
          isListed: where,
        },
  );

export const NAMED: Record<NamedTable, NumberedTable> = {
  players: {
    name: "players",
    num: "num",
    indexes: [byId("players"), byName("players"), BY_LAST_MATCH, ...boardsOf(PLAYERS)],
  },
  teams: { name: "teams", num: "num", indexes: [byId("teams"), byName("teams")] },
};

export const WITHHELD: NumberedTable = {
  name: "withheld",
  num: "rowid",
  indexes: [
    byId("withheld"),
    { name: "withheld_by_reason", columns: ["reason"], start: [""] },
    { name: "withheld_by_time", columns: ["created_at"], start: [LEAST] },
  ],
};

export const BASES: NumberedTable = {
  name: "player_base",
  num: "rowid",
  indexes: [byId("player_base")],
};

export const ACTORS: NumberedTable = {
  name: "actor_stats",
  num: "rowid",
  indexes: [
    {
      name: "sqlite_autoindex_actor_stats_1",
      columns: ACTOR_STATS.key,
      start: ["", "", "", LEAST],
    },
  ],
};

export const RECENT: Table = {
  name: "player_recent",
  indexes: boardsOf(PLAYER_RECENT),
};

/** The tables that list the matches of players and teams. */
export const ENTRIES = {
  players: {
    name: "player_matches",
    columns: ["player", "created_at", "match_id", "match", "result"],
  },
  teams: { name: "team_matches", columns: ["team", "created_at", "match_id", "match", "plays"] },
} as const;

/** SQL: whether every index lists the row. */
export function isListed({ name, num, indexes }: Table): string {
  const lists = indexes.map((index) => {
    const found = `EXISTS (SELECT 1 FROM ${name} AS here INDEXED BY ${index.name}
      WHERE ${equal(keyOf(num, index), "here", name)}${ofPartial(index, "AND here.")})`;
    const isMissing = index.isListed && `${name}.${index.isListed}`;
    return isMissing ? `(${isMissing}) IS NOT TRUE OR ${found}` : found;
  });
  return `(${lists.map((list) => `(${list})`).join(" AND ")})`;
}

/** SQLite uses a partial index only where the statement repeats its condition. */
export const ofPartial = ({ isListed }: Index, prefix: string): string =>
  isListed === undefined ? "" : ` ${prefix}${isListed}`;

/** SQL: whether the entry of an index leads to a row with its values. */
export const leadsToRow = ({ name, num }: Table, index: Index): string =>
  `EXISTS (SELECT 1 FROM ${name} AS here NOT INDEXED
    WHERE ${equal(keyOf(num, index), "here", "entry")})`;

/** The columns of an entry. */
export const keyOf = (num: string | undefined, { columns }: Index): readonly string[] =>
  num === undefined ? columns : [...columns, num];

/** SQL: how many of these entries a table has. Its parameters are their values. */
export function foundStatement(table: string, columns: readonly string[], entries: number): string {
  const marks = `(${columns.map(() => "?")})`;
  const same = columns.map((column, at) => `entry.${column} = asked.column${at + 1}`);
  return `SELECT count(*) FROM (VALUES ${Array.from({ length: entries }, () => marks)}) AS asked
    CROSS JOIN ${table} AS entry ON ${same.join(" AND ")}`;
}

const equal = (columns: readonly string[], one: string, other: string): string =>
  columns.map((column) => `${one}.${column} = ${other}.${column}`).join(" AND ");

/** What to scan in the order of its key. */
export interface Scan {
  name: string;
  from: string;
  columns: readonly string[];
  start: readonly Key[];
  isDescending?: true | undefined;
  /** SQL: whether an entry is right. */
  isRight: string;
  /** SQL: the condition of a partial index. */
  isListed?: string | undefined;
}

/** The statements of a scan. Their first parameters are the key before the range. `all` are columns of its entries. */
export function scanStatements(
  { from, columns, isDescending, isRight, isListed }: Scan,
  all = columns,
) {
  const count = columns.length;
  const list = columns.join();
  const marks = (first: number) => columns.map((_, at) => `?${first + at}`);
  const later = isDescending ? isLater(columns, marks(1)) : `(${list}) > (${marks(1)})`;
  const after = isListed === undefined ? later : `${isListed} AND ${later}`;
  const end = marks(count + 1);
  const within = isDescending
    ? `${after} AND NOT (${isLater(columns, end)}) AND ${columns[0]} >= ${end[0]}`
    : `${after} AND (${list}) <= (${end})`;
  const order = isDescending ? list.replace(",", " DESC,") : list;
  return {
    /** Then their number. */
    entries: `SELECT ${all} FROM ${from} WHERE ${after} ORDER BY ${order} LIMIT ?${count + 1}`,
    /** Then the number of entries before the last one. */
    last: `SELECT ${list} FROM ${from} WHERE ${after} ORDER BY ${order} LIMIT 1 OFFSET ?${count + 1}`,
    /** Then the last key, as in the next two. */
    isAfter: `SELECT ${isDescending ? isLater(end, marks(1)) : `(${end}) > (${marks(1)})`}`,
    tally: `SELECT count(*), total(NOT ${isRight}) FROM ${from} WHERE ${within}`,
    wrong: `SELECT ${list} FROM ${from} WHERE ${within} AND NOT ${isRight}`,
    tallyRest: `SELECT count(*), total(NOT ${isRight}) FROM ${from} WHERE ${after}`,
    wrongRest: `SELECT ${list} FROM ${from} WHERE ${after} AND NOT ${isRight}`,
  };
}

/** With two directions, a comparison of all columns would not be a range of the index. */
const isLater = ([first, ...rest]: readonly string[], [firstMark, ...marks]: readonly string[]) =>
  `${first} <= ${firstMark} AND (${first} < ${firstMark} OR (${rest}) > (${marks}))`;
