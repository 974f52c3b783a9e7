/** Finds and reads a page of matches in one statement, with the shortest index scan. */

import { present } from "../core/shard.ts";
import { MatchDocument } from "../match-document.ts";
import { type IndexScan, scansOf } from "../match-indexes.ts";
import {
  type KeyRange,
  neighboursOf,
  opposite,
  type PageRange,
  pageRangeOf,
} from "../page-range.ts";
import { isSelected } from "../row-checks.ts";
import { DamagedData, type Selection } from "../store.ts";
import { scanLength, scanSql, Values } from "./index-scan.ts";
import type { FoundMatches } from "./linked-resources.ts";
import type { Connection } from "./session.ts";

export interface FoundPage extends FoundMatches {
  /** The sequence number of the state that was read. */
  sequence: number;
  /** The prune cutoff of that state. */
  prunedBefore: number;
  more: { before: boolean; after: boolean };
}

/**
 * Scans are compared up to the first length; further only if all are longer, so that comparing
 * costs no more than scanning. Beyond the last length, the first scan is used.
 */
const COMPARED_ROWS = [32, 256, 2048];

export async function findPage(connection: Connection, selection: Selection): Promise<FoundPage> {
  const page = pageRangeOf(selection);
  const scans = scansOf(selection, selection.players, selection.teams);
  const scan = await shortestScan(connection, scans, page.ahead);
  const others = scans.filter((one) => one !== scan);
  const rows = await readPage(connection, page, selection.limit, scan, others);
  const first = present(rows[0]);
  const matches = rows.flatMap((row) => (row.id === null ? [] : listedMatch(row)));
  return {
    token: first.token,
    sequence: Number(first.sequence),
    prunedBefore: first.cutoff ?? Number.NEGATIVE_INFINITY,
    matches: page.isReversed ? matches.reverse() : matches,
    verify(hasId) {
      const wrong = matches.find(
        (match) =>
          !isSelected(match, selection, (table, list, num) =>
            selection[table][list]!.some((id) => hasId(table, num, id)),
          ),
      );
      if (wrong) throw new DamagedData("matches", wrong.id);
    },
    more: neighboursOf(page, {
      matches: matches.length,
      hasMore: Number(first.found) > selection.limit,
      hasBehind: first.behind,
    }),
  };
}

interface ListedRow {
  created_at: number;
  id: string;
  document: Uint8Array | null;
}

/** Facts about the page are in every row. An empty page has one row without a match. */
type PageRow = (ListedRow | { id: null }) & {
  token: string;
  sequence: string;
  cutoff: number | null;
  found: string;
  behind: boolean;
};

/** The match that an index entry leads to. Throws DamagedData unless it is that match, and served. */
function listedMatch({ id, created_at, document }: ListedRow): MatchDocument {
  const match = MatchDocument.read(id, document!);
  if (!match.isServed || match.createdAt !== created_at) throw new DamagedData("matches", id);
  return match;
}

function readPage(
  connection: Connection,
  { direction, ahead, behind, skip }: PageRange,
  limit: number,
  scan: IndexScan<string>,
  others: readonly IndexScan<string>[],
): Promise<PageRow[]> {
  const values = new Values();
  const keys = scanSql(values, scan, others, ahead, direction, { skip, take: limit + 1 });
  // Not EXISTS, which the planner may evaluate with any index.
  const isBehind =
    behind === undefined
      ? "false"
      : `(SELECT count(*) > 0 FROM (${scanSql(values, scan, others, behind, opposite(direction), {
          skip: 0,
          take: 1,
        })}) AS nearest)`;
  const order = direction === "up" ? "ASC" : "DESC";
  return connection.rows<PageRow>(
    `WITH keys AS MATERIALIZED (${keys})
     SELECT shard.token, shard.sequence, shard.pruned_before::float8 AS cutoff, (SELECT count(*) FROM keys) AS found, ${isBehind} AS behind, page.*
     FROM {shard} AS shard LEFT JOIN
       (SELECT first.id, first.created_at::float8 AS created_at, stored.document FROM
          (SELECT * FROM keys ORDER BY created_at ${order}, id ${order} LIMIT ${values.add(limit, "bigint")}) AS first
        LEFT JOIN {documents} AS stored ON stored.id = first.id) AS page ON true
     ORDER BY created_at ${order}, id ${order}`,
    values.list,
  );
}

async function shortestScan(
  connection: Connection,
  scans: readonly IndexScan<string>[],
  range: KeyRange,
): Promise<IndexScan<string>> {
  const first = scans[0]!;
  if (scans.length === 1) return first;
  for (const enough of COMPARED_ROWS) {
    const values = new Values();
    const lists = scans.map(
      (scan, at) => `${scanLength(values, scan, range, enough)} AS scan_${at}`,
    );
    const sql = `SELECT ${lists.join(", ")}`;
    const [row] = await connection.rows<Record<string, string>>(sql, values.list);
    const lengths = scans.map((_, at) => Number(row![`scan_${at}`]));
    const shortest = Math.min(...lengths);
    if (shortest < enough) return scans[lengths.indexOf(shortest)]!;
  }
  return first;
}
