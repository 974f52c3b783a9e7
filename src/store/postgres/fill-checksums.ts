/**
 * The migration from format 3 to 4: fills the checksums of all rows, in short transactions. It
 * continues where it was interrupted. A row that is damaged already gets no checksum, so that it is
 * reported and not served.
 */

import { viewOf } from "../byte-range.ts";
import {
  isWholeFragment,
  isWholeMatch,
  isWholeNamed,
  type MatchRow,
  matchChecksum,
  type NamedRow,
  type NamedTable,
  namedChecksum,
  snapshotChecksum,
  withheldChecksum,
} from "../row-checks.ts";
import { type RecordRow, unpackServed } from "../row-encoding.ts";
import type { OnProgress } from "../store.ts";
import { updateRows } from "./bulk-write.ts";
import { WITHHELD_ROWS } from "./matches.ts";
import { NAMED_ROWS, NO_SCORES, SCORES } from "./named-rows.ts";
import type { Connection } from "./session.ts";

const BATCH = 500;

interface Filled {
  id: string;
  /** Only matches are in order of time; it is 0 for other rows. */
  created_at: number;
}

/** Fills the next rows without a checksum. Returns those that it looked at. */
type Fill = (connection: Connection, after: Filled) => Promise<Filled[]>;

const BEGINNING: Filled = { id: "", created_at: Number.MIN_SAFE_INTEGER };

/** `inTransaction` keeps writers out. `onProgress` is called after each transaction. */
export async function fillChecksums(
  inTransaction: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>,
  onProgress: OnProgress = () => {},
): Promise<void> {
  const total = await inTransaction(countRows);
  let done = 0;
  for (const fill of [fillMatches, fillNamed("players"), fillNamed("teams"), fillWithheld]) {
    for (let last: Filled | undefined = BEGINNING; last; ) {
      const after: Filled = last;
      const filled: Filled[] = await inTransaction((connection) => fill(connection, after));
      done += filled.length;
      if (filled.length > 0 && done < total) onProgress(done, total);
      last = filled.at(-1);
    }
  }
  // Rows that were filled before an interruption are not counted.
  onProgress(total, total);
}

async function countRows(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ total: string }>(
    `SELECT matches + players + teams + (SELECT count(*) FROM {withheld}) AS total FROM {shard}`,
  );
  return Number(row!.total);
}

/** By time, so that the rows of a batch are close together. */
const fillMatches: Fill = async (connection, after) => {
  const rows = await connection.rows<
    MatchRow & { snapshot: Uint8Array; document: Uint8Array | null }
  >(
    `SELECT listed.id, listed.created_at::float8 AS created_at, listed.game_mode,
       listed.patch_version, listed.snapshot, stored.document
     FROM {matches} AS listed LEFT JOIN {match_documents} AS stored
       ON stored.id = listed.id AND stored.created_at = listed.created_at
     WHERE listed.checksum IS NULL AND listed.created_at >= $1::bigint
       AND (listed.created_at, listed.id) > ($1::bigint, $2)
     ORDER BY listed.created_at, listed.id LIMIT ${BATCH}`,
    [after.created_at, after.id],
  );
  const whole = rows.filter(
    ({ document }) => document !== null && isWholeMatch(viewOf(unpackServed(document, [], []))),
  );
  const resultsOf = await readResults(connection, whole);
  const filled = whole.flatMap((row) => {
    const results = resultsOf(row);
    return results ? [{ ...row, results }] : [];
  });
  await updateRows(connection, "match_documents", "id", [
    { name: "id", type: "text", values: filled.map(({ id }) => id) },
    { name: "game_mode", type: "text", values: filled.map((row) => row.game_mode) },
    { name: "patch_version", type: "text", values: filled.map((row) => row.patch_version) },
    { name: "results", type: "bytea", values: filled.map(({ results }) => results) },
    { name: "checksum", type: "bigint", values: filled.map(matchChecksum) },
  ]);
  const snapshots = rows.filter(({ snapshot }) => isWholeFragment(snapshot));
  await connection.run(
    `UPDATE {matches} AS old SET checksum = given.checksum
     FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS given (created_at, id, checksum)
     WHERE old.created_at = given.created_at AND old.id = given.id`,
    [
      snapshots.map(({ created_at }) => created_at),
      snapshots.map(({ id }) => id),
      snapshots.map(({ id, snapshot }) => snapshotChecksum(id, snapshot)),
    ],
  );
  return rows;
};

/** Reads the results of these matches from the indexes by player and team. */
async function readResults(connection: Connection, matches: readonly MatchRow[]) {
  const found = new Map<string, number>();
  const keyOf = (table: string, num: number, id: string) => `${table} ${num} ${id}`;
  const parts = matches.map((match) => {
    const players: number[] = [];
    const teams: number[] = [];
    unpackServed(match.document, players, teams);
    return { match, players, teams };
  });
  for (const [table, column, result, of] of [
    ["player_matches", "player", "result", "players"],
    ["team_matches", "team", "plays::integer", "teams"],
  ] as const) {
    const entries = parts.flatMap((part) => part[of].map((num) => ({ num, match: part.match })));
    const rows = await connection.rows<{ num: number; id: string; result: number }>(
      `SELECT given.num, given.match_id AS id, ${result} AS result FROM {${table}} AS entry
       JOIN unnest($1::integer[], $2::bigint[], $3::text[]) AS given (num, created_at, match_id)
         ON entry.${column} = given.num AND entry.created_at = given.created_at
           AND entry.match_id = given.match_id COLLATE "C"`,
      [
        entries.map(({ num }) => num),
        entries.map(({ match }) => match.created_at),
        entries.map(({ match }) => match.id),
      ],
    );
    for (const { num, id, result } of rows) found.set(keyOf(of, num, id), result);
  }
  const numbers = new Map(parts.map((part) => [part.match.id, part]));
  return ({ id }: MatchRow): Uint8Array | undefined => {
    const { players, teams } = numbers.get(id)!;
    const results = [
      ...players.map((num) => found.get(keyOf("players", num, id))),
      ...teams.map((num) => found.get(keyOf("teams", num, id))),
    ];
    return results.includes(undefined) ? undefined : Uint8Array.from(results as number[]);
  };
}

const fillNamed = (table: NamedTable): Fill =>
  fillById<NamedRow>(table, NAMED_ROWS[table].replace(SCORES, NO_SCORES), (row) =>
    isWholeNamed(row) ? namedChecksum(row) : undefined,
  );

const fillWithheld = fillById<RecordRow>("withheld", WITHHELD_ROWS, (row) =>
  isWholeMatch(row.document) && isWholeFragment(row.snapshot) ? withheldChecksum(row) : undefined,
);

function fillById<Row extends { id: string }>(
  table: string,
  select: string,
  sumOf: (row: Row) => number | undefined,
): Fill {
  return async (connection, after) => {
    const rows = await connection.rows<Row>(
      `${select} WHERE checksum IS NULL AND id > $1 ORDER BY id LIMIT ${BATCH}`,
      [after.id],
    );
    const sums = rows.flatMap((row) => {
      const sum = sumOf(row);
      return sum === undefined ? [] : [{ id: row.id, sum }];
    });
    await updateRows(connection, table, "id", [
      { name: "id", type: "text", values: sums.map(({ id }) => id) },
      { name: "checksum", type: "bigint", values: sums.map(({ sum }) => sum) },
    ]);
    return rows.map(({ id }) => ({ id, created_at: 0 }));
  };
}
