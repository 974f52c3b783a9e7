/** What scenarios share. They run in Bun and in Node, so they use no APIs of either. */

import assert from "node:assert/strict";
import type * as Client from "../../../client/src/index.ts";

/** Where everything is that a scenario may ask, so that another process can be told. */
export interface Facts {
  /** Records without limits; the shard "away" cannot be read, and what is in "hurt" is damaged. */
  url: string;
  key: string;
  /** Two requests at once and then one a second, on a clock that stands; "beta" is closed to all keys. */
  strictUrl: string;
  slowKey: string;
  /** May read two matches a day. */
  overQuotaKey: string;
  /** In force, and never used. */
  freshKey: string;
  /** Calls itself PUBLIC_URL in links. */
  proxiedUrl: string;
  proxiedKey: string;
  /** Listens to one wrong key a minute. */
  guardedUrl: string;
  standInUrl: string;
  /** Every reply ends before its end. */
  brokenUrl: string;
  /** Nobody listens there. */
  goneUrl: string;
}

export interface Scene {
  client: typeof Client;
  facts: Facts;
}

export type Scenario = (scene: Scene) => Promise<void>;

export const PUBLIC_URL = "https://public.example/some/path";

/** The players of the shard "na"; names that mean something in lists, in addresses or nowhere. */
export const NAMES = ["Ada", "a,b", "back\\slash", "\\,", "50% +&=#?", "日本 🎲", "<img onerror>"];

/** A client of the Matchbook with records. */
export function matchbookOf(
  { client, facts }: Scene,
  options: Partial<Client.MatchbookOptions> = {},
): Client.Matchbook {
  return new client.Matchbook({ url: facts.url, key: facts.key, ...options });
}

/** Notes what is sent and what comes back. */
export function recording() {
  const calls: { address: string; headers: Record<string, string>; status: number }[] = [];
  const fetchAndNote: Client.Fetch = async (address, options) => {
    const call = { address, headers: options.headers, status: 0 };
    calls.push(call);
    const response = await fetch(address, options);
    call.status = response.status;
    return response;
  };
  return { fetch: fetchAndNote, calls, statuses: () => calls.map(({ status }) => status) };
}

/** The MatchbookError that some work must end with. */
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

/** All items of something that can be looped over. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
