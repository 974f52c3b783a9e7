/** Reads an incoming request: its id, path and query, the client's IP address, and the base URL for links. */

import { isIP } from "node:net";
import type { Clock } from "../access/clock.ts";
import type { LiveKey } from "../access/key-lookup.ts";
import type { LimitHeaders } from "../access/rate-limit.ts";
import type { ErrorCode } from "../domain/errors.ts";
import type { AddressSet } from "../settings/trusted-proxies.ts";
import { unmappedAddress } from "./listen.ts";

/** A request, and what becomes known about it: for its response, the log, and the metrics. */
export class ApiRequest {
  readonly requestId = newRequestId();
  readonly method: string;
  /** Without a trailing slash. */
  readonly path: string;
  /** What follows the question mark, still encoded. */
  readonly query: string;
  readonly #origin: string;
  /** When it arrived, in milliseconds since the epoch: "now" for every decision about it. */
  readonly time: number;
  /** The same on the monotonic clock. */
  readonly began: number;

  /** The path of its route. */
  route: string | undefined;
  /** The shard in its path; empty if there is none. */
  shard = "";
  key: LiveKey | undefined;
  /** Describe the limits of the key, also in an error response. */
  limitHeaders: LimitHeaders | undefined;
  /** Match and player records in the response. */
  records = 0;
  code: ErrorCode | undefined;
  /** Whether it was counted by its IP address. */
  isCounted = false;
  /** The shard for which it counts as in flight. */
  inFlightFor: string | undefined;

  constructor(
    readonly raw: Request,
    private readonly urls: UrlSettings,
    private readonly peer: Peer,
    private readonly clock: Clock,
  ) {
    this.began = clock.monotonic();
    this.time = clock.now();
    const { url } = raw;
    // Without a valid Host header, the runtime passes only the path. It drops the host of an absolute target, which
    // would win over the header (RFC 9112, section 3.2.2); clients must send the same host in both.
    const origin = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
    const start = origin < 0 ? url.length : origin;
    const fragment = url.indexOf("#", start);
    const end = fragment < 0 ? url.length : fragment;
    const question = url.indexOf("?", start);
    const hasQuery = question >= 0 && question < end;
    const pathEnd = hasQuery ? question : end;
    const isSlashed = pathEnd > start + 1 && url.endsWith("/", pathEnd);
    this.method = raw.method;
    this.path = url.slice(start, isSlashed ? pathEnd - 1 : pathEnd);
    this.query = hasQuery ? url.slice(question + 1, end) : "";
    this.#origin = url.slice(0, start);
  }

  /** Milliseconds since it arrived. */
  elapsed(): number {
    return this.clock.monotonic() - this.began;
  }

  /** Scheme and host for links. */
  baseUrl(): string {
    const { urls, raw, peer } = this;
    if (urls.publicUrl !== "") return urls.publicUrl;
    const own = ownUrl(this.#origin, urls);
    // Forwarding headers count only from trusted proxies.
    if (urls.trustedProxies.isEmpty) return own;
    const host = firstOf(raw.headers.get("x-forwarded-host"));
    const scheme = firstOf(raw.headers.get("x-forwarded-proto"));
    if (host === undefined && scheme === undefined) return own;
    if (!urls.trustedProxies.has(peer(raw) ?? "unknown")) return own;
    const [ownScheme, ownHost] = own.split("://");
    const usedScheme = /^https?$/i.test(scheme ?? "") ? scheme!.toLowerCase() : ownScheme;
    return `${usedScheme}://${host !== undefined && isHost(host) ? host : ownHost}`;
  }

  /** The IP address of the client, as far as it is known: behind trusted proxies, the nearest that is not one of them. */
  clientAddress(): string {
    const { raw, peer } = this;
    const { trustedProxies } = this.urls;
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

/** Nearly all clients send the same Host, so the last valid one is cached. */
let lastValid: string | undefined;

function ownUrl(origin: string, { listening }: UrlSettings): string {
  if (origin === lastValid) return origin;
  if (!isHost(origin.slice(origin.indexOf("//") + 2))) return listening;
  lastValid = origin;
  return origin;
}

/** `URL` also checks the port, which may have too high a number. */
const isHost = (text: string) => HOST.test(text) && URL.canParse(`http://${text}`);
const firstOf = (header: string | null) => header?.split(",")[0]?.trim();
