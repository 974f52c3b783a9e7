/** The visitor's session, stored in the browser: API key, selected region, and the API client that uses them. */

import { useSyncExternalStore } from "react";
import { type Limits, Matchbook } from "../../client/src/index.ts";

export interface Session {
  key: string | undefined;
  /** Without an argument, removes the key. */
  setKey(key?: string): void;
  /** Empty while the server has no shards. */
  shard: string;
  setShard(id: string): void;
  matchbook: Matchbook;
  /** Rate limits from the latest response for this key. */
  limits: Limits | undefined;
  /** Whether the key dialog is open. */
  isAskingForKey: boolean;
  /** The key that a demo server offers to every visitor. */
  offeredKey: string | undefined;
  access: "key" | "visitor" | "none";
  keyState: "unchecked" | "valid" | "invalid" | "ended" | "over-quota" | "rate-limited";
  /** Whether the key is shown in full, on all pages. */
  isKeyShown: boolean;
}

const KEY = "matchbook.key";
/** Set if the stored key is the demo key, so that a new demo key replaces it. */
const FROM_OFFER = "matchbook.key-from-offer";
const SHARD = "matchbook.shard";

const offeredKey = offered();
const firstKey = (stored(FROM_OFFER) && offeredKey) || stored(KEY);

let session: Session = {
  key: firstKey,
  setKey,
  shard: stored(SHARD) ?? "",
  setShard,
  matchbook: clientFor(firstKey),
  limits: undefined,
  isAskingForKey: false,
  offeredKey,
  access: firstKey === undefined ? "none" : "key",
  keyState: "unchecked",
  isKeyShown: false,
};

const listeners = new Set<() => void>();

export const useSession = (): Session => useSyncExternalStore(subscribe, () => session);

export const showKey = (isKeyShown: boolean): void => change({ isKeyShown });

/** Opens or closes the key dialog. */
export const askForKey = (isAskingForKey = true): void => change({ isAskingForKey });

function setKey(key?: string): void {
  const given = key?.trim() || undefined;
  store(KEY, given);
  store(FROM_OFFER, given !== undefined && given === offeredKey ? "yes" : undefined);
  change({ key: given, matchbook: clientFor(given), limits: undefined });
}

function setShard(shard: string): void {
  store(SHARD, shard || undefined);
  change({ shard });
}

function clientFor(key: string | undefined): Matchbook {
  const matchbook = new Matchbook({
    url: location.origin,
    ...(key === undefined ? {} : { key }),
    // The portal shows rate limits instead of waiting silently.
    patience: 0,
    onLimits(limits) {
      if (session.matchbook === matchbook) change({ limits });
    },
  });
  return matchbook;
}

function change(changes: Partial<Session>): void {
  session = { ...session, ...changes };
  session.access = session.key === undefined ? "none" : "key";
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
    if (now !== session.key) change({ key: now, matchbook: clientFor(now), limits: undefined });
  }
}

/** The server writes the demo key into the page, in demo mode only. */
function offered(): string | undefined {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="matchbook-offer"]');
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
