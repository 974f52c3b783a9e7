/** Favourite and recently opened players. They are stored in this browser only. */

import { useCallback, useSyncExternalStore } from "react";

export interface KnownPlayer {
  readonly shard: string;
  readonly id: string;
  /** The name when the player was last seen. */
  readonly name: string;
}

export interface Favourites {
  /** The latest addition first. */
  players: readonly KnownPlayer[];
  has(shard: string, id: string): boolean;
  /** Adds the player, or removes it. */
  toggle(player: KnownPlayer): void;
}

export interface RecentPlayers {
  /** The latest visit first. */
  players: readonly KnownPlayer[];
  /** Call it when a player's page has loaded. */
  remember(player: KnownPlayer): void;
}

const MAX_FAVOURITES = 50;
const MAX_RECENT = 8;
const MAX_FAMILIAR = 8;

const favourites = playerList("matchbook.favourites", MAX_FAVOURITES);
const recent = playerList("matchbook.recent", MAX_RECENT);

export function useFavourites(): Favourites {
  const players = useSyncExternalStore(favourites.subscribe, favourites.players);
  const has = useCallback(
    (shard: string, id: string) => players.some(isSame({ shard, id })),
    [players],
  );
  return { players, has, toggle };
}

export function useRecentPlayers(): RecentPlayers {
  const players = useSyncExternalStore(recent.subscribe, recent.players);
  return { players, remember };
}

/** Favourites first, then recent players, each once: of one region, or of all. */
export function useFamiliarPlayers(shard?: string): readonly KnownPlayer[] {
  const { players, has } = useFavourites();
  const others = useRecentPlayers().players.filter((one) => !has(one.shard, one.id));
  return [...players, ...others]
    .filter((one) => shard === undefined || one.shard === shard)
    .slice(0, MAX_FAMILIAR);
}

function toggle(player: KnownPlayer): void {
  const isFavourite = favourites.players().some(isSame(player));
  if (isFavourite) favourites.remove(player);
  else favourites.putFirst(player);
}

/** Also renews the name of a favourite, since players can change their names. */
function remember(player: KnownPlayer): void {
  recent.putFirst(player);
  favourites.rename(player);
}

const isSame =
  ({ shard, id }: { shard: string; id: string }) =>
  (other: KnownPlayer): boolean =>
    other.shard === shard && other.id === id;

/** A stored list of players, without duplicates. */
function playerList(name: string, max: number) {
  const listeners = new Set<() => void>();
  let players = read();

  function read(): readonly KnownPlayer[] {
    try {
      const stored: unknown = JSON.parse(localStorage.getItem(name) ?? "[]");
      return Array.isArray(stored) ? stored.filter(isPlayer).slice(0, max) : [];
    } catch {
      // Storage is blocked, or holds something else.
      return [];
    }
  }

  function write(next: readonly KnownPlayer[]): void {
    players = next.slice(0, max);
    try {
      localStorage.setItem(name, JSON.stringify(players));
    } catch {
      // Storage is blocked: the list lasts until the page is closed.
    }
    for (const listener of listeners) listener();
  }

  const syncFromOtherTab = ({ key }: StorageEvent) => {
    if (key !== name && key !== null) return;
    players = read();
    for (const listener of listeners) listener();
  };

  return {
    players: () => players,
    putFirst({ shard, id, name }: KnownPlayer) {
      const rest = players.filter((one) => !isSame({ shard, id })(one));
      write([{ shard, id, name }, ...rest]);
    },
    remove(player: KnownPlayer) {
      write(players.filter((one) => !isSame(player)(one)));
    },
    rename({ shard, id, name }: KnownPlayer) {
      const isKnown = isSame({ shard, id });
      const isOld = players.some((one) => isKnown(one) && one.name !== name);
      if (isOld) write(players.map((one) => (isKnown(one) ? { ...one, name } : one)));
    },
    subscribe(listener: () => void) {
      if (listeners.size === 0) addEventListener("storage", syncFromOtherTab);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) removeEventListener("storage", syncFromOtherTab);
      };
    },
  };
}

function isPlayer(one: unknown): one is KnownPlayer {
  if (typeof one !== "object" || one === null) return false;
  const { shard, id, name } = one as Record<string, unknown>;
  return typeof shard === "string" && typeof id === "string" && typeof name === "string";
}
