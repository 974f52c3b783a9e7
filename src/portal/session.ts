/** The visitor's session, stored in the browser: API key, selected region, and the API client that uses them. */

import { type Fetch, type Limits, Matchbook } from "../../client/src/index.ts";
import { noteWait } from "./network.ts";
import { takeResponse } from "./page-data.ts";
import { onStored, store, stored } from "./storage.ts";
import { createStore, useStore } from "./store.ts";
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
  /** Without an argument, removes the key. Closes the key dialog. */
  setKey(key?: string): void;
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
  /** Whether the key dialog is open. */
  isAskingForKey: boolean;
  /** The key that a demo server offers to every visitor. */
  offeredKey: string | undefined;
}

const KEY = "matchbook.key";
/** Set if the stored key is the demo key, so that a new demo key replaces it. */
const FROM_OFFER = "matchbook.key-from-offer";
/** Set if the stored key was accepted once. */
const WORKED = "matchbook.key-that-worked";
const SHARD = "matchbook.shard";

const offeredKey = metaContent("matchbook-offer");
let isOpenToVisitors = metaContent("matchbook-visitors") === "on";

const sendAsVisitor = fetchAsVisitor(() => {
  isOpenToVisitors = false;
  if (session.get().access === "visitor") change(connectionFor(undefined));
});

// Not part of the session, since most responses change them, and few components show them.
const keyState = createStore<KeyState>("unchecked");
const limits = createStore<Limits | undefined>(undefined);

const session = createStore<Session>({
  ...connectionFor((stored(FROM_OFFER) && offeredKey) || stored(KEY)),
  setKey,
  isKeyShown: false,
  shard: stored(SHARD) ?? "",
  isShardChosen: stored(SHARD) !== undefined,
  setShard,
  isAskingForKey: false,
  offeredKey,
});

onStored(KEY, () => {
  const key = stored(KEY);
  if (key !== session.get().key) change({ ...connectionFor(key), isKeyShown: false });
});

export const useSession = (): Session => useStore(session);

export const useKeyState = (): KeyState => useStore(keyState);

/** Rate limits from the latest response for this key. */
export const useLimits = (): Limits | undefined => useStore(limits);

/** Opens or closes the key dialog. */
export const askForKey = (isAskingForKey = true): void => change({ isAskingForKey });

/** Shows the key in full, or masked, wherever it appears. */
export const showKey = (isKeyShown: boolean): void => change({ isKeyShown });

/** Selects a shard without the visitor's choice. */
export const proposeShard = (shard: string): void => change({ shard, isShardChosen: false });

function setKey(key?: string): void {
  const given = key?.trim() || undefined;
  if (given !== session.get().key) store(WORKED, undefined);
  store(KEY, given);
  store(FROM_OFFER, given !== undefined && given === offeredKey ? "yes" : undefined);
  change({ ...connectionFor(given), isKeyShown: false, isAskingForKey: false });
}

function setShard(shard: string): void {
  store(SHARD, shard || undefined);
  change({ shard, isShardChosen: true });
}

function change(changes: Partial<Session>): void {
  session.set({ ...session.get(), ...changes });
}

/** What depends on the key. */
function connectionFor(
  key: string | undefined,
): Pick<Session, "key" | "access" | "matchbook" | "closedShards"> {
  const access = key !== undefined ? "key" : isOpenToVisitors ? "visitor" : "none";
  const isCurrent = () => session.get().matchbook === matchbook;
  const send: Fetch = async (url, options) => {
    const { pathname } = new URL(url);
    const needsAccess = /^\/(?:shards\/|player-names$|usage$)/.test(pathname);
    // Such a request would only be refused.
    if (needsAccess && access === "none") return unauthorized();
    const isVisitor = needsAccess && access === "visitor";
    const inPage = isVisitor ? takeResponse(url) : undefined;
    const sent = () => (isVisitor ? sendAsVisitor(url, options) : fetch(url, options));
    const response = inPage ?? (await sent().finally(() => noteWait(url)));
    const code = response.ok ? undefined : await errorCode(response.clone());
    if (code === "rate-limited") waitFor(url, response, options.signal);
    if (!isCurrent()) return response;
    if (code === "shard-closed") {
      const closed = pathname.split("/")[2]!;
      change({ closedShards: new Set([...session.get().closedShards, closed]) });
    }
    if (needsAccess && access === "key") noteKeyState(stateAfter(response.status, code, pathname));
    return response;
  };
  const matchbook = new Matchbook({
    url: location.origin,
    ...(key === undefined ? {} : { key }),
    fetch: send,
    // It waits as long as the server says: Waiting in app.tsx tells the visitor.
    patience: Number.POSITIVE_INFINITY,
    onLimits: (latest) => isCurrent() && limits.set(latest),
  });
  keyState.set("unchecked");
  limits.set(undefined);
  return { key, access, matchbook, closedShards: new Set() };
}

/** The client repeats the request by itself. */
function waitFor(url: string, { headers }: Response, signal: AbortSignal | null): void {
  const seconds = Math.max(1, Number(headers.get("Retry-After")) || 0);
  noteWait(url, Date.now() + seconds * 1000);
  signal?.addEventListener("abort", () => noteWait(url), { once: true });
}

function noteKeyState(state: KeyState | undefined): void {
  if (state === undefined || state === keyState.get()) return;
  if (state === "valid") store(WORKED, "yes");
  keyState.set(state);
}

/** Undefined if the response says nothing about the key. */
function stateAfter(status: number, code: string | undefined, path: string): KeyState | undefined {
  if (status === 401) return stored(WORKED) ? "ended" : "invalid";
  if (code === "quota-exceeded") return "over-quota";
  if (code === "rate-limited") return code;
  if (status >= 400) return undefined;
  // Other records can be read without a quota.
  if (keyState.get() === "over-quota" && !/\/matches(?:\/|$)/.test(path)) return undefined;
  return "valid";
}

async function errorCode(response: Response): Promise<string | undefined> {
  try {
    const { errors } = (await response.json()) as { errors?: { code?: string }[] };
    return errors?.[0]?.code;
  } catch {
    return undefined;
  }
}

/** What the server says in the page: in demo mode the demo key, and whether visitors need a key. */
function metaContent(name: string): string | undefined {
  const meta = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`);
  return meta?.content || undefined;
}
