/** The URL of a hook: its form, and the addresses behind its name, which must be public. */

import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Parsed } from "../../settings/parsers.ts";
import { isPublicAddress } from "./addresses.ts";

const LONGEST_URL = 2048;

/** The form only. `allowPrivate` is for receivers in the operator's own network. */
export function parseHookUrl(text: string, allowPrivate: boolean): Parsed<string> {
  const url = text.length <= LONGEST_URL && URL.canParse(text) ? new URL(text) : undefined;
  const schemes = allowPrivate ? ["https:", "http:"] : ["https:"];
  const isUsable =
    url !== undefined &&
    schemes.includes(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.hash === "";
  if (isUsable) return { value: url.href };
  const scheme = allowPrivate ? "http or https" : "https";
  const advice =
    !allowPrivate && url?.protocol === "http:"
      ? "; hooks = private allows http, for receivers in your own network"
      : "";
  return {
    error: `must be an absolute ${scheme} URL of at most ${LONGEST_URL} characters, without user, password or fragment, e.g. https://example.com/hook${advice}`,
  };
}

/** A URL that hooks may not be sent to. The message says why. */
export class ForbiddenUrl extends Error {
  override name = "ForbiddenUrl";
}

/**
 * The addresses to connect to. Unless private ones are allowed, throws ForbiddenUrl if one is not public, or the port is
 * that of another service; throws a system error if the name cannot be resolved.
 */
export async function resolveHookUrl(url: URL, allowPrivate: boolean): Promise<string[]> {
  checkHookUrl(url, allowPrivate);
  const host = hostOf(url);
  if (isIP(host) !== 0) return [host];
  const addresses = (await lookup(host, { all: true })).map(({ address }) => address);
  const forbidden = allowPrivate ? undefined : addresses.find((one) => !isPublicAddress(one));
  if (forbidden === undefined) return addresses;
  throw new ForbiddenUrl(`${host} resolves to ${forbidden}, which is not a public address`);
}

const HTTPS_PORT = 443;
const FIRST_UNRESERVED_PORT = 1024;
/** Resolvers may or may not know such names: they mean the machine itself. */
const LOCAL_NAME = /(?:^|\.)localhost\.?$/;

/** What can be said without a resolution. Throws ForbiddenUrl. */
export function checkHookUrl(url: URL, allowPrivate: boolean): void {
  if (allowPrivate) return;
  if (url.protocol !== "https:") {
    throw new ForbiddenUrl("the URL must be https, unless the setting hooks is private");
  }
  const host = hostOf(url);
  if (LOCAL_NAME.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))) {
    throw new ForbiddenUrl(`${host} is not a public address`);
  }
  // The others are those of mail, SSH and other services, which must not be spoken to in the name of the server.
  const port = Number(url.port) || HTTPS_PORT;
  if (port !== HTTPS_PORT && port < FIRST_UNRESERVED_PORT) {
    throw new ForbiddenUrl(`port ${port} is not allowed, only 443 and those from 1024 on`);
  }
}

/** Without the brackets of an IPv6 address. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1");
