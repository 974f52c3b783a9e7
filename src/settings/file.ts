/** In charge of finding and reading the settings file. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse, TomlError } from "smol-toml";

const DEFAULT_FILE = "matchbook.toml";

export type SettingsFile =
  | { path: string; entries: [key: string, value: unknown][] }
  | { error: string };

/**
 * Reads the file that was asked for, or the one in the working folder if it is there. Undefined:
 * none was asked for and none is there.
 */
export function readSettingsFile(asked: string | undefined, cwd: string): SettingsFile | undefined {
  if (asked === "") {
    return { error: "the settings file's name is empty: name a file, or leave the name out" };
  }
  const path = asked ?? DEFAULT_FILE;
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && asked === undefined) return undefined;
    const reasons: Record<string, string> = {
      ENOENT: "it does not exist; check its name",
      EISDIR: "it is a folder; name a file",
      EACCES: "you may not read it; check its owner and its mode",
    };
    const reason = reasons[code ?? ""] ?? message;
    return { error: `the settings file ${path} cannot be read: ${reason}` };
  }
  try {
    // Tables of the parser have no prototype, and so could not be put into a message.
    return { path, entries: Object.entries(structuredClone(parse(text))) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column, message } = error;
    // The message goes on with the text around the place, which may be a secret.
    const reason = message.split("\n", 1)[0]!.replace(/^Invalid TOML document: /, "");
    const place = `line ${line}, column ${column}`;
    return { error: `the settings file ${path} is not valid TOML: ${reason} (${place})` };
  }
}
