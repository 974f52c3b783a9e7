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
  const found = [...listenerFindings(values), ...logFindings(values), ...secretFindings(loaded)];
  const source = file === undefined ? "no settings file" : `from ${file}`;
  return [ok(SUBJECT, source), ...found];
}

/** Everything that is wrong with settings that could not be loaded. */
export const invalidSettings = ({ problems }: SettingsError): Finding[] =>
  problems.map((one) => problem(SUBJECT, one));

function listenerFindings(settings: Settings): Finding[] {
  const found: Finding[] = [];
  if (settings["trusted-proxies"].texts.some((block) => block.endsWith("/0"))) {
    found.push(
      problem(
        SUBJECT,
        "trusted-proxies includes every address, so that clients can forge theirs and evade the limits per address",
        "list only the addresses of your proxies",
      ),
    );
  }
  const host = settings["admin-port"]?.host;
  if (host !== undefined && !isLoopback(host)) {
    found.push(
      warning(
        SUBJECT,
        `the admin listener is on ${host}, not only on this machine`,
        "set admin-port to the port alone, or make sure that clients cannot reach it",
      ),
    );
  }
  return found;
}

function logFindings({ "log-level": level }: Settings): Finding[] {
  if (level !== "silent" && level !== "fatal") return [];
  const message = `log-level is ${level}: errors are not logged`;
  return [warning(SUBJECT, message, "set it to warn or info")];
}

const READABLE_BY_OTHERS = 0o004;

/** In a settings file: the token, or a URL with a password. */
const SECRET = /^\s*admin-token\s*=|:\/\/[^\s"'@/]*:[^\s"'@/]+@/m;

function secretFindings({ values, file }: LoadedSettings): Finding[] {
  const found: Finding[] = [];
  const exposed = (path: string) =>
    problem(
      SUBJECT,
      `every user of this machine can read the secrets in ${path}`,
      `chmod 600 ${path}`,
    );
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
