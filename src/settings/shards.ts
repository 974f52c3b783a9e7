/** In charge of the setting that lists the shards and says where each of them lives. */

import { resolve } from "node:path";
import { isShardId } from "../domain/identifiers.ts";
import type { Parsed } from "./parsers.ts";
import { concealPassword, type PostgresLocation, parsePostgres } from "./postgres.ts";

export type ShardLocation = { engine: "sqlite"; path: string } | PostgresLocation;

/** A shard without a location lives in the data folder, under its own id. */
export interface ShardPlace {
  id: string;
  location: ShardLocation | undefined;
}

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

/** The form of a file: [shards] with id = "sqlite:PATH", or "" for a shard of the data folder. */
export function parseShardTable(table: Record<string, unknown>): Parsed<readonly ShardPlace[]> {
  return collect(
    Object.entries(table).map(([id, location]) => [id, location === "" ? undefined : location]),
  );
}

export function showShards(shards: readonly ShardPlace[]): string {
  return shards
    .map(({ id, location }) => (location ? `${id}=${showLocation(location)}` : id))
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

function collect(items: (readonly [id: string, location: unknown])[]): Parsed<ShardPlace[]> {
  const places: ShardPlace[] = [];
  for (const [id, text] of items) {
    if (!isShardId(id)) return { error: RIGHT };
    const location = parseLocation(id, text);
    if ("error" in location) return location;
    if (places.some((place) => place.id === id))
      return { error: `names the shard ${id} twice: name it once` };
    if (places.some((place) => samePlace(place.location, location.value))) {
      return { error: `gives two shards the same place: give ${id} one of its own` };
    }
    places.push({ id, location: location.value });
  }
  return { value: places };
}

// The messages name the shard and not the location: it may hold a password.
function parseLocation(id: string, text: unknown): Parsed<ShardLocation | undefined> {
  if (text === undefined) return { value: undefined };
  if (typeof text !== "string") return { error: RIGHT };
  const place = parsePlace(text);
  if ("value" in place) return place;
  return { error: isPostgres(text) ? `places the shard ${id} wrongly: ${place.error}` : RIGHT };
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
