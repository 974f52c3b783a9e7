/** Loads the settings: flags override variables, variables the file, and the file the defaults. */

import { resolve } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { nearest } from "../text/nearest.ts";
import {
  fileOnly,
  flagOf,
  isSettingName,
  isTableName,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type Settings,
  settingOf,
  VALUE_NAMES,
  type ValueName,
  variableOf,
} from "./definitions.ts";
import { isTable, type Parsed, readText } from "./parsers.ts";

export type Origin = "flag" | "variable" | "file" | "default";

export interface Sources {
  /** The text of each flag that was given, by the setting's name. */
  flags: Readonly<Partial<Record<ValueName, string>>>;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** From --config. Without it, MATCHBOOK_CONFIG names the file. */
  configFile?: string | undefined;
}

export interface LoadedSettings {
  values: Settings;
  origins: Record<SettingName, Origin>;
  /** The settings file that was read, if any. */
  file: string | undefined;
}

/** Everything that is wrong with the settings, as messages for the operator. */
export class SettingsError extends Error {
  override name = "SettingsError";
  constructor(readonly problems: readonly string[]) {
    super(
      problems.length === 1
        ? problems[0]
        : `found ${problems.length} problems in the settings:\n${problems.map((one) => `  - ${one}`).join("\n")}`,
    );
  }
}

/** A value given for a setting, and where. */
interface Given {
  name: SettingName;
  origin: Origin;
  where: string;
  value: unknown;
}

const VARIABLE_PREFIX = "MATCHBOOK_";
const CONFIG_VARIABLE = variableOf("config");

/** Checks every source, including values that another source overrides. */
export function loadSettings(sources: Sources): LoadedSettings {
  const problems: string[] = [];
  const file = readSettingsFile(sources.configFile ?? sources.env[CONFIG_VARIABLE], sources.cwd);
  const given = [
    ...fromFlags(sources),
    ...fromVariables(sources, problems),
    ...fromFile(file, problems),
  ];
  const values: Partial<Record<SettingName, unknown>> = {};
  const origins: Partial<Record<SettingName, Origin>> = {};
  for (const one of [...given, ...defaults()]) {
    const parsed = parse(one);
    if ("error" in parsed) problems.push(malformed(one, parsed.error));
    else if (origins[one.name] === undefined) {
      values[one.name] = parsed.value;
      origins[one.name] = one.origin;
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return {
    values: values as Settings,
    origins: origins as Record<SettingName, Origin>,
    file: file && "path" in file ? file.path : undefined,
  };
}

function fromFlags({ flags }: Sources): Given[] {
  return VALUE_NAMES.filter((name) => flags[name] !== undefined).map((name) => ({
    name,
    origin: "flag",
    where: flagOf(name),
    value: flags[name],
  }));
}

function fromVariables({ env }: Sources, problems: string[]): Given[] {
  const given: Given[] = [];
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(VARIABLE_PREFIX) || value === undefined) continue;
    if (variable === CONFIG_VARIABLE) continue;
    const name = SETTING_NAMES.find((candidate) => variableOf(candidate) === variable);
    if (name !== undefined && isTableName(name)) problems.push(fileOnly(variable, name));
    else if (name !== undefined) given.push({ name, origin: "variable", where: variable, value });
    else {
      // Compared without the prefix, which would make any two look alike.
      const word = variable.slice(VARIABLE_PREFIX.length).replaceAll("_", "-");
      const guess = nearest(word, [...VALUE_NAMES, "config"]);
      problems.push(`unknown variable ${variable}${suggest(guess && variableOf(guess))}`);
    }
  }
  return given;
}

function fromFile(file: SettingsFile | undefined, problems: string[]): Given[] {
  if (file === undefined) return [];
  if ("error" in file) {
    problems.push(file.error);
    return [];
  }
  const given: Given[] = [];
  for (const [key, value] of file.entries) {
    if (isSettingName(key)) given.push({ name: key, origin: "file", where: file.path, value });
    else {
      const guess = nearest(key, SETTING_NAMES);
      problems.push(`unknown setting "${key}" in ${file.path}${suggest(guess && `"${guess}"`)}`);
    }
  }
  return given;
}

function defaults(): Given[] {
  return SETTING_NAMES.map((name) => ({
    name,
    origin: "default",
    where: "the default",
    value: SETTINGS[name].default,
  }));
}

function parse({ name, value }: Given): Parsed<unknown> {
  if (isTableName(name)) {
    if (isTable(value)) return SETTINGS[name].parse(value);
    return { error: `must be tables, for example:\n    ${SETTINGS[name].example.join("\n    ")}` };
  }
  if (isTable(value)) return { error: "must be a single value, not a table" };
  return settingOf(name).parse(textOf(value));
}

function malformed({ name, where, value }: Given, error: string): string {
  // A value in place of tables is not shown: it may contain a password.
  const shown = isTableName(name) || isTable(value) ? "" : ` ${concealed(name, textOf(value))}`;
  return `invalid setting ${name}${shown} (from ${where}): ${error}`;
}

function concealed(name: ValueName, text: string): string {
  const { conceal } = settingOf(name);
  return JSON.stringify(conceal ? conceal(text) : text);
}

/** Parsers read text; in the file, values may also be numbers and arrays. */
function textOf(value: unknown): string {
  return Array.isArray(value) ? value.map(textOf).join(",") : String(value);
}

const suggest = (guess: string | undefined): string =>
  guess ? `; did you mean ${guess}?` : "; run 'matchbook config' to list all settings";

const DEFAULT_FILE = "matchbook.toml";

type SettingsFile = { path: string; entries: [key: string, value: unknown][] } | { error: string };

/** Reads the given file, else the default one. Undefined: no file is given and there is no default one. */
function readSettingsFile(given: string | undefined, cwd: string): SettingsFile | undefined {
  if (given === "") {
    return { error: "the path of the settings file is empty: specify a file, or omit it" };
  }
  const path = given ?? DEFAULT_FILE;
  const text = readText(resolve(cwd, path));
  if (text.code === "ENOENT" && given === undefined) return undefined;
  if ("error" in text) return { error: `the settings file ${path} ${text.error}` };
  try {
    // Tables of the parser have no prototype and could not be printed in a message.
    return { path, entries: Object.entries(structuredClone(parseToml(text.value))) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column, message } = error;
    // The rest of the message quotes the file, which may contain a secret.
    const reason = message.split("\n", 1)[0]!.replace(/^Invalid TOML document: /, "");
    return {
      error: `the settings file ${path} is not valid TOML: ${reason} (line ${line}, column ${column})`,
    };
  }
}
