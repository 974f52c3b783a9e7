/** In charge of reading a request as it arrives: its id, its path, its query, the caller's address for us. */

import { isIP } from "node:net";
import type { AddressSet } from "../settings/trusted-proxies.ts";
import { unmapped } from "./listen.ts";

/** A request, taken apart as far as every stage needs it. Made for each one, so what may not be needed waits. */
export class Call {
  constructor(
    readonly request: Request,
    readonly requestId: string,
    readonly method: string,
    /** Without a trailing slash. */
    readonly path: string,
    /** What follows the question mark, still encoded. */
    readonly query: string,
    /** When it came, in milliseconds since the epoch. All that is decided about it is decided for that time. */
    readonly time: number,
    readonly origin: string,
    readonly addressing: Addressing,
    readonly peer: Peer,
  ) {}

  /** Scheme and host for links. */
  base(): string {
    return baseAddress(this);
  }

  /** The address of whoever asks, as far as it can be known. */
  client(): string {
    return clientAddress(this);
  }
}

/** Says from which address a request was sent to us. */
export type Peer = (request: Request) => string | undefined;

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

export function newRequestId(): string {
  count += 1;
  return `${prefix}-${count.toString(36)}`;
}

export function readCall(request: Request, addressing: Addressing, peer: Peer, time: number): Call {
  const { url } = request;
  // Without a valid Host header the runtime gives the path alone.
  const origin = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  const start = origin < 0 ? url.length : origin;
  const question = url.indexOf("?", start);
  const fragment = url.indexOf("#", start);
  const end = fragment < 0 ? url.length : fragment;
  const pathEnd = question < 0 || question > end ? end : question;
  const path = url.slice(start, pathEnd);
  return new Call(
    request,
    newRequestId(),
    request.method,
    path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path,
    pathEnd === question ? url.slice(question + 1, end) : "",
    time,
    url.slice(0, start),
    addressing,
    peer,
  );
}

/** Behind proxies that the settings name, the address nearest to us that is not one of theirs. */
function clientAddress({ request, addressing: { trustedProxies }, peer }: Call): string {
  let address = peer(request) ?? "unknown";
  if (!trustedProxies.has(address)) return address;
  const hops = request.headers.get("x-forwarded-for")?.split(",") ?? [];
  for (const hop of hops.reverse()) {
    const said = unmapped(hop.trim());
    if (isIP(said) === 0) break;
    address = said;
    if (!trustedProxies.has(address)) break;
  }
  return address;
}

function baseAddress(call: Call): string {
  const { addressing } = call;
  if (addressing.publicUrl !== "") return addressing.publicUrl;
  const own = ownAddress(call.origin, addressing);
  const forwarded = forwardedAddress(call);
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
function forwardedAddress({
  request,
  addressing: { trustedProxies },
  peer,
}: Call): { scheme?: string; host?: string } | undefined {
  if (trustedProxies.isEmpty) return undefined;
  const host = firstOf(request.headers.get("x-forwarded-host"));
  const scheme = firstOf(request.headers.get("x-forwarded-proto"))?.toLowerCase();
  if (host === undefined && scheme === undefined) return undefined;
  const address = peer(request);
  if (address === undefined || !trustedProxies.has(address)) return undefined;
  return {
    ...(host !== undefined && isHost(host) ? { host } : {}),
    ...(scheme === "http" || scheme === "https" ? { scheme } : {}),
  };
}

const isHost = (text: string) => HOST.test(text);
const firstOf = (header: string | null) => header?.split(",")[0]?.trim();
