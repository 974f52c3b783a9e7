/** Finds and reads the settings file (matchbook.toml, or the one given by --config). */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse, TomlError } from "smol-toml";

const DEFAULT_FILE = "matchbook.toml";

export type SettingsFile =
  | { path: string; entries: [key: string, value: unknown][] }
  | { error: string };

/** Reads the given file, else the default one. Undefined: no file is given and there is no default one. */
export function readSettingsFile(given: string | undefined, cwd: string): SettingsFile | undefined {
  if (given === "") {
    return { error: "the settings file's name is empty: name a file, or leave the name out" };
  }
  const path = given ?? DEFAULT_FILE;
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && given === undefined) return undefined;
    const reasons: Record<string, string> = {
      ENOENT: "it does not exist; check its name",
      EISDIR: "it is a folder; name a file",
      EACCES: "you may not read it; check its owner and its mode",
    };
    const reason = reasons[code ?? ""] ?? message;
    return { error: `the settings file ${path} cannot be read: ${reason}` };
  }
  try {
    // The parser makes tables without a prototype, which could not be printed in a message.
    return { path, entries: Object.entries(structuredClone(parse(text))) };
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
