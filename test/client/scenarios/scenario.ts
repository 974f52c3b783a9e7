/** What scenarios share. They run in Bun and in Node, so they use no APIs of either. */

import assert from "node:assert/strict";
import type * as Client from "../../../client/src/index.ts";

/** The URLs and keys for the scenarios, as data that another process can use. */
export interface Facts {
  /** Records without limits; the shard "away" cannot be read, and "hurt" is damaged. Requests for "player-bug" fail. */
  url: string;
  key: string;
  /** A burst of two requests, then one a second, on a stopped clock; "beta" is closed to all keys. */
  strictUrl: string;
  slowKey: string;
  /** May read two matches a day. */
  overQuotaKey: string;
  /** Valid, and never used. */
  freshKey: string;
  /** Its links begin with PUBLIC_URL. */
  proxiedUrl: string;
  proxiedKey: string;
  /** Accepts one invalid key a minute before it responds with 429. */
  guardedUrl: string;
  standInUrl: string;
  /** Truncates every response. */
  brokenUrl: string;
  /** Nothing listens there. */
  goneUrl: string;
}

export interface Scene {
  client: typeof Client;
  facts: Facts;
}

export type Scenario = (scene: Scene) => Promise<void>;

export const PUBLIC_URL = "https://public.example/some/path";

/** The players of the shard "na", with names that have a meaning in lists, in URLs or nowhere. */
export const NAMES = ["Ada", "a,b", "back\\slash", "\\,", "50% +&=#?", "日本 🎲", "<img onerror>"];

/** A client of the Matchbook with records. */
export function matchbookOf(
  { client, facts }: Scene,
  options: Partial<Client.MatchbookOptions> = {},
): Client.Matchbook {
  return new client.Matchbook({ url: facts.url, key: facts.key, ...options });
}

/** Records requests and their statuses. */
export function recording() {
  const calls: { address: string; headers: Record<string, string>; status: number }[] = [];
  const fetchAndRecord: Client.Fetch = async (address, options) => {
    const call = { address, headers: options.headers, status: 0 };
    calls.push(call);
    const response = await fetch(address, options);
    call.status = response.status;
    return response;
  };
  return { fetch: fetchAndRecord, calls, statuses: () => calls.map(({ status }) => status) };
}

/** The MatchbookError that a call must throw. */
export async function errorOf(
  { client }: Scene,
  work: () => unknown,
): Promise<Client.MatchbookError> {
  try {
    await work();
  } catch (error) {
    assert(error instanceof client.MatchbookError, `not a MatchbookError: ${error}`);
    return error;
  }
  return assert.fail("no error came");
}

/** All items of an async iterable. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
