/** In charge of the setting that lists the shards and says where each of them lives. */

import { resolve } from "node:path";
import { isShardId } from "../domain/identifiers.ts";
import { type Parsed, wholeNumber } from "./parsers.ts";
import { concealPassword, type PostgresLocation, parsePostgres } from "./postgres.ts";

export type ShardLocation = { engine: "sqlite"; path: string } | PostgresLocation;

/** A shard without a location lives in the data folder, under its own id. */
export interface ShardPlace {
  id: string;
  location: ShardLocation | undefined;
  /** Of a shard in PostgreSQL, where it may be read as well. */
  replicas?: ShardReplicas;
}

export interface ShardReplicas {
  places: readonly PostgresLocation[];
  /** One that is further behind is not read. */
  maxLagSeconds: number;
}

const USUAL_LAG_SECONDS = "10";

const RIGHT =
  "must be comma-separated shards, each an id (a-z, 0-9, -), id=sqlite:PATH or id=postgres://USER:PASSWORD@HOST/DATABASE, for example na,eu=sqlite:/srv/eu.db";

/** The empty text is the empty list, which stands for every store in the data folder. */
export function parseShards(text: string): Parsed<readonly ShardPlace[]> {
  if (text.trim() === "") return { value: [] };
  return collect(
    text.split(",").map((item) => {
      const [id, ...location] = item.trim().split("=");
      return [id!, location.length === 0 ? undefined : location.join("=")];
    }),
  );
}

/**
 * The form of a file: [shards] with id = "sqlite:PATH", or "" for a shard of the data folder; or a table
 * [shards.ID] with url, replicas and max-lag-seconds.
 */
export function parseShardTable(table: Record<string, unknown>): Parsed<readonly ShardPlace[]> {
  return collect(
    Object.entries(table).map(([id, location]) => [id, location === "" ? undefined : location]),
  );
}

export function showShards(shards: readonly ShardPlace[]): string {
  return shards
    .map(({ id, location, replicas }) =>
      location ? `${id}=${showLocation(location)}${showReplicas(replicas)}` : id,
    )
    .join(",");
}

/**
 * Hides the user and the password of every location that may have them. A comma may be part of a
 * password, so that only a comma before something that reads as a shard separates two of them.
 */
export function concealShards(text: string): string {
  return text
    .split(/,(?=\s*[a-z0-9-]{1,32}(?:=[a-z]+:|\s*,|\s*$))/)
    .map((item) =>
      /^\s*[^=]*=sqlite:/.test(item)
        ? item
        : item
            .replace(/^([^=]*=)?((?:[a-z0-9+]+:)?\/\/)?.*@/is, "$1$2***@")
            .replace(/(password=)[^&]*/gi, "$1***"),
    )
    .join(",");
}

function collect(items: (readonly [id: string, place: unknown])[]): Parsed<ShardPlace[]> {
  const places: ShardPlace[] = [];
  for (const [id, given] of items) {
    if (!isShardId(id)) return { error: RIGHT };
    const isTable = typeof given === "object" && given !== null && !Array.isArray(given);
    const table = (isTable ? given : { url: given }) as Record<string, unknown>;
    const location = parseLocation(id, isTable && table.url === "" ? undefined : table.url);
    if ("error" in location) return location;
    const replicas = parseReplicas(id, location.value, table);
    if ("error" in replicas) return replicas;
    if (places.some((place) => place.id === id))
      return { error: `names the shard ${id} twice: name it once` };
    if (places.some((place) => samePlace(place.location, location.value))) {
      return { error: `gives two shards the same place: give ${id} one of its own` };
    }
    places.push({
      id,
      location: location.value,
      ...(replicas.value ? { replicas: replicas.value } : {}),
    });
  }
  return { value: places };
}

// The messages name the shard and not the location: it may hold a password.
function parseLocation(id: string, text: unknown): Parsed<ShardLocation | undefined> {
  if (text === undefined) return { value: undefined };
  const place = parsePlace(typeof text === "string" ? text : "");
  return "value" in place ? place : { error: `places the shard ${id} wrongly: ${place.error}` };
}

const MEMBERS = ["url", "replicas", "max-lag-seconds"];

function parseReplicas(
  id: string,
  primary: ShardLocation | undefined,
  table: Record<string, unknown>,
): Parsed<ShardReplicas | undefined> {
  const wrong = (words: string) => ({ error: `places the shard ${id} wrongly: ${words}` });
  const stranger = Object.keys(table).find((name) => !MEMBERS.includes(name));
  if (stranger !== undefined) {
    return wrong(`"${stranger}" is unknown there; there are ${MEMBERS.join(", ")}`);
  }
  const lag = wholeNumber(0, 86_400)(String(table["max-lag-seconds"] ?? USUAL_LAG_SECONDS));
  if ("error" in lag) return wrong(`its max-lag-seconds ${lag.error}`);
  const { replicas = [] } = table;
  if (!Array.isArray(replicas)) return wrong("its replicas must be a list of addresses");
  if (replicas.length === 0) return { value: undefined };
  if (primary?.engine !== "postgres") return wrong("only a shard in PostgreSQL has replicas");
  const places: PostgresLocation[] = [];
  for (const text of replicas) {
    const place = parsePostgres(String(text), primary.schema);
    if ("error" in place) return wrong(`of a replica, ${place.error}`);
    if (place.value.schema !== primary.schema) {
      return wrong(`a replica has the same schema, ${primary.schema}: leave it out there`);
    }
    places.push(place.value);
  }
  return { value: { places, maxLagSeconds: lag.value } };
}

function showReplicas(replicas: ShardReplicas | undefined): string {
  return replicas ? ` (replicas: ${replicas.places.length})` : "";
}

/** One place by itself. */
export function parsePlace(text: string): Parsed<ShardLocation> {
  if (isPostgres(text)) return parsePostgres(text);
  const path = text.startsWith("sqlite:") ? text.slice("sqlite:".length) : "";
  return path === ""
    ? { error: "it must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE" }
    : { value: { engine: "sqlite", path } };
}

const isPostgres = (text: string): boolean => /^postgres(ql)?:/i.test(text);

/** A place as anybody may see it. */
export function shownPlace(location: ShardLocation): string {
  return location.engine === "sqlite" ? location.path : location.shown;
}

/** A place as it is to be written into the settings, but for its password. */
export function writtenPlace(location: ShardLocation): string {
  return location.engine === "sqlite" ? showLocation(location) : concealPassword(location.given);
}

function showLocation(location: ShardLocation): string {
  return location.engine === "sqlite" ? `sqlite:${location.path}` : location.given;
}

export function samePlace(
  one: ShardLocation | undefined,
  other: ShardLocation | undefined,
): boolean {
  if (one?.engine === "sqlite" && other?.engine === "sqlite") {
    return resolve(one.path) === resolve(other.path);
  }
  return one?.engine === "postgres" && other?.engine === "postgres" && one.shown === other.shown;
}
