/** In charge of `matchbook config`: every setting with its value and where it came from. */

import type { LoadedSettings } from "../settings/load.ts";
import { SETTING_NAMES, type SettingName, settingOf, shownValue } from "../settings/table.ts";
import { columns, print, settingsOf, type Verb, withExamples, withSettings } from "./verb.ts";

export const config: Verb = (program) => {
  const command = program
    .command("config")
    .description("print every setting with its value and where it came from, secrets hidden")
    .option("--json", "print one JSON object: name → {value, origin}")
    .action((options: { json?: true }) => {
      const loaded = settingsOf(command);
      print(options.json ? JSON.stringify(asObject(loaded), null, 2) : asTable(loaded));
    });
  withSettings(
    command,
    SETTING_NAMES.filter((name) => !settingOf(name).isSecret),
  );
  withExamples(command, [
    ["matchbook config", "what a server started here would use"],
    ["MATCHBOOK_RATE=120 matchbook config --json", "the same for a program, with one variable set"],
  ]);
};

function asTable({ values, origins }: LoadedSettings): string {
  return columns([
    ["SETTING", "VALUE", "ORIGIN"],
    ...SETTING_NAMES.map((name) => [name, shownValue(values, name) || "(empty)", origins[name]]),
  ]);
}

function asObject({ values, origins }: LoadedSettings): object {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [name, { value: asJson(values, name), origin: origins[name] }]),
  );
}

function asJson(values: LoadedSettings["values"], name: SettingName): string | number {
  const value = values[name];
  return typeof value === "number" ? value : shownValue(values, name);
}
