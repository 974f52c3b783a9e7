/** Compares the connections that a server with these settings may open with those that PostgreSQL allows. */

import { allowedConnections, OTHER_CONNECTIONS } from "../open-stores.ts";
import type { PostgresLocation } from "../settings/database-urls.ts";
import type { Settings } from "../settings/definitions.ts";
import { StoreError } from "../store/store.ts";
import { type Finding, ok, warning } from "./findings.ts";

type DatabaseSettings = Pick<Settings, "workers" | "shards" | "keys-database">;

/** The threads for uploads, and those that prune, build and verify, have connections of their own. */
const THREADS = 4;

interface Need {
  /** One of the databases on this server. */
  place: PostgresLocation;
  /** Without those for reading. */
  others: number;
  /** The sizes of the pools for reading. */
  pools: number[];
}

/** Databases that cannot be reached are reported elsewhere. */
export async function connectionFindings(settings: DatabaseSettings): Promise<Finding[]> {
  const needs = [...connectionNeeds(settings)];
  const found = await Promise.all(
    needs.map(async ([server, need]) => {
      try {
        const allowed = await allowedConnections(need.place);
        return [connectionFinding(server, need, processesOf(settings), allowed)];
      } catch (error) {
        if (error instanceof StoreError) return [];
        throw error;
      }
    }),
  );
  return found.flat();
}

/** With several workers, their supervisor is a process too. */
const processesOf = ({ workers }: DatabaseSettings): number => (workers === 1 ? 1 : workers + 1);

/** What a server needs of each host. */
function connectionNeeds(settings: DatabaseSettings): Map<string, Need> {
  const needs = new Map<string, Need>();
  const seen = new Set<string>();
  const add = (place: PostgresLocation, users: number, pool?: number) => {
    const server = new URL(place.url).host;
    const need = needs.get(server) ?? { place, others: 0, pools: [] };
    needs.set(server, need);
    // Those with the same URL share their connections.
    const isNew = (kind: string) =>
      seen.size < seen.add(`${kind} ${place.prepares} ${place.url}`).size;
    if (isNew("other")) need.others += users * OTHER_CONNECTIONS;
    if (pool !== undefined && isNew(`reading ${pool}`)) need.pools.push(pool);
  };
  const processes = processesOf(settings);
  for (const { location } of settings.shards) {
    if (location?.engine === "postgres") add(location, processes + THREADS, location.pool);
  }
  for (const { replicas } of settings.shards) {
    for (const place of replicas?.places ?? []) add(place, processes, place.pool);
  }
  if (settings["keys-database"]) add(settings["keys-database"], processes);
  return needs;
}

function connectionFinding(
  server: string,
  { others, pools }: Need,
  processes: number,
  allowed: number,
): Finding {
  const most = others + processes * pools.reduce((sum, pool) => sum + pool, 0);
  const message = `up to ${most} per instance to ${server}, which allows ${allowed}`;
  if (most <= allowed) return ok("connections", message);
  const room = Math.floor((allowed - others) / processes / Math.max(1, pools.length));
  const smaller = room < 1 ? "" : `set ?pool=${room} in the URLs of its shards, or `;
  const advice = `${smaller}use fewer workers, or raise max_connections and the limits of role and database to ${most}; behind a pooler, its own limits apply`;
  return warning("connections", message, advice);
}
