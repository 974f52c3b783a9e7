/** In charge of places of shards: which shard is at one, and how the settings are to name it. */

import { realpathSync } from "node:fs";
import type { LoadedSettings } from "../../settings/load.ts";
import {
  isSameLocation,
  type ShardLocation,
  urlWithoutPassword,
} from "../../settings/shard-locations.ts";
import type { Settings } from "../../settings/table.ts";
import { locationOf } from "../../wiring.ts";

/** The shard that lives at a place, if any does. */
export function shardAt(
  place: ShardLocation,
  ids: readonly string[],
  settings: Settings,
): string | undefined {
  return ids.find((id) => isSameLocation(followed(locationOf(settings, id)), followed(place)));
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

/** The tables of the settings file once a shard is stored at a new location. */
export function linesForSettings(
  id: string,
  place: ShardLocation,
  ids: readonly string[],
  { values, origins }: LoadedSettings,
): string[] {
  // Without any table every store in the data folder counts; once there is one, only those listed do.
  const others = origins.shards === "default" ? ids.filter((one) => one !== id) : [];
  const lines = [
    ...others.map((one) => `[shards.${one}]`),
    `[shards.${id}]`,
    `url = ${JSON.stringify(urlWithoutPassword(place))}`,
  ];
  if (lines.some((line) => line.includes("***"))) lines.push("(*** stands for the password)");
  if (values.shards.some((shard) => shard.id === id && shard.replicas !== undefined)) {
    lines.push("(leave out its replicas: they belong to the old location)");
  }
  return lines.map((line) => `   ${line}`);
}
