/** The search box for players, by the combobox pattern: arrow keys, Enter and Escape. "/" focuses it. */

import "./search.css";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { MatchbookError } from "../../../client/src/index.ts";
import { type KnownPlayer, useFavourites, useRecentPlayers } from "../favourites.ts";
import { Avatar } from "../kit/tile.tsx";
import { playerName } from "../names.ts";
import { useRegions } from "../regions.ts";
import { navigate } from "../router.ts";
import { useSession } from "../session.ts";
import { useSuggestions } from "./suggestions.ts";

/** `isLarge` is for the start page. Only one box may be on a page. */
export function SearchBox({ isLarge = false }: { isLarge?: boolean }) {
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  /** The text whose best suggestion opens as soon as it is known. */
  const [awaited, setAwaited] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const text = typed.trim();
  const { found, isLoading, error } = useSuggestions(text);
  const known = useKnownPlayers(isLarge);
  const players = text === "" ? known : (found?.players ?? []);
  const chosen = isOpen ? players[active] : undefined;
  useShortcut(input);

  const open = ({ shard, id }: KnownPlayer) => {
    setTyped("");
    setOpen(false);
    setActive(-1);
    setAwaited(undefined);
    input.current?.blur();
    navigate({ name: "player", shard, id });
  };
  useEffect(() => {
    if (awaited === undefined || found?.text !== awaited) return;
    setAwaited(undefined);
    const [best] = found.players;
    if (best) open(best);
  });

  const onKeyDown = (event: KeyboardEvent) => {
    const move = (to: number) => {
      event.preventDefault();
      setOpen(true);
      setActive(players.length === 0 ? -1 : (to + players.length) % players.length);
    };
    if (event.key === "ArrowDown") move(active + 1);
    else if (event.key === "ArrowUp") move(active < 0 ? -1 : active - 1);
    else if (event.key === "Enter") {
      event.preventDefault();
      if (chosen) open(chosen);
      else if (text !== "") {
        setOpen(true);
        setAwaited(text);
      }
    } else if (event.key === "Escape") {
      if (!isOpen) setTyped("");
      setOpen(false);
      setActive(-1);
    }
  };

  const message = useMessage({ text, found, isLoading, error });
  const isShown = isOpen && (players.length > 0 || message !== undefined);
  return (
    <search className={`search${isLarge ? " search-large" : ""}`}>
      <svg className="search-icon" viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="8.5" cy="8.5" r="5.5" />
        <path d="M13 13l4.5 4.5" />
      </svg>
      <input
        ref={input}
        className="search-input"
        type="text"
        role="combobox"
        aria-label="Search for a player"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen ? `${id}-${active}` : undefined}
        placeholder={isLarge ? "Player name, in any region" : "Search for a player"}
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="go"
        maxLength={64}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setOpen(true);
          setActive(-1);
          setAwaited(undefined);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <span className="search-key" aria-hidden="true">
        /
      </span>
      <p className="visually-hidden" role="status">
        {isOpen && text !== "" && !isLoading && found?.text === text
          ? `${found.players.length} ${found.players.length === 1 ? "suggestion" : "suggestions"}`
          : ""}
      </p>
      <div className="search-panel" hidden={!isShown}>
        {text === "" && players.length > 0 && <p className="search-note">Favourites and recent</p>}
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label={text === "" ? "Favourite and recent players" : "Suggestions"}
          className={isLoading && found?.text !== text ? "search-old" : ""}
        >
          {players.map((player, at) => (
            <Option
              key={`${player.shard} ${player.id}`}
              id={`${id}-${at}`}
              player={player}
              isActive={at === active}
              isBest={at === 0 && text !== ""}
              onOpen={() => open(player)}
            />
          ))}
        </div>
        {message !== undefined && <div className="search-note">{message}</div>}
      </div>
    </search>
  );
}

interface OptionProps {
  id: string;
  player: KnownPlayer;
  isActive: boolean;
  /** Opens on Enter, even if it is not active. */
  isBest: boolean;
  onOpen(): void;
}

function Option({ id, player, isActive, isBest, onOpen }: OptionProps) {
  const name = playerName(player.name);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus, by the combobox pattern.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys.
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className="search-option"
      // Keeps the focus in the input, which would close the list.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onOpen}
    >
      <Avatar id={player.id} name={name} size={32} />
      <span className="search-name">{name}</span>
      <span className="search-region">{player.shard.toUpperCase()}</span>
      {isBest && (
        <span className="search-enter" aria-hidden="true">
          Enter
        </span>
      )}
    </div>
  );
}

function useMessage({
  text,
  found,
  isLoading,
  error,
}: { text: string } & ReturnType<typeof useSuggestions>): string | undefined {
  const { access } = useSession();
  const { state } = useRegions();
  if (access === "none") return "You need an API key to search.";
  if (text === "") return undefined;
  if (state === "failed") return "Can't reach the server. Try again in a moment.";
  if (error !== undefined) return problemOf(error);
  if (isLoading || !found) return found ? undefined : "Searching…";
  if (found.players.length === 0) return `No player with a name like “${text}”.`;
  if (found.missing.length > 0)
    return `No answer from ${found.missing.map((region) => region.toUpperCase()).join(", ")}.`;
  return undefined;
}

function problemOf(error: unknown): string {
  if (!(error instanceof MatchbookError)) return "The search failed. Try again.";
  if (error.kind === "network") return "Can't reach the server. Try again in a moment.";
  if (error.kind === "limited")
    return `Too many requests. Try again in ${Math.max(1, Math.ceil(error.retryAfter ?? 1))} s.`;
  return error.detail;
}

/** Favourites first, then recent players, each once. The start page shows them anyway. */
function useKnownPlayers(isLarge: boolean): readonly KnownPlayer[] {
  const favourites = useFavourites();
  const recent = useRecentPlayers();
  const others = recent.players.filter(({ shard, id }) => !favourites.has(shard, id));
  return isLarge ? [] : [...favourites.players, ...others].slice(0, 8);
}

/** "/" focuses the box, except while the visitor types elsewhere. */
function useShortcut(input: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      const at = event.target as HTMLElement | null;
      if (at?.closest("input, select, textarea, dialog, [contenteditable]")) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [input]);
}
