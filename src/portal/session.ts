/** In charge of what the browser keeps for its visitor: the key, the chosen shard, and the client made of them. */

import { useSyncExternalStore } from "react";
import { type Limits, Matchbook } from "../../client/src/index.ts";

export interface Session {
  key: string | undefined;
  /** Without an argument it is forgotten. */
  setKey(key?: string): void;
  /** Empty as long as the service has no shards. */
  shard: string;
  setShard(id: string): void;
  matchbook: Matchbook;
  /** As the latest reply to this key told them. */
  limits: Limits | undefined;
  /** Whether the visitor is being asked for a key. */
  isAskingForKey: boolean;
  /** The key that a demo server offers to everybody. */
  offeredKey: string | undefined;
}

const KEY = "matchbook.key";
/** Whether the key was a demo server's offer: each start of such a server makes a new one. */
const FROM_OFFER = "matchbook.key-from-offer";
const SHARD = "matchbook.shard";

const offeredKey = offered();
const firstKey = (kept(FROM_OFFER) && offeredKey) || kept(KEY);

let session: Session = {
  key: firstKey,
  setKey,
  shard: kept(SHARD) ?? "",
  setShard,
  matchbook: clientFor(firstKey),
  limits: undefined,
  isAskingForKey: false,
  offeredKey,
};

const listeners = new Set<() => void>();

export const useSession = (): Session => useSyncExternalStore(subscribe, () => session);

/** Opens the dialog that asks for a key; or closes it. */
export const askForKey = (isAskingForKey = true): void => change({ isAskingForKey });

function setKey(key?: string): void {
  const given = key?.trim() || undefined;
  keep(KEY, given);
  keep(FROM_OFFER, given !== undefined && given === offeredKey ? "yes" : undefined);
  change({ key: given, matchbook: clientFor(given), limits: undefined });
}

function setShard(shard: string): void {
  keep(SHARD, shard || undefined);
  change({ shard });
}

function clientFor(key: string | undefined): Matchbook {
  const matchbook = new Matchbook({
    url: location.origin,
    ...(key === undefined ? {} : { key }),
    // The portal shows limits instead of waiting silently.
    patience: 0,
    onLimits(limits) {
      if (session.matchbook === matchbook) change({ limits });
    },
  });
  return matchbook;
}

function change(changes: Partial<Session>): void {
  session = { ...session, ...changes };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", takeFromOtherTab);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener("storage", takeFromOtherTab);
  };
}

function takeFromOtherTab({ key }: StorageEvent): void {
  if (key === KEY || key === null) {
    const now = kept(KEY);
    if (now !== session.key) change({ key: now, matchbook: clientFor(now), limits: undefined });
  }
}

/** The server writes it into the page, in demo mode only. */
function offered(): string | undefined {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="matchbook-offer"]');
  return meta?.content || undefined;
}

/** Browsers may forbid storage; then a key lasts as long as the page. */
function kept(name: string): string | undefined {
  try {
    return localStorage.getItem(name)?.trim() || undefined;
  } catch {
    return undefined;
  }
}

function keep(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // It is not kept, then.
  }
}
