/** In charge of single requests: samples, entity tags and walks, before anything is measured. */

import { gunzipSync } from "node:zlib";
import type { Server } from "./children.ts";
import { BenchError } from "./failure.ts";
import type { Address } from "./wrk.ts";

export interface Reply {
  /** Who said it, to what. */
  origin: string;
  status: number;
  headers: Headers;
  /** As it came over the wire. */
  body: Uint8Array<ArrayBuffer>;
}

/** The parts of a reply that the benchmark looks at. */
export interface Document {
  data: { type: string; id: string } | { type: string; id: string }[];
  included?: { type: string; id: string }[];
  links?: { next?: string };
}

export type Ask = (address: Address) => Promise<Reply>;

const AT_ONCE = 16;

/** Asks as wrk will: a caller that names no encoding gets none. */
export function askerOf(server: Server, key: string): Ask {
  return async ({ path, headers }) => {
    const origin = `${server.name}, asked for ${path}`;
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
    throw new BenchError(`${origin}, answered ${response.status}:\n    ${said}`);
  };
}

export function documentIn({ origin, headers, body }: Reply): Document {
  try {
    return JSON.parse(plainOf(headers, body)) as Document;
  } catch (error) {
    throw new BenchError(`${origin}, sent a body that cannot be read: ${(error as Error).message}`);
  }
}

export const isEmpty = ({ data }: Document): boolean => Array.isArray(data) && data.length === 0;

function plainOf(headers: Headers, body: Uint8Array): string {
  const isGzip = headers.get("content-encoding") === "gzip";
  return Buffer.from(isGzip ? gunzipSync(body) : body).toString();
}

/** One after another in small groups, so that the server is not swamped. */
export async function askAll(ask: Ask, addresses: readonly Address[]): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let at = 0; at < addresses.length; at += AT_ONCE) {
    replies.push(...(await Promise.all(addresses.slice(at, at + AT_ONCE).map(ask))));
  }
  return replies;
}

/** The addresses that links.next leads to, from one on, at most so many. */
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
