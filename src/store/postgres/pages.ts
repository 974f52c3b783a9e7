/** In charge of pages of matches: one statement that finds them, reads them, and looks further. */

import { type Course, courseOf, moreOf, opposite, type Range } from "../places.ts";
import type { Selection } from "../store.ts";
import { type Road, roadLength, roadsOf, Values, walk } from "./roads.ts";
import type { Connection } from "./session.ts";

export interface MatchRow {
  created_at: string;
  id: string;
  sheet: Uint8Array;
  players: number[];
  teams: number[];
}

export interface FoundPage {
  seq: number;
  matches: MatchRow[];
  more: { before: boolean; after: boolean };
}

/** How far roads are compared. Beyond that, any is long, and the first is taken. */
const COMPARED_ROWS = 1024;

export async function findPage(connection: Connection, selection: Selection): Promise<FoundPage> {
  const course = courseOf(selection);
  const roads = roadsOf(selection);
  const road = await shortestRoad(connection, roads, course.ahead);
  const others = roads.filter((one) => one !== road);
  const rows = await readPage(connection, course, selection.limit, road, others);
  const [first] = rows;
  const matches = rows.filter(({ id }) => id !== null) as MatchRow[];
  return {
    seq: Number(first!.seq),
    matches: course.isReversed ? matches.reverse() : matches,
    more: moreOf(course, {
      matches: matches.length,
      hasMore: Number(first!.found) > selection.limit,
      hasBehind: first!.behind,
    }),
  };
}

/** What is said of the page as a whole is in every row; of an empty one there is a row without a match. */
type PageRow = { [Column in keyof MatchRow]: MatchRow[Column] | null } & {
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
  const isBehind =
    behind === undefined
      ? "false"
      : `EXISTS (${walk(values, road, others, behind, opposite(direction), { skip: 0, take: 1 })})`;
  const order = direction === "up" ? "ASC" : "DESC";
  return connection.rows<PageRow>(
    `WITH keys AS MATERIALIZED (${keys})
     SELECT state.seq, (SELECT count(*) FROM keys) AS found, ${isBehind} AS behind, page.*
     FROM {state} AS state LEFT JOIN
       (SELECT created_at, id, sheet, players, teams FROM
          (SELECT * FROM keys ORDER BY created_at ${order}, id ${order} LIMIT ${limit}) AS first
        JOIN {matches} USING (created_at, id)) AS page ON true
     ORDER BY created_at ${order}, id ${order}`,
    values.list,
  );
}

async function shortestRoad(
  connection: Connection,
  roads: readonly Road[],
  range: Range,
): Promise<Road> {
  if (roads.length === 1) return roads[0]!;
  const values = new Values();
  const lengths = roads.map((road) => roadLength(values, road, range, COMPARED_ROWS));
  const [row] = await connection.rows<Record<string, string>>(
    `SELECT ${lengths.map((length, at) => `${length} AS road_${at}`).join(", ")}`,
    values.list,
  );
  let best = 0;
  for (const at of roads.keys()) {
    if (Number(row![`road_${at}`]) < Number(row![`road_${best}`])) best = at;
  }
  return roads[best]!;
}
