/** The token of the admin listener: reads it, and checks requests for it. */

import { createHash, timingSafeEqual } from "node:crypto";
import { statSync } from "node:fs";
import type { AddressLimit } from "../access/failed-keys.ts";
import { BEARER } from "../access/key.ts";
import { SETTINGS, type Settings, variableOf } from "../settings/definitions.ts";
import { SettingsError } from "../settings/load.ts";
import { readText } from "../settings/parsers.ts";
import { AdminError } from "./errors.ts";

const ADVICE = 'generate one with "openssl rand -hex 32"';

/** The token from the settings or from the file that they name. Throws SettingsError. */
export function readToken(settings: Pick<Settings, "admin-token" | "admin-token-file">): string {
  const { "admin-token": token, "admin-token-file": path } = settings;
  if (token !== "") return token;
  if (path === "") {
    throw problem(
      `the admin listener (admin-port) needs a token: set ${variableOf("admin-token")}, ` +
        `or set admin-token-file to a file with the token; ${ADVICE}`,
    );
  }
  const file = readText(path);
  if ("error" in file) throw problem(`the file ${path} (admin-token-file) ${file.error}`);
  const text = file.value.trim();
  if (text === "") throw problem(`the file ${path} (admin-token-file) is empty; ${ADVICE}`);
  const parsed = SETTINGS["admin-token"].parse(text);
  if ("error" in parsed) {
    throw problem(`the token in the file ${path} (admin-token-file) is invalid: ${parsed.error}`);
  }
  return parsed.value;
}

const READABLE_BY_OTHERS = 0o004;

/** The token file, if every user of the machine can read it. */
export function exposedFile(
  settings: Pick<Settings, "admin-token" | "admin-token-file">,
): string | undefined {
  const { "admin-token": token, "admin-token-file": path } = settings;
  if (token !== "" || path === "") return undefined;
  return (statSync(path).mode & READABLE_BY_OTHERS) === 0 ? undefined : path;
}

const problem = (text: string) => new SettingsError([text]);

/** The maximum number of client addresses that are remembered for a valid token. */
const MAX_TRUSTED = 1000;

export class TokenCheck {
  readonly #digest: Buffer;
  /** A client with an invalid token must not lock out others behind the same address. */
  readonly #trusted = new Set<string>();

  constructor(
    token: string,
    private readonly guard: AddressLimit,
  ) {
    this.#digest = digest(token);
  }

  /** Throws AdminError unless the header has the token. `nowMs` is monotonic. */
  check(authorization: string | null, address: string, nowMs: number): void {
    const wait = this.guard.wait(address, nowMs);
    // After too many failures, further tokens from the address are not compared.
    if (wait > 0 && !this.#trusted.has(address)) throw tooManyFailures(wait);
    if (this.#hasToken(authorization)) {
      if (this.#trusted.size < MAX_TRUSTED) this.#trusted.add(address);
      return;
    }
    if (wait > 0) throw tooManyFailures(wait);
    if (authorization !== null) this.guard.take(address, nowMs);
    throw new AdminError(
      "unauthorized",
      'The token is missing or invalid. Send the header "Authorization: Bearer <TOKEN>" with the token of the setting admin-token.',
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
    `Too many invalid tokens from your IP address. Check the token, and retry after ${wait} s.`,
    { headers: { "Retry-After": String(wait) } },
  );
}

const digest = (text: string) => createHash("sha256").update(text).digest();
