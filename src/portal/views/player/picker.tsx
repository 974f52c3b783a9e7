/**
 * Finds a player of the region by name, for the comparison. An ARIA combobox: the focus stays in the field while the
 * arrow keys move through the suggestions. Without a name, it suggests favourites and recently opened players.
 */

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { PlayerName } from "../../../../client/src/index.ts";
import { useFavourites, useRecentPlayers } from "../../favourites.ts";
import { counted } from "../../format.ts";
import { Problem } from "../../kit/states.tsx";
import { Avatar } from "../../kit/tile.tsx";
import { useSession } from "../../session.ts";

/** In milliseconds, so that not every letter costs a request. */
const PAUSE = 200;

interface Props {
  shard: string;
  /** The player of the page, who is not suggested. */
  id: string;
  pick(id: string): void;
}

export function Picker({ shard, id, pick }: Props) {
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(0);
  const known = useKnownPlayers(shard);
  const search = useNames(shard, typed);
  const all = typed.trim() === "" ? known : search.names;
  const options = all.filter((one) => one.id !== id);
  const at = Math.min(active, options.length - 1);
  useEffect(() => input.current?.focus(), []);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || options.length === 0) return;
    const { key } = event;
    if (key === "ArrowDown") setActive((at + 1) % options.length);
    else if (key === "ArrowUp") setActive((at - 1 + options.length) % options.length);
    else if (key === "Enter") pick(options[at]!.id);
    else return;
    event.preventDefault();
  };

  return (
    <div className="player-picker">
      <label htmlFor={field}>Compare with</label>
      <input
        id={field}
        ref={input}
        className="input"
        type="search"
        placeholder="Player name"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={options.length > 0}
        aria-controls={`${field}-list`}
        aria-activedescendant={options.length === 0 ? undefined : `${field}-${at}`}
      />
      <div id={`${field}-list`} className="player-options" role="listbox" aria-label="Players">
        {options.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
          <div
            key={one.id}
            id={`${field}-${index}`}
            className="player-option"
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(one.id)}
          >
            <Avatar id={one.id} name={one.name} size={24} />
            <bdi>{one.name}</bdi>
          </div>
        ))}
      </div>
      {search.error !== undefined ? (
        <Problem error={search.error} />
      ) : (
        <p className="player-small" role="status">
          {statusOf(typed, options.length, search.isLoading)}
        </p>
      )}
    </div>
  );
}

function statusOf(typed: string, found: number, isLoading: boolean): string {
  if (isLoading) return "Searching…";
  if (typed.trim() === "") return found === 0 ? "Type a name." : "Favourites and recent players";
  return found === 0 ? "No player with a similar name in this region" : counted(found, "player");
}

/** Favourites first, each player once. */
function useKnownPlayers(shard: string): readonly PlayerName[] {
  const favourites = useFavourites();
  const recent = useRecentPlayers();
  const players = [...favourites.players, ...recent.players].filter((one) => one.shard === shard);
  return [...new Map(players.map((one) => [one.id, one])).values()].slice(0, 8);
}

interface Search {
  names: readonly PlayerName[];
  isLoading: boolean;
  error: unknown;
}

const NOTHING: Search = { names: [], isLoading: false, error: undefined };

/** The players whose names are similar to the typed one. The old ones stay while typing. */
function useNames(shard: string, typed: string): Search {
  const { matchbook } = useSession();
  const [search, setSearch] = useState(NOTHING);
  const near = typed.trim();
  useEffect(() => {
    if (near === "") return setSearch(NOTHING);
    const control = new AbortController();
    setSearch(({ names }) => ({ names, isLoading: true, error: undefined }));
    const timer = setTimeout(() => {
      matchbook
        .shard(shard)
        .playerNames(near, { signal: control.signal })
        .then(
          (names) => !control.signal.aborted && setSearch({ ...NOTHING, names }),
          (error: unknown) => !control.signal.aborted && setSearch({ ...NOTHING, error }),
        );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [matchbook, shard, near]);
  return search;
}
