/** Favourite and recently opened players. They are stored in this browser only. */

import { onStored, store, storedJson } from "./storage.ts";
import { createStore, useStore } from "./store.ts";

export interface KnownPlayer {
  readonly shard: string;
  readonly id: string;
  /** The name when the player was last seen. */
  readonly name: string;
}

const MAX_FAVOURITES = 50;
const MAX_RECENT = 8;
const MAX_FAMILIAR = 8;

const favourites = playerList("matchbook.favourites", MAX_FAVOURITES);
const recent = playerList("matchbook.recent", MAX_RECENT);

/** The latest addition first. `toggle` adds the player, or removes it. */
export function useFavourites() {
  const players = useStore(favourites);
  const has = (shard: string, id: string) => players.some(isSame({ shard, id }));
  return { players, has, toggle };
}

/** The latest visit first, without favourites. `remember` is called when a player's page has loaded. */
export function useRecentPlayers() {
  const { has } = useFavourites();
  return { players: useStore(recent).filter(({ shard, id }) => !has(shard, id)), remember };
}

/** Favourites first, then recent players, each once: of one region, or of all. */
export function useFamiliarPlayers(shard?: string): readonly KnownPlayer[] {
  const { players } = useFavourites();
  return [...players, ...useRecentPlayers().players]
    .filter((one) => shard === undefined || one.shard === shard)
    .slice(0, MAX_FAMILIAR);
}

function toggle(player: KnownPlayer): void {
  const others = favourites.get().filter((one) => !isSame(player)(one));
  const isFavourite = others.length < favourites.get().length;
  favourites.set(isFavourite ? others : [player, ...others]);
}

/** Also renews the name of a favourite, since players can change their names. */
function remember(player: KnownPlayer): void {
  recent.set([player, ...recent.get().filter((one) => !isSame(player)(one))]);
  favourites.set(favourites.get().map((one) => (isSame(player)(one) ? player : one)));
}

const isSame =
  ({ shard, id }: { shard: string; id: string }) =>
  (other: KnownPlayer): boolean =>
    other.shard === shard && other.id === id;

/** A stored list of players. */
function playerList(name: string, max: number) {
  const read = (): readonly KnownPlayer[] => {
    const kept = storedJson(name);
    return Array.isArray(kept) ? kept.filter(isPlayer).slice(0, max) : [];
  };
  const list = createStore(read());
  onStored(name, () => list.set(read()));
  return {
    ...list,
    set(players: readonly KnownPlayer[]) {
      list.set(players.slice(0, max).map(({ shard, id, name }) => ({ shard, id, name })));
      store(name, JSON.stringify(list.get()));
    },
  };
}

function isPlayer(one: unknown): one is KnownPlayer {
  if (typeof one !== "object" || one === null) return false;
  const { shard, id, name } = one as Record<string, unknown>;
  return typeof shard === "string" && typeof id === "string" && typeof name === "string";
}
