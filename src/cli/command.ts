/** What the commands share: settings as flags, help with examples, errors and output. */

import { type Command, Option } from "commander";
import { flagOf, settingOf, type ValueName, variableOf } from "../settings/definitions.ts";
import { type LoadedSettings, loadSettings, type Sources } from "../settings/load.ts";
import type { Parsed } from "../settings/parsers.ts";

/** Adds a command to the program, or a subcommand to its group. */
export type AddCommand = (program: Command) => void;

/** Wrong usage of the command line: exit 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** The command failed: exit 1. */
export class CommandError extends Error {
  override name = "CommandError";
}

/** The flag of a setting, as opposed to a flag of the command itself. */
class SettingOption extends Option {
  constructor(readonly setting: ValueName) {
    const { help, default: value } = settingOf(setting);
    const origin = value === "" ? variableOf(setting) : `default ${value}, ${variableOf(setting)}`;
    super(`${flagOf(setting)} <${setting.toUpperCase()}>`, `${help} (${origin})`);
  }
}

/** Adds --data, --config and the flags of further settings to a command. */
export function withSettings(command: Command, names: readonly ValueName[] = []): Command {
  for (const name of new Set<ValueName>(["data", ...names])) {
    command.addOption(new SettingOption(name));
  }
  return command.addOption(
    new Option(
      "--config <FILE>",
      `settings file (default matchbook.toml if it exists, ${variableOf("config")})`,
    ),
  );
}

/** Loads the settings for a command. */
export function settingsOf(command: Command): LoadedSettings {
  return loadSettings({ ...flagsOf(command), env: process.env, cwd: process.cwd() });
}

/** Gives flags to a command as if they had been typed, for settings that are not set anywhere. */
export function setDefaults(
  command: Command,
  defaults: Readonly<Partial<Record<ValueName, string>>>,
): void {
  const { origins } = settingsOf(command);
  for (const option of command.options) {
    if (!(option instanceof SettingOption) || origins[option.setting] !== "default") continue;
    const value = defaults[option.setting];
    if (value !== undefined) command.setOptionValue(option.attributeName(), value);
  }
}

/** The setting flags of this process, to start another one with. */
export function sameFlags(command: Command): string[] {
  const { flags, configFile } = flagsOf(command);
  const given = Object.entries(flags).flatMap(([name, text]) =>
    text === undefined ? [] : [flagOf(name), text],
  );
  return configFile === undefined ? given : [...given, "--config", configFile];
}

/** The flags of the command and of its group. */
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

/** The value of a command's own flag, parsed like a setting. */
export function flagValue<T>(flag: string, text: string, parse: (text: string) => Parsed<T>): T {
  const parsed = parse(text);
  if ("error" in parsed)
    throw new UsageError(`invalid ${flag} ${JSON.stringify(text)}: ${parsed.error}`);
  return parsed.value;
}

/** Adds examples to a command's help. */
export function withExamples(
  command: Command,
  examples: readonly (readonly [line: string, does: string])[],
): Command {
  const lines = examples.map(([line, does]) => `  # ${does}\n  $ ${line}`);
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n\n")}`);
}

/** Prints the result of a command on standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes to standard output and waits for its reader, so that long output needs little memory. */
export function write(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}

/** Clears the progress line. */
export const CLEAR_LINE = "\r\x1b[K";

/** Prints a message on standard error, apart from the result. */
export function note(text: string): void {
  process.stderr.write(`${process.stderr.isTTY ? CLEAR_LINE : ""}${text}\n`);
}
