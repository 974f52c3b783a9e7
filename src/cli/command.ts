/** What the commands share: how they are defined, settings as flags, help with examples, errors and output. */

import { type Command, Option } from "commander";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Settings } from "../settings/definitions.ts";
import { flagOf, groupOf, settingOf, type ValueName, variableOf } from "../settings/definitions.ts";
import { type LoadedSettings, loadSettings, type Sources } from "../settings/load.ts";
import type { Parsed } from "../settings/parsers.ts";

/** Adds a command to the program, or a subcommand to its group. */
export type AddCommand = (program: Command) => void;

/** Help texts by what they explain: an argument, a flag with its placeholder, an example. */
type Texts = Readonly<Record<string, string>>;

/** A command: its help, and what it does. */
export interface CommandSpec<Flags> {
  name: string;
  /** For the list of commands; the beginning of the description if it is left out. */
  summary?: string;
  description: string;
  /** E.g. `"<shard>": "shard id"`. */
  arguments?: Texts;
  required?: Texts;
  options?: Readonly<Record<string, string | readonly [help: string, value: string]>>;
  /** The help of --json. */
  json?: string;
  /** Further settings that are flags of the command. */
  settings?: readonly ValueName[];
  /** What each command line does. */
  examples: Texts;
  run(context: Context<Flags>, ...values: never[]): Awaitable<Result> | Promise<void>;
}

export interface Context<Flags = object> {
  flags: Flags & { json?: true };
  /** Loaded when they are read. Throws SettingsError. */
  readonly settings: Settings;
  command: Command;
}

/** What a command prints: `json` with --json, else `text`. Without a text there is nothing, and `none` says why. */
export interface Result {
  json?: unknown;
  text?: string;
  none?: string | false;
  /** Printed after it, on standard error. */
  notes?: readonly string[];
}

export function defineCommand<Flags = object>(spec: CommandSpec<Flags>): AddCommand {
  return (parent) => {
    const command = parent.command(spec.name).description(spec.description);
    command.summary(spec.summary ?? /^[^;:\n]*[^;:.\n]/.exec(spec.description)![0]);
    for (const [name, help] of Object.entries(spec.arguments ?? {})) command.argument(name, help);
    for (const [flag, help] of Object.entries(spec.required ?? {})) {
      command.requiredOption(flag, help);
    }
    for (const [flag, text] of Object.entries(spec.options ?? {})) {
      const [help, value] = typeof text === "string" ? [text] : text;
      command.option(flag, help, value);
    }
    if (spec.json !== undefined) command.option("--json", spec.json);
    command.action(async (...given) => {
      const context: Context<Flags> = {
        flags: command.opts(),
        get settings() {
          return settingsOf(command).values;
        },
        command,
      };
      const values = given.slice(0, command.registeredArguments.length);
      const result = (await spec.run(context, ...(values as never[]))) as Result | undefined;
      if (result) printResult(result, context.flags.json);
    });
    withSettings(command, spec.settings);
    withExamples(command, spec.examples);
  };
}

function printResult({ json, text, none, notes = [] }: Result, asJson: true | undefined): void {
  if (asJson) print(JSON.stringify(json));
  else if (text) print(text);
  else if (none) note(none);
  for (const one of notes) note(one);
}

/** A command that only has subcommands. */
export function defineGroup(
  spec: Pick<CommandSpec<object>, "name" | "description" | "examples">,
  subcommands: readonly AddCommand[],
): AddCommand {
  return (program) => {
    const group = program.command(spec.name).description(spec.description);
    withExamples(group, spec.examples);
    for (const add of subcommands) add(group);
  };
}

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

const MOST_UNGROUPED = 10;

/** Adds --data, --config and the flags of further settings to a command. */
export function withSettings(command: Command, names: readonly ValueName[] = []): Command {
  for (const name of new Set<ValueName>(["data", ...names])) {
    const option = new SettingOption(name);
    // A few settings are listed with the other options.
    command.addOption(
      names.length > MOST_UNGROUPED ? option.helpGroup(`${groupOf(name)}:`) : option,
    );
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

function flagsOf(command: Command): Pick<Sources, "flags" | "configFile"> {
  const options = command.options.filter((option) => option instanceof SettingOption);
  const flags = Object.fromEntries(
    options.map((option) => [option.setting, command.getOptionValue(option.attributeName())]),
  );
  return { flags, configFile: command.getOptionValue("config") };
}

/** The value of a command's own flag, parsed like a setting. */
export function flagValue<T>(flag: string, text: string, parse: (text: string) => Parsed<T>): T {
  const parsed = parse(text);
  if ("error" in parsed)
    throw new UsageError(`invalid ${flag} ${JSON.stringify(text)}: ${parsed.error}`);
  return parsed.value;
}

/** Adds examples to a command's help. */
export function withExamples(command: Command, examples: Texts): Command {
  const lines = Object.entries(examples).map(([line, does]) => `  # ${does}\n  $ ${line}`);
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n\n")}`);
}

/** Prints the result of a command on standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes to standard output and waits for its reader, so that long output needs little memory. */
export function write(text: string | Uint8Array): Promise<void> {
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
