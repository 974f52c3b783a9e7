/** In charge of places of shards: which shard is at one, and how the settings are to name it. */

import { realpathSync } from "node:fs";
import type { LoadedSettings } from "../../settings/load.ts";
import { type ShardLocation, samePlace, writtenPlace } from "../../settings/shards.ts";
import { flagOf, type Settings, variableOf } from "../../settings/table.ts";
import { locationOf } from "../../wiring.ts";

/** The shard that lives at a place, if any does. */
export function shardAt(
  place: ShardLocation,
  ids: readonly string[],
  settings: Settings,
): string | undefined {
  return ids.find((id) => samePlace(followed(locationOf(settings, id)), followed(place)));
}

/** With links followed, as far as they lead to something. */
function followed(place: ShardLocation): ShardLocation {
  if (place.engine !== "sqlite") return place;
  try {
    return { ...place, path: realpathSync(place.path) };
  } catch {
    return place;
  }
}

/** What to write into the settings for a shard to live at a new place, where they are set now. */
export function linesForSettings(
  id: string,
  place: ShardLocation,
  ids: readonly string[],
  { values, origins }: LoadedSettings,
): string[] {
  const written = ids.map((one): [id: string, place: string] => {
    const listed = values.shards.find((shard) => shard.id === one)?.location;
    const now = one === id ? place : listed;
    return [one, now === undefined ? "" : writtenPlace(now)];
  });
  const lines = listingLines(id, written, origins.shards);
  if (lines.some((line) => line.includes("***"))) lines.push("(*** stands for the password)");
  if (values.shards.some((shard) => shard.id === id && shard.replicas !== undefined)) {
    lines.push(`(in place of [shards.${id}]: its replicas are of the old place)`);
  }
  return lines.map((line) => `   ${line}`);
}

function listingLines(
  id: string,
  written: readonly (readonly [id: string, place: string])[],
  origin: LoadedSettings["origins"]["shards"],
): string[] {
  const inFile = ([one, place]: readonly [string, string]) => `${one} = ${JSON.stringify(place)}`;
  if (origin === "file") return ["[shards]", ...written.filter(([one]) => one === id).map(inFile)];
  // Where nothing is listed, every store in the data folder counts; once one is, only those listed do.
  if (origin === "default") return ["[shards]", ...written.map(inFile)];
  const list = written.map(([one, place]) => (place === "" ? one : `${one}=${place}`)).join(",");
  return [
    origin === "flag" ? `${flagOf("shards")} '${list}'` : `${variableOf("shards")}='${list}'`,
  ];
}
