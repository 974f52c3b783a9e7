/** In charge of the token of the private listener: where it comes from, and whether a caller shows it. */

import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { BEARER } from "../access/key.ts";
import { SettingsError } from "../settings/load.ts";
import { SETTINGS, type Settings, variableOf } from "../settings/table.ts";

const ADVICE = '"openssl rand -hex 32" makes a good one';

/** The token that the settings name, themselves or in a file. Throws SettingsError. */
export function readToken(settings: Pick<Settings, "admin-token" | "admin-token-file">): string {
  const { "admin-token": token, "admin-token-file": path } = settings;
  if (token !== "") return token;
  if (path === "") {
    throw problem(
      `the private listener (admin-port) needs a token: put one into the variable ${variableOf("admin-token")}, ` +
        `or into a file that the setting admin-token-file names; ${ADVICE}`,
    );
  }
  const text = contentOf(path);
  if (text === "") throw problem(`the file ${path} (admin-token-file) is empty; ${ADVICE}`);
  const parsed = SETTINGS["admin-token"].parse(text);
  if ("error" in parsed) {
    throw problem(`the token in the file ${path} (admin-token-file) ${parsed.error}`);
  }
  return parsed.value;
}

const REASONS: Record<string, string> = {
  ENOENT: "it does not exist; check its name",
  EISDIR: "it is a folder; name a file",
  EACCES: "you may not read it; check its owner and its mode",
};

function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw problem(
      `the file ${path} (admin-token-file) cannot be read: ${REASONS[code] ?? message}`,
    );
  }
}

const READABLE_BY_OTHERS = 0o004;

/** The file that the token comes from, if every user of the machine can read it. */
export function exposedFile(
  settings: Pick<Settings, "admin-token" | "admin-token-file">,
): string | undefined {
  const { "admin-token": token, "admin-token-file": path } = settings;
  if (token !== "" || path === "") return undefined;
  return (statSync(path).mode & READABLE_BY_OTHERS) === 0 ? undefined : path;
}

const problem = (text: string) => new SettingsError([text]);

/** Says whether an Authorization header shows the token. How long that takes tells nothing of it. */
export function tokenCheck(token: string): (authorization: string | null) => boolean {
  const right = digest(token);
  return (authorization) => {
    const shown = BEARER.exec(authorization ?? "")?.[1];
    return shown !== undefined && timingSafeEqual(digest(shown), right);
  };
}

const digest = (text: string) => createHash("sha256").update(text).digest();
