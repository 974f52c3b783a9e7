/** The visitor's session, stored in the browser: API key, selected region, and the API client that uses them. */

import { useSyncExternalStore } from "react";
import { type Fetch, type Limits, Matchbook } from "../../client/src/index.ts";
import { takeResponse } from "./page-data.ts";
import { fetchAsVisitor, unauthorized } from "./visitor-token.ts";

/**
 * "key": requests use the key. "visitor": they use a visitor token. "none": requests that need a key are not sent, and
 * pages explain what is needed.
 */
export type Access = "key" | "visitor" | "none";

/**
 * What the latest response said about the key. "invalid": it was never accepted in this browser. "ended": it was, and
 * has expired or was revoked.
 */
export type KeyState = "unchecked" | "valid" | "invalid" | "ended" | "over-quota" | "rate-limited";

export interface Session {
  /** The visitor's own API key. */
  key: string | undefined;
  /** Without an argument, removes the key. */
  setKey(key?: string): void;
  keyState: KeyState;
  /** Whether the key is shown in full, everywhere. */
  isKeyShown: boolean;
  /** A rejected key stays in use until the visitor removes it. */
  access: Access;
  /** Empty while the server has no shards. */
  shard: string;
  /** Whether the visitor chose the shard. One that the portal chose is not stored. */
  isShardChosen: boolean;
  setShard(id: string): void;
  /** The shards that this visitor may not read, as far as responses have shown. */
  closedShards: ReadonlySet<string>;
  /** Uses the key, or fetches and renews the visitor token by itself. */
  matchbook: Matchbook;
  /** Rate limits from the latest response for this key. */
  limits: Limits | undefined;
  /** Whether the key dialog is open. */
  isAskingForKey: boolean;
  /** The key that a demo server offers to every visitor. */
  offeredKey: string | undefined;
}

const KEY = "matchbook.key";
/** Set if the stored key is the demo key, so that a new demo key replaces it. */
const FROM_OFFER = "matchbook.key-from-offer";
/** The last key that was accepted. */
const WORKED = "matchbook.key-that-worked";
const SHARD = "matchbook.shard";

const offeredKey = metaContent("matchbook-offer");
let isOpenToVisitors = metaContent("matchbook-visitors") === "on";
const firstKey = (stored(FROM_OFFER) && offeredKey) || stored(KEY);

const sendAsVisitor = fetchAsVisitor(() => {
  isOpenToVisitors = false;
  if (session.access === "visitor") change(connectionFor(undefined));
});

let session: Session = {
  ...connectionFor(firstKey),
  setKey,
  isKeyShown: false,
  shard: stored(SHARD) ?? "",
  isShardChosen: stored(SHARD) !== undefined,
  setShard,
  isAskingForKey: false,
  offeredKey,
};

const listeners = new Set<() => void>();

export const useSession = (): Session => useSyncExternalStore(subscribe, () => session);

/** Opens or closes the key dialog. */
export const askForKey = (isAskingForKey = true): void => change({ isAskingForKey });

/** Shows the key in full, or masked, wherever it appears. */
export const showKey = (isKeyShown: boolean): void => change({ isKeyShown });

/** Selects a shard without the visitor's choice. */
export const proposeShard = (shard: string): void => change({ shard, isShardChosen: false });

function setKey(key?: string): void {
  const given = key?.trim() || undefined;
  store(KEY, given);
  store(FROM_OFFER, given !== undefined && given === offeredKey ? "yes" : undefined);
  if (given === undefined) store(WORKED, undefined);
  change({ ...connectionFor(given), isKeyShown: false });
}

function setShard(shard: string): void {
  store(SHARD, shard || undefined);
  change({ shard, isShardChosen: true });
}

/** What depends on the key. */
function connectionFor(
  key: string | undefined,
): Pick<Session, "key" | "keyState" | "access" | "matchbook" | "limits" | "closedShards"> {
  const access = key !== undefined ? "key" : isOpenToVisitors ? "visitor" : "none";
  const matchbook = new Matchbook({
    url: location.origin,
    ...(key === undefined ? {} : { key }),
    async fetch(url, options) {
      // Such a request would only be refused.
      if (needsAccess(url) && access === "none") return unauthorized();
      const isVisitor = needsAccess(url) && access === "visitor";
      const response = await (isVisitor
        ? (takeResponse(url) ?? sendAsVisitor(url, options))
        : sendWithKey(url, options, key));
      const closed = await closedShard(url, response);
      if (closed !== undefined && session.matchbook === matchbook)
        change({ closedShards: new Set([...session.closedShards, closed]) });
      return response;
    },
    // The portal shows rate limits instead of waiting silently.
    patience: 0,
    onLimits(limits) {
      if (session.matchbook === matchbook) change({ limits });
    },
  });
  const closedShards = new Set<string>();
  return { key, keyState: "unchecked", access, matchbook, limits: undefined, closedShards };
}

const needsAccess = (url: string): boolean => /^\/(?:shards\/|usage$)/.test(new URL(url).pathname);

/** Notes what the response says about the key. */
async function sendWithKey(
  url: string,
  options: Parameters<Fetch>[1],
  key: string | undefined,
): Promise<Response> {
  const response = await fetch(url, options);
  if (key === undefined || !needsAccess(url)) return response;
  const keyState = await stateAfter(response, new URL(url).pathname, key);
  if (session.key === key && keyState !== undefined && keyState !== session.keyState) {
    if (keyState === "valid") store(WORKED, key);
    change({ keyState });
  }
  return response;
}

/** Undefined if the response says nothing about the key. */
async function stateAfter(
  response: Response,
  path: string,
  key: string,
): Promise<KeyState | undefined> {
  if (response.status === 401) return stored(WORKED) === key ? "ended" : "invalid";
  if (response.status === 429) {
    const code = await errorCode(response.clone());
    if (code === "quota-exceeded") return "over-quota";
    return code === "rate-limited" ? "rate-limited" : undefined;
  }
  if (response.status >= 400) return undefined;
  // Other records can be read without a quota.
  if (session.keyState === "over-quota" && !/\/matches(?:\/|$)/.test(path)) return undefined;
  return "valid";
}

/** The shard that the response says is closed to this visitor. */
async function closedShard(url: string, response: Response): Promise<string | undefined> {
  if (response.status !== 403) return undefined;
  const isClosed = (await errorCode(response.clone())) === "shard-closed";
  return isClosed ? new URL(url).pathname.split("/")[2] : undefined;
}

async function errorCode(response: Response): Promise<string | undefined> {
  try {
    const { errors } = (await response.json()) as { errors?: { code?: string }[] };
    return errors?.[0]?.code;
  } catch {
    return undefined;
  }
}

function change(changes: Partial<Session>): void {
  session = { ...session, ...changes };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", syncFromOtherTab);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener("storage", syncFromOtherTab);
  };
}

function syncFromOtherTab({ key }: StorageEvent): void {
  if (key === KEY || key === null) {
    const now = stored(KEY);
    if (now !== session.key) change({ ...connectionFor(now), isKeyShown: false });
  }
}

/** What the server says in the page: in demo mode the demo key, and whether visitors need a key. */
function metaContent(name: string): string | undefined {
  const meta = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`);
  return meta?.content || undefined;
}

/** Browsers may block storage; then the key lasts until the page is closed. */
function stored(name: string): string | undefined {
  try {
    return localStorage.getItem(name)?.trim() || undefined;
  } catch {
    return undefined;
  }
}

function store(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // Storage is blocked: the value is not stored.
  }
}
