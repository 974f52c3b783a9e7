/** In charge of how much a shard serves: tallies that change with it, never counted anew. */

import type { Summary } from "../store.ts";
import type { Connection } from "./session.ts";

export async function readSummary(connection: Connection): Promise<Summary & { teams: number }> {
  const [row] = await connection.rows<Record<keyof Summary | "teams", string | null>>(
    `SELECT matches, players, teams,
       (SELECT max(created_at) FROM {matches}) AS "newestMatch",
       (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
        WHERE relkind = 'r' AND relnamespace = (
          SELECT relnamespace FROM pg_class WHERE oid = '{state}'::regclass)) AS bytes
     FROM {state}`,
  );
  return {
    matches: Number(row!.matches),
    players: Number(row!.players),
    teams: Number(row!.teams),
    newestMatch: row!.newestMatch === null ? undefined : Number(row!.newestMatch),
    bytes: Number(row!.bytes),
  };
}
