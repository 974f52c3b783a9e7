/** In charge of what the verbs share: settings as flags, help with examples, errors and tables. */

import { type Command, Option } from "commander";
import { type LoadedSettings, loadSettings, type Sources } from "../settings/load.ts";
import type { Parsed } from "../settings/parsers.ts";
import { flagOf, settingOf, type ValueName, variableOf } from "../settings/table.ts";

/** A verb adds itself to the program. */
export type Verb = (program: Command) => void;

/** The command line was used wrongly: exit 2. */
export class Misuse extends Error {
  override name = "Misuse";
}

/** What was asked for could not be done: exit 1. */
export class Failure extends Error {
  override name = "Failure";
}

/** A flag that stands for a setting, and so is told from a verb's own flag of the same name. */
class SettingOption extends Option {
  constructor(readonly setting: ValueName) {
    const { placeholder, help, default: usual } = settingOf(setting);
    const origin = usual === "" ? variableOf(setting) : `default ${usual}, ${variableOf(setting)}`;
    super(`${flagOf(setting)} <${placeholder}>`, `${help} (${origin})`);
  }
}

/** Adds --data, --config and the flags of further settings to a verb. */
export function withSettings(command: Command, names: readonly ValueName[] = []): Command {
  for (const name of new Set<ValueName>(["data", ...names])) {
    command.addOption(new SettingOption(name));
  }
  return command.addOption(
    new Option(
      "--config <FILE>",
      `settings file (default matchbook.toml if it is there, ${variableOf("config")})`,
    ),
  );
}

/** The settings for a verb's action. */
export function settingsOf(command: Command): LoadedSettings {
  return loadSettings({ ...flagsOf(command), env: process.env, cwd: process.cwd() });
}

/** The flags for settings that were given, to be given again to another process. */
export function sameFlags(command: Command): string[] {
  const { flags, configFile } = flagsOf(command);
  const given = Object.entries(flags).flatMap(([name, text]) =>
    text === undefined ? [] : [flagOf(name), text],
  );
  return configFile === undefined ? given : [...given, "--config", configFile];
}

/** What was given behind the verb or behind its group. */
function flagsOf(command: Command): Pick<Sources, "flags" | "configFile"> {
  const flags: Partial<Record<ValueName, string>> = {};
  let configFile: string | undefined;
  for (let at: Command | null = command; at !== null; at = at.parent) {
    configFile ??= at.getOptionValue("config");
    for (const option of at.options) {
      if (!(option instanceof SettingOption)) continue;
      flags[option.setting] ??= at.getOptionValue(option.attributeName());
    }
  }
  return { flags, configFile };
}

/** The value of a verb's own flag, read by the same parsers as the settings. */
export function flagValue<T>(flag: string, text: string, parse: (text: string) => Parsed<T>): T {
  const parsed = parse(text);
  if ("error" in parsed) throw new Misuse(`${flag} ${JSON.stringify(text)} ${parsed.error}`);
  return parsed.value;
}

/** Ends a verb's help with lines that can be pasted, each with what it does. */
export function withExamples(
  command: Command,
  examples: readonly (readonly [line: string, does: string])[],
): Command {
  const lines = examples.map(([line, does]) => `  # ${does}\n  $ ${line}`);
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n\n")}`);
}

/** One line on standard output: what the verb was asked for. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** On a terminal, a progress bar may stand on the line: it makes room, and is drawn again below. */
const CLEARED_LINE = "\r\x1b[K";

/** One line on standard error: what a person may want to know beside it. */
export function note(text: string): void {
  process.stderr.write(`${process.stderr.isTTY ? CLEARED_LINE : ""}${text}\n`);
}

/** Rows in aligned columns; names in any script line up by their width on a terminal. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, Bun.stringWidth(cell));
    }
  }
  const pad = (cell: string, column: number) =>
    cell + " ".repeat(widths[column]! - Bun.stringWidth(cell));
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

/** How long ago something was, as people say it. */
export function age(milliseconds: number): string {
  const minutes = Math.round(Math.max(0, milliseconds) / 60_000);
  if (minutes < 120) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} h ago` : `${Math.round(hours / 24)} days ago`;
}
