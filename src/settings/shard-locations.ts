/** Parses the tables [shards.ID] of the settings file: where each shard and its replicas are stored, and for how long. */

import { resolve } from "node:path";
import { isShardId } from "../domain/identifiers.ts";
import {
  concealUser,
  isPostgresUrl,
  type PostgresLocation,
  parsePostgres,
} from "./database-urls.ts";
import { days, isTable, type Parsed, type Table, wholeNumber } from "./parsers.ts";

export type SqliteLocation = { engine: "sqlite"; path: string };
export type ShardLocation = SqliteLocation | PostgresLocation;

/** A shard without a location is stored in the data folder, under its own id. */
export interface ConfiguredShard {
  id: string;
  location: ShardLocation | undefined;
  replicas?: ShardReplicas;
  /** Older records are pruned. */
  retentionDays?: number;
}

export interface ShardReplicas {
  places: readonly PostgresLocation[];
  /** Replicas with a higher lag are not read. */
  maxLagSeconds: number;
}

const DEFAULT_LAG_SECONDS = 10;

const MEMBERS = ["url", "retention", "replicas", "max-lag-seconds"];

/** An empty table means every store in the data folder. */
export function parseShards(table: Table): Parsed<readonly ConfiguredShard[]> {
  const shards: ConfiguredShard[] = [];
  for (const [id, members] of Object.entries(table)) {
    if (!isShardId(id)) {
      return {
        error: `shard ${JSON.stringify(id)}: an id must be 1 to 32 characters from a-z, 0-9 and "-"`,
      };
    }
    const parsed = isTable(members)
      ? parseShard(id, members)
      : { error: `must be a table: [shards.${id}] with ${MEMBERS.join(", ")}` };
    // The message names the shard and not its URL, which may contain a password.
    if ("error" in parsed) return { error: `shard ${id}: ${parsed.error}` };
    if (shards.some(({ location }) => isSameLocation(location, parsed.value.location))) {
      return { error: `shard ${id}: another shard has the same location; choose a different one` };
    }
    shards.push(parsed.value);
  }
  return { value: shards };
}

function parseShard(id: string, members: Table): Parsed<ConfiguredShard> {
  const { url, retention, replicas = [] } = members;
  const { "max-lag-seconds": maxLag = DEFAULT_LAG_SECONDS } = members;
  const unknown = Object.keys(members).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    return { error: `unknown key "${unknown}"; valid keys: ${MEMBERS.join(", ")}` };
  }
  const location = url === undefined ? { value: undefined } : parseLocation(url);
  if ("error" in location) return { error: `url ${location.error}` };
  const lag = wholeNumber(0, 86_400)(String(maxLag));
  if ("error" in lag) return { error: `max-lag-seconds ${lag.error}` };
  if (!Array.isArray(replicas)) return { error: "replicas must be an array of URLs" };
  const primary = location.value;
  const kept = retention === undefined ? undefined : days(String(retention));
  if (kept && "error" in kept) return { error: `retention ${kept.error}` };
  const shard = { id, location: primary, ...(kept ? { retentionDays: kept.value } : {}) };
  if (replicas.length === 0) return { value: shard };
  if (primary?.engine !== "postgres")
    return { error: "only a shard in PostgreSQL can have replicas" };
  const locations: PostgresLocation[] = [];
  for (const replica of replicas) {
    const parsed = parsePostgres(String(replica), primary.schema);
    if ("error" in parsed) return { error: `replica ${parsed.error}` };
    if (parsed.value.schema !== primary.schema) {
      return {
        error: `replica schema must be the same, ${primary.schema}: leave it out of the URL`,
      };
    }
    locations.push(parsed.value);
  }
  return {
    value: { ...shard, replicas: { places: locations, maxLagSeconds: lag.value } },
  };
}

export function parseLocation(url: unknown): Parsed<ShardLocation> {
  const text = typeof url === "string" ? url : "";
  if (isPostgresUrl(text)) return parsePostgres(text);
  const path = text.startsWith("sqlite:") ? text.slice("sqlite:".length) : "";
  return path === ""
    ? { error: "must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE" }
    : { value: { engine: "sqlite", path } };
}

/** The shards as tables of the settings file, without users and passwords. */
export function showShards(shards: readonly ConfiguredShard[]): Table {
  return Object.fromEntries(
    shards.map(({ id, location, replicas, retentionDays }) => [
      id,
      {
        ...(location ? { url: locationUrl(location) } : {}),
        ...(retentionDays === undefined ? {} : { retention: `${retentionDays}d` }),
        ...(replicas
          ? {
              replicas: replicas.places.map(({ given }) => concealUser(given)),
              "max-lag-seconds": replicas.maxLagSeconds,
            }
          : {}),
      },
    ]),
  );
}

/** A location without user and password. */
export function showLocation(location: ShardLocation): string {
  return location.engine === "sqlite" ? location.path : location.shown;
}

function locationUrl(location: ShardLocation): string {
  return location.engine === "sqlite" ? `sqlite:${location.path}` : concealUser(location.given);
}

export function isSameLocation(
  one: ShardLocation | undefined,
  other: ShardLocation | undefined,
): boolean {
  if (one?.engine === "sqlite" && other?.engine === "sqlite") {
    return resolve(one.path) === resolve(other.path);
  }
  return one?.engine === "postgres" && other?.engine === "postgres" && one.shown === other.shown;
}
