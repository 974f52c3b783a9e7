/** Sends single requests before a measurement: samples, entity tags and cursors. */

import { gunzipSync } from "node:zlib";
import type { Server } from "./children.ts";
import { BenchError } from "./failure.ts";
import type { Address } from "./wrk.ts";

export interface Reply {
  /** The server and the path, for error messages. */
  origin: string;
  status: number;
  headers: Headers;
  /** As sent over the wire. */
  body: Uint8Array<ArrayBuffer>;
}

/** The parts of a document that the benchmark checks. */
export interface Document {
  data: { type: string; id: string } | { type: string; id: string }[];
  included?: { type: string; id: string }[];
  links?: { next?: string };
}

export type Ask = (address: Address) => Promise<Reply>;

const AT_ONCE = 16;

/** Sends the same headers as wrk: no Accept-Encoding unless it is given. */
export function askerOf(server: Server, key: string): Ask {
  return async ({ path, headers }) => {
    const origin = `${server.name}, request ${path}`;
    const response = await fetch(`${server.url}${path}`, {
      headers: {
        Authorization: `Bearer ${key}`,
        Accept: "application/vnd.api+json",
        "Accept-Encoding": "identity",
        ...headers,
      },
      decompress: false,
    });
    const body = new Uint8Array(await response.arrayBuffer());
    if (response.status === 200 || response.status === 304) {
      return { origin, status: response.status, headers: response.headers, body };
    }
    const said = plainOf(response.headers, body).slice(0, 600);
    throw new BenchError(`${origin}: status ${response.status}:\n    ${said}`);
  };
}

export function documentIn({ origin, headers, body }: Reply): Document {
  try {
    return JSON.parse(plainOf(headers, body)) as Document;
  } catch (error) {
    throw new BenchError(`${origin}: unreadable body: ${(error as Error).message}`);
  }
}

export const isEmpty = ({ data }: Document): boolean => Array.isArray(data) && data.length === 0;

export function plainOf(headers: Headers, body: Uint8Array): string {
  const encoding = headers.get("content-encoding");
  if (encoding === "gzip") return gunzipSync(body).toString();
  return Buffer.from(encoding === "zstd" ? Bun.zstdDecompressSync(body) : body).toString();
}

/** In small groups, so that the server is not overloaded. */
export async function askAll(ask: Ask, addresses: readonly Address[]): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let at = 0; at < addresses.length; at += AT_ONCE) {
    replies.push(...(await Promise.all(addresses.slice(at, at + AT_ONCE).map(ask))));
  }
  return replies;
}

/** The URLs that links.next leads to, at most `most`. */
export async function walk(ask: Ask, start: Address, most: number): Promise<Address[]> {
  const found: Address[] = [];
  let at = start;
  while (found.length < most) {
    const next = documentIn(await ask(at)).links?.next;
    if (next === undefined) break;
    const { pathname, search } = new URL(next, "http://localhost");
    at = { path: `${pathname}${search}`, headers: start.headers };
    found.push(at);
  }
  return found;
}
