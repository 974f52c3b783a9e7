/** `matchbook config`: prints every setting with its value and origin. */

import {
  FLAG_NAMES,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type Settings,
  shownValue,
} from "../settings/definitions.ts";
import { isTable, type Table } from "../settings/parsers.ts";
import { defineCommand, settingsOf } from "./command.ts";
import { table } from "./table.ts";

export const config = defineCommand({
  name: "config",
  description: "print every setting with its value and origin; secrets are hidden",
  json: "print one JSON object: name → {value, origin}",
  settings: FLAG_NAMES,
  examples: {
    "matchbook config": "the settings of a server started here",
    "MATCHBOOK_RATE=120 matchbook config --json": "as JSON, with one variable set",
  },
  run({ command }) {
    const { values, origins } = settingsOf(command);
    const json = Object.fromEntries(
      SETTING_NAMES.map((name) => [name, { value: shown(values, name), origin: origins[name] }]),
    );
    const rows = Object.entries(json).flatMap(([name, { value, origin }]) =>
      flattened(name, value).map((cells) => [...cells, origin]),
    );
    return { json, text: table([["SETTING", "VALUE", "ORIGIN"], ...rows]) };
  },
});

/** Tables have one row per value, e.g. tiers.community.rate. */
function flattened(name: string, value: unknown): [name: string, value: string][] {
  if (isTable(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, member]) => flattened(`${name}.${key}`, member));
  }
  return [[name, isTable(value) ? "(empty)" : String(value) || "(empty)"]];
}

/** Without secrets. */
function shown(values: Settings, name: SettingName): string | number | Table {
  if (name === "shards") return SETTINGS.shards.show(values.shards);
  if (name === "tiers") return SETTINGS.tiers.show(values.tiers);
  const value = values[name];
  return typeof value === "number" ? value : shownValue(values, name);
}
