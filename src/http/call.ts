/** In charge of reading a request as it arrives: its id, its path, its query, the caller's address for us. */

import { isIP } from "node:net";
import type { AddressSet } from "../settings/proxies.ts";

export interface Call {
  request: Request;
  requestId: string;
  method: string;
  /** Without a trailing slash. */
  path: string;
  /** What follows the question mark, still encoded. */
  query: string;
  /** Scheme and host for links. */
  base: () => string;
  /** The address of whoever asks, as far as it can be known. */
  client: () => string;
}

export interface Addressing {
  publicUrl: string;
  trustedProxies: AddressSet;
  /** Where this server listens: for callers that name no usable host. */
  listening: string;
}

const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

// Distinct across processes and restarts, yet cheap: a random start, then counted.
const prefix = crypto.randomUUID().slice(0, 8);
let count = 0;

export function readCall(
  request: Request,
  addressing: Addressing,
  peer: () => string | undefined,
): Call {
  count += 1;
  const { url } = request;
  // Without a valid Host header the runtime gives the path alone.
  const origin = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  const start = origin < 0 ? url.length : origin;
  const question = url.indexOf("?", start);
  const fragment = url.indexOf("#", start);
  const end = fragment < 0 ? url.length : fragment;
  const pathEnd = question < 0 || question > end ? end : question;
  const path = url.slice(start, pathEnd);
  return {
    request,
    requestId: `${prefix}-${count.toString(36)}`,
    method: request.method,
    path: path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path,
    query: pathEnd === question ? url.slice(question + 1, end) : "",
    base: () => baseAddress(request, url.slice(0, start), addressing, peer),
    client: () => clientAddress(request, addressing, peer),
  };
}

/** Behind proxies that the settings name, the address nearest to us that is not one of theirs. */
function clientAddress(
  request: Request,
  { trustedProxies }: Addressing,
  peer: () => string | undefined,
): string {
  let address = peer() ?? "unknown";
  if (!trustedProxies.has(address)) return address;
  const hops = request.headers.get("x-forwarded-for")?.split(",") ?? [];
  for (const hop of hops.reverse()) {
    const said = hop.trim().replace(/^::ffff:(?=\d+\.)/, "");
    if (isIP(said) === 0) break;
    address = said;
    if (!trustedProxies.has(address)) break;
  }
  return address;
}

function baseAddress(
  request: Request,
  origin: string,
  addressing: Addressing,
  peer: () => string | undefined,
): string {
  if (addressing.publicUrl !== "") return addressing.publicUrl;
  const own = ownAddress(origin, addressing);
  const forwarded = forwardedAddress(request, addressing, peer);
  if (!forwarded) return own;
  const [scheme, host] = own.split("://");
  return `${forwarded.scheme ?? scheme}://${forwarded.host ?? host}`;
}

/** Nearly all callers name the same host, so the last one that was found to be good is kept. */
let lastGood = "";

function ownAddress(origin: string, { listening }: Addressing): string {
  if (origin === lastGood) return origin;
  if (!isHost(origin.slice(origin.indexOf("//") + 2))) return listening;
  lastGood = origin;
  return origin;
}

/** Forwarding headers count only from the proxies that the settings name. */
function forwardedAddress(
  request: Request,
  { trustedProxies }: Addressing,
  peer: () => string | undefined,
): { scheme?: string; host?: string } | undefined {
  if (trustedProxies.isEmpty) return undefined;
  const host = firstOf(request.headers.get("x-forwarded-host"));
  const scheme = firstOf(request.headers.get("x-forwarded-proto"))?.toLowerCase();
  if (host === undefined && scheme === undefined) return undefined;
  const address = peer();
  if (address === undefined || !trustedProxies.has(address)) return undefined;
  return {
    ...(host !== undefined && isHost(host) ? { host } : {}),
    ...(scheme === "http" || scheme === "https" ? { scheme } : {}),
  };
}

const isHost = (text: string) => HOST.test(text);
const firstOf = (header: string | null) => header?.split(",")[0]?.trim();
