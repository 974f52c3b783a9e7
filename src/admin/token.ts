/** The token of the private listener: where it comes from, and the check that a request has it. */

import { createHash, timingSafeEqual } from "node:crypto";
import { statSync } from "node:fs";
import type { FailureGuard } from "../access/failed-keys.ts";
import { BEARER } from "../access/key.ts";
import { SETTINGS, type Settings, variableOf } from "../settings/definitions.ts";
import { SettingsError } from "../settings/load.ts";
import { readText } from "../settings/parsers.ts";
import { AdminError } from "./errors.ts";

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
  const file = readText(path);
  if ("error" in file) throw problem(`the file ${path} (admin-token-file) ${file.error}`);
  const text = file.value.trim();
  if (text === "") throw problem(`the file ${path} (admin-token-file) is empty; ${ADVICE}`);
  const parsed = SETTINGS["admin-token"].parse(text);
  if ("error" in parsed) {
    throw problem(`the token in the file ${path} (admin-token-file) ${parsed.error}`);
  }
  return parsed.value;
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

/** Addresses that are remembered as having sent the right token. */
const MAX_TRUSTED = 1000;

export class TokenCheck {
  readonly #digest: Buffer;
  /** One client with a wrong token must not lock out the others behind the same address. */
  readonly #trusted = new Set<string>();

  constructor(
    token: string,
    private readonly guard: FailureGuard,
  ) {
    this.#digest = digest(token);
  }

  /** Throws AdminError unless the header has the token. `nowMs` is monotonic. */
  check(authorization: string | null, address: string, nowMs: number): void {
    const wait = this.guard.wait(address, nowMs);
    // Further guesses from an address that has made too many are not even compared.
    if (wait > 0 && !this.#trusted.has(address)) throw tooManyFailures(wait);
    if (this.#hasToken(authorization)) {
      if (this.#trusted.size < MAX_TRUSTED) this.#trusted.add(address);
      return;
    }
    if (wait > 0) throw tooManyFailures(wait);
    if (authorization !== null) this.guard.failed(address, nowMs);
    throw new AdminError(
      "unauthorized",
      'Send the header "Authorization: Bearer <TOKEN>" with the token of the setting admin-token.',
      { headers: { "WWW-Authenticate": "Bearer" } },
    );
  }

  /** In constant time. */
  #hasToken(authorization: string | null): boolean {
    const token = BEARER.exec(authorization ?? "")?.[1];
    return token !== undefined && timingSafeEqual(digest(token), this.#digest);
  }
}

function tooManyFailures(wait: number): AdminError {
  return new AdminError(
    "too-many-failures",
    `Too many wrong tokens came from your address. Wait ${wait} s, check the token, and try again.`,
    { headers: { "Retry-After": String(wait) } },
  );
}

const digest = (text: string) => createHash("sha256").update(text).digest();
