/** In charge of finding and reading the settings file. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";

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
    return { path, entries: Object.entries(Bun.TOML.parse(text)) };
  } catch (error) {
    const reason = (error as Error).message.replace(/^TOML Parse error: /, "");
    return { error: `the settings file ${path} is no valid TOML: ${reason}` };
  }
}
