/** Reads an incoming request: its id, path and query, the client's IP address, and the base URL for links. */

import { isIP } from "node:net";
import type { AddressSet } from "../settings/trusted-proxies.ts";
import { unmappedAddress } from "./listen.ts";

/** What the stages need of a request. What few of them need is computed on demand. */
export class ApiRequest {
  constructor(
    readonly raw: Request,
    readonly requestId: string,
    readonly method: string,
    /** Without a trailing slash. */
    readonly path: string,
    /** What follows the question mark, still encoded. */
    readonly query: string,
    /** When it arrived, in milliseconds since the epoch: "now" for every decision about it. */
    readonly time: number,
    readonly origin: string,
    readonly urls: UrlSettings,
    readonly peer: Peer,
  ) {}

  /** Scheme and host for links. */
  baseUrl(): string {
    return baseUrl(this);
  }

  /** The IP address of the client, as far as it is known. */
  clientAddress(): string {
    return clientAddress(this);
  }
}

/** Returns the IP address that a request was sent from. */
export type Peer = (request: Request) => string | undefined;

export interface UrlSettings {
  publicUrl: string;
  trustedProxies: AddressSet;
  /** The URL of this server, for requests without a usable Host header. */
  listening: string;
}

const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

// A random prefix and a counter: cheap, and unique across processes and restarts.
const prefix = crypto.randomUUID().slice(0, 8);
let count = 0;

export function newRequestId(): string {
  count += 1;
  return `${prefix}-${count.toString(36)}`;
}

export function readRequest(
  request: Request,
  urls: UrlSettings,
  peer: Peer,
  time: number,
): ApiRequest {
  const { url } = request;
  // Without a valid Host header, the runtime passes only the path. It drops the host of an absolute target, which
  // would win over the header (RFC 9112, section 3.2.2); clients must send the same host in both.
  const origin = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  const start = origin < 0 ? url.length : origin;
  const question = url.indexOf("?", start);
  const fragment = url.indexOf("#", start);
  const end = fragment < 0 ? url.length : fragment;
  const pathEnd = question < 0 || question > end ? end : question;
  const path = url.slice(start, pathEnd);
  return new ApiRequest(
    request,
    newRequestId(),
    request.method,
    path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path,
    pathEnd === question ? url.slice(question + 1, end) : "",
    time,
    url.slice(0, start),
    urls,
    peer,
  );
}

/** Behind trusted proxies, the nearest IP address that is not one of them. */
function clientAddress({ raw, urls: { trustedProxies }, peer }: ApiRequest): string {
  let address = peer(raw) ?? "unknown";
  if (!trustedProxies.has(address)) return address;
  const hops = raw.headers.get("x-forwarded-for")?.split(",") ?? [];
  for (const hop of hops.reverse()) {
    const said = unmappedAddress(hop.trim());
    if (isIP(said) === 0) break;
    address = said;
    if (!trustedProxies.has(address)) break;
  }
  return address;
}

function baseUrl(request: ApiRequest): string {
  const { urls } = request;
  if (urls.publicUrl !== "") return urls.publicUrl;
  const own = ownUrl(request.origin, urls);
  const forwarded = forwardedUrl(request);
  if (!forwarded) return own;
  const [scheme, host] = own.split("://");
  return `${forwarded.scheme ?? scheme}://${forwarded.host ?? host}`;
}

/** Nearly all clients send the same Host, so the last valid one is cached. */
let lastValid: string | undefined;

function ownUrl(origin: string, { listening }: UrlSettings): string {
  if (origin === lastValid) return origin;
  if (!isHost(origin.slice(origin.indexOf("//") + 2))) return listening;
  lastValid = origin;
  return origin;
}

/** Forwarding headers count only from trusted proxies. */
function forwardedUrl({
  raw,
  urls: { trustedProxies },
  peer,
}: ApiRequest): { scheme?: string; host?: string } | undefined {
  if (trustedProxies.isEmpty) return undefined;
  const host = firstOf(raw.headers.get("x-forwarded-host"));
  const scheme = firstOf(raw.headers.get("x-forwarded-proto"))?.toLowerCase();
  if (host === undefined && scheme === undefined) return undefined;
  const address = peer(raw);
  if (address === undefined || !trustedProxies.has(address)) return undefined;
  return {
    ...(host !== undefined && isHost(host) ? { host } : {}),
    ...(scheme === "http" || scheme === "https" ? { scheme } : {}),
  };
}

/** `URL` also checks the port, which may have too high a number. */
const isHost = (text: string) => HOST.test(text) && URL.canParse(`http://${text}`);
const firstOf = (header: string | null) => header?.split(",")[0]?.trim();
