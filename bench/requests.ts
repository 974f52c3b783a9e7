/** Sends single requests before a measurement: samples, entity tags and cursors. */

import { gunzipSync } from "node:zlib";
import { BenchError, type Server } from "./processes.ts";

/** A request: a path, and additional headers. */
export interface Address {
  path: string;
  headers: Record<string, string>;
}

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

export type Fetch = (address: Address) => Promise<Reply>;

const AT_ONCE = 16;

/** Sends the same headers as wrk: no Accept-Encoding unless it is given. */
export function fetchFrom(server: Server, key: string): Fetch {
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
    const reply = { origin, status: response.status, headers: response.headers, body };
    if (response.status === 200 || response.status === 304) return reply;
    const text = plainOf(reply).slice(0, 600);
    throw new BenchError(`${origin}: status ${response.status}:\n    ${text}`);
  };
}

export function documentIn(reply: Reply): Document {
  try {
    return JSON.parse(plainOf(reply)) as Document;
  } catch (error) {
    throw new BenchError(`${reply.origin}: unreadable body: ${(error as Error).message}`);
  }
}

function plainOf({ headers, body }: Reply): string {
  const isGzip = headers.get("content-encoding") === "gzip";
  return Buffer.from(isGzip ? gunzipSync(body) : body).toString();
}

/** In small groups, so that the server is not overloaded. */
export async function inGroups<T, U>(
  things: readonly T[],
  work: (thing: T) => Promise<U>,
): Promise<U[]> {
  const results: U[] = [];
  for (let at = 0; at < things.length; at += AT_ONCE) {
    results.push(...(await Promise.all(things.slice(at, at + AT_ONCE).map(work))));
  }
  return results;
}

/** The URLs that links.next leads to, at most `most`. */
export async function followLinks(from: Fetch, start: Address, most: number): Promise<Address[]> {
  const found: Address[] = [];
  let at = start;
  while (found.length < most) {
    const next = documentIn(await from(at)).links?.next;
    if (next === undefined) break;
    const { pathname, search } = new URL(next, "http://localhost");
    at = { path: `${pathname}${search}`, headers: start.headers };
    found.push(at);
  }
  return found;
}

/** How two responses differ, if they do: servers are compared only if they do the same work. */
export function difference(one: Reply, other: Reply): string | undefined {
  if (one.status !== other.status) return `status ${one.status} and ${other.status}`;
  return one.status === 304 ? undefined : documentDifference(documentIn(one), documentIn(other));
}

export function documentDifference(one: Document, other: Document): string | undefined {
  const ids = ({ data }: Document) => (Array.isArray(data) ? data : [data]).map(({ id }) => id);
  const [here, there] = [ids(one).join(", "), ids(other).join(", ")];
  if (here !== there) return `data [${here}] and [${there}]`;
  const [count, otherCount] = [one.included?.length ?? 0, other.included?.length ?? 0];
  if (count !== otherCount) return `${count} and ${otherCount} resources in included`;
  return undefined;
}
