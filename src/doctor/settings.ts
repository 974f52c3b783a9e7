/** Finds settings that are valid but look wrong. */

import { readFileSync, statSync } from "node:fs";
import { exposedFile, readToken } from "../admin/token.ts";
import type { Settings } from "../settings/definitions.ts";
import { type LoadedSettings, SettingsError } from "../settings/load.ts";
import { isLoopback } from "../settings/parsers.ts";
import { type Finding, ok, problem, warning } from "./findings.ts";

const SUBJECT = "settings";

export function settingsFindings(loaded: LoadedSettings): Finding[] {
  const { values, file } = loaded;
  const source = file === undefined ? "no settings file" : `from ${file}`;
  return [ok(SUBJECT, source), ...settingFindings(values), ...secretFindings(loaded)];
}

/** Everything that is wrong with settings that could not be loaded. */
export const invalidSettings = ({ problems }: SettingsError): Finding[] =>
  problems.map((one) => problem(SUBJECT, one));

function settingFindings(settings: Settings): Finding[] {
  const found: Finding[] = [];
  if (settings["trusted-proxies"].texts.some((block) => block.endsWith("/0"))) {
    const message =
      "trusted-proxies includes every address, so that clients can forge theirs and evade the limits per address";
    found.push(problem(SUBJECT, message, "list only the addresses of your proxies"));
  }
  const host = settings["admin-port"]?.host;
  if (host !== undefined && !isLoopback(host)) {
    const message = `the admin listener is on ${host}, not only on this machine`;
    const advice = "set admin-port to the port alone, or make sure that clients cannot reach it";
    found.push(warning(SUBJECT, message, advice));
  }
  const level = settings["log-level"];
  if (level === "silent" || level === "fatal") {
    const message = `log-level is ${level}: errors are not logged`;
    found.push(warning(SUBJECT, message, "set it to warn or info"));
  }
  return found;
}

const READABLE_BY_OTHERS = 0o004;

/** In a settings file: the token, or a URL with a password. */
const SECRET = /^\s*admin-token\s*=|:\/\/[^\s"'@/]*:[^\s"'@/]+@/m;

function secretFindings({ values, file }: LoadedSettings): Finding[] {
  const found: Finding[] = [];
  const exposed = (path: string) => {
    const message = `every user of this machine can read the secrets in ${path}`;
    return problem(SUBJECT, message, `chmod 600 ${path}`);
  };
  if (values["admin-port"] !== undefined) {
    try {
      readToken(values);
      const path = exposedFile(values);
      if (path !== undefined) found.push(exposed(path));
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      found.push(problem(SUBJECT, error.message));
    }
  }
  const isReadable = file !== undefined && (statSync(file).mode & READABLE_BY_OTHERS) !== 0;
  if (isReadable && SECRET.test(readFileSync(file, "utf8"))) found.push(exposed(file));
  return found;
}
