/** `matchbook config`: prints every setting with its value and origin. */

import {
  FLAG_NAMES,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type Settings,
  shownValue,
} from "../settings/definitions.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { isTable, type Table } from "../settings/parsers.ts";
import { type AddCommand, print, settingsOf, withExamples, withSettings } from "./command.ts";
import { table } from "./table.ts";

export const config: AddCommand = (program) => {
  const command = program
    .command("config")
    .description("print every setting with its value and origin; secrets are hidden")
    .option("--json", "print one JSON object: name → {value, origin}")
    .action((options: { json?: true }) => {
      const loaded = settingsOf(command);
      print(options.json ? JSON.stringify(asObject(loaded), null, 2) : asTable(loaded));
    });
  withSettings(command, FLAG_NAMES);
  withExamples(command, [
    ["matchbook config", "the settings of a server started here"],
    ["MATCHBOOK_RATE=120 matchbook config --json", "as JSON, with one variable set"],
  ]);
};

/** One row per setting; tables have one row per value, e.g. tiers.community.rate. */
function asTable({ values, origins }: LoadedSettings): string {
  const rows = SETTING_NAMES.flatMap((name) =>
    flattened(name, shown(values, name)).map(([key, value]) => [key, value, origins[name]]),
  );
  return table([["SETTING", "VALUE", "ORIGIN"], ...rows]);
}

function flattened(name: string, value: unknown): [name: string, value: string][] {
  if (isTable(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, member]) => flattened(`${name}.${key}`, member));
  }
  return [[name, isTable(value) ? "(empty)" : String(value) || "(empty)"]];
}

function asObject({ values, origins }: LoadedSettings): object {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [name, { value: shown(values, name), origin: origins[name] }]),
  );
}

/** Without secrets. */
function shown(values: Settings, name: SettingName): string | number | Table {
  if (name === "shards") return SETTINGS.shards.show(values.shards);
  if (name === "tiers") return SETTINGS.tiers.show(values.tiers);
  const value = values[name];
  return typeof value === "number" ? value : shownValue(values, name);
}
