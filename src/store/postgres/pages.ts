/** In charge of pages of matches: one statement that finds them, reads them, and looks further. */

import { type Course, courseOf, moreOf, opposite, type Range } from "../places.ts";
import type { Selection } from "../store.ts";
import { type Road, roadLength, roadsOf, Values, walk } from "./roads.ts";
import type { Connection } from "./session.ts";

/** A match as it is kept to be served. */
export interface PageMatch {
  created_at: string;
  id: string;
  served: Uint8Array;
}

export interface FoundPage {
  /** Of the state that it was read in, as is the number of its latest change. */
  token: string;
  sequence: number;
  matches: PageMatch[];
  more: { before: boolean; after: boolean };
}

/**
 * How far roads are compared: further only if all are longer, so that to compare them costs no more
 * than to walk. Beyond that, any is long, and the first is taken.
 */
const COMPARED_ROWS = [32, 256, 2048];

export async function findPage(connection: Connection, selection: Selection): Promise<FoundPage> {
  const course = courseOf(selection);
  const roads = roadsOf(selection);
  const road = await shortestRoad(connection, roads, course.ahead);
  const others = roads.filter((one) => one !== road);
  const rows = await readPage(connection, course, selection.limit, road, others);
  const [first] = rows;
  const matches = rows.filter(({ id }) => id !== null) as PageMatch[];
  return {
    token: first!.token,
    sequence: Number(first!.seq),
    matches: course.isReversed ? matches.reverse() : matches,
    more: moreOf(course, {
      matches: matches.length,
      hasMore: Number(first!.found) > selection.limit,
      hasBehind: first!.behind,
    }),
  };
}

/** What is said of the page as a whole is in every row; of an empty one there is a row without a match. */
type PageRow = { [Column in keyof PageMatch]: PageMatch[Column] | null } & {
  token: string;
  seq: string;
  found: string;
  behind: boolean;
};

function readPage(
  connection: Connection,
  { direction, ahead, behind, skip }: Course,
  limit: number,
  road: Road,
  others: readonly Road[],
): Promise<PageRow[]> {
  const values = new Values();
  const keys = walk(values, road, others, ahead, direction, { skip, take: limit + 1 });
  // Not EXISTS: it would be looked for in any order, and so along any index.
  const isBehind =
    behind === undefined
      ? "false"
      : `(SELECT count(*) > 0 FROM (${walk(values, road, others, behind, opposite(direction), {
          skip: 0,
          take: 1,
        })}) AS nearest)`;
  const order = direction === "up" ? "ASC" : "DESC";
  return connection.rows<PageRow>(
    `WITH keys AS MATERIALIZED (${keys})
     SELECT state.token, state.seq, (SELECT count(*) FROM keys) AS found, ${isBehind} AS behind, page.*
     FROM {state} AS state LEFT JOIN
       (SELECT first.created_at, id, served FROM
          (SELECT * FROM keys ORDER BY created_at ${order}, id ${order} LIMIT ${values.add(limit, "bigint")}) AS first
        JOIN {sheets} USING (id)) AS page ON true
     ORDER BY created_at ${order}, id ${order}`,
    values.list,
  );
}

async function shortestRoad(
  connection: Connection,
  roads: readonly Road[],
  range: Range,
): Promise<Road> {
  const first = roads[0]!;
  if (roads.length === 1) return first;
  for (const enough of COMPARED_ROWS) {
    const lengths = await lengthsOf(connection, roads, range, enough);
    const shortest = Math.min(...lengths);
    if (shortest < enough) return roads[lengths.indexOf(shortest)]!;
  }
  return first;
}

async function lengthsOf(
  connection: Connection,
  roads: readonly Road[],
  range: Range,
  enough: number,
): Promise<number[]> {
  const values = new Values();
  const lengths = roads.map((road) => roadLength(values, road, range, enough));
  const [row] = await connection.rows<Record<string, string>>(
    `SELECT ${lengths.map((length, at) => `${length} AS road_${at}`).join(", ")}`,
    values.list,
  );
  return roads.map((_, at) => Number(row![`road_${at}`]));
}
