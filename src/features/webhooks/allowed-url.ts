/** The URL of a hook: its form, and the addresses behind its name, which must be public. */

import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Parsed } from "../../settings/parsers.ts";
import { isPublicAddress } from "./addresses.ts";

const LONGEST_URL = 2048;

/** What can be said without a resolution. `allowPrivate` is for receivers in the operator's own network. */
export function parseHookUrl(text: string, allowPrivate: boolean): Parsed<string> {
  const url = text.length <= LONGEST_URL && URL.canParse(text) ? new URL(text) : undefined;
  const isUrl =
    url !== undefined &&
    ["https:", "http:"].includes(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.hash === "";
  if (!isUrl) {
    return {
      error: `must be an absolute https URL of at most ${LONGEST_URL} characters, without user, password or fragment, e.g. https://example.com/hook`,
    };
  }
  const reason = reasonAgainst(url, allowPrivate);
  return reason === undefined
    ? { value: url.href }
    : { error: `cannot be used: ${reason}; hooks = private allows receivers in your own network` };
}

/** A URL that hooks may not be sent to. The message says why. */
export class ForbiddenUrl extends Error {
  override name = "ForbiddenUrl";
}

/**
 * The addresses to connect to. Unless private ones are allowed, throws ForbiddenUrl if one is not public, or the port is
 * that of another service; throws a system error if the name cannot be resolved.
 */
export async function resolveHookUrl(url: URL, allowPrivate: boolean): Promise<LookupAddress[]> {
  checkHookUrl(url, allowPrivate);
  const host = hostOf(url);
  const addresses = await lookup(host, { all: true });
  const forbidden = addresses.find(({ address }) => !allowPrivate && !isPublicAddress(address));
  if (forbidden === undefined) return addresses;
  throw new ForbiddenUrl(`${host} resolves to ${forbidden.address}, which is not a public address`);
}

const HTTPS_PORT = 443;
const FIRST_UNRESERVED_PORT = 1024;
/** Resolvers may or may not know such names: they mean the machine itself. */
const LOCAL_NAME = /(?:^|\.)localhost\.?$/;

/** Why a hook may not be sent to a URL, as far as that can be said without a resolution. */
function reasonAgainst(url: URL, allowPrivate: boolean): string | undefined {
  if (allowPrivate) return undefined;
  if (url.protocol !== "https:") return "the URL must be https";
  const host = hostOf(url);
  if (LOCAL_NAME.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))) {
    return `${host} is not a public address`;
  }
  // The others are those of mail, SSH and other services, which must not be spoken to in the name of the server.
  const port = Number(url.port) || HTTPS_PORT;
  return port === HTTPS_PORT || port >= FIRST_UNRESERVED_PORT
    ? undefined
    : `port ${port} is not allowed, only 443 and those from 1024 on`;
}

/** Throws ForbiddenUrl. */
export function checkHookUrl(url: URL, allowPrivate: boolean): void {
  const reason = reasonAgainst(url, allowPrivate);
  if (reason !== undefined) throw new ForbiddenUrl(reason);
}

/** Without the brackets of an IPv6 address. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1");
