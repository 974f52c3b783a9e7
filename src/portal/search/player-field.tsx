/**
 * A field that suggests players by name, by the combobox pattern: the focus stays in it, arrow keys choose, Enter takes
 * the chosen or else the best player, or repeats a search that failed, Escape closes.
 */

import "./search.css";
import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from "react";
import { MatchbookError } from "../../../client/src/index.ts";
import type { KnownPlayer } from "../favourites.ts";
import { Name } from "../kit/name.tsx";
import { Avatar } from "../kit/tile.tsx";
import { playerName } from "../names.ts";
import { useSession } from "../session.ts";
import { type Suggestions, useSuggestions } from "./suggestions.ts";

interface Props {
  label: string;
  placeholder: string;
  /** Where to search. */
  regions: readonly string[];
  /** Suggested before anything is typed: favourite and recent players. */
  known?: readonly KnownPlayer[];
  /** A player who is not suggested. */
  except?: string;
  /** Given if the regions failed to load, so that nothing can be searched: loads them again. */
  retryRegions?: (() => void) | undefined;
  input?: RefObject<HTMLInputElement | null>;
  onPick(player: KnownPlayer): void;
}

const NOBODY: readonly KnownPlayer[] = [];

export function PlayerField({ label, placeholder, regions, known = NOBODY, ...rest }: Props) {
  const { except, retryRegions, input, onPick } = rest;
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  /** The text whose best suggestion is picked as soon as it is known. */
  const [awaited, setAwaited] = useState<string>();
  const id = useId();
  const text = typed.trim();
  const suggestions = useSuggestions(text, regions);
  const { found, isLoading } = suggestions;
  const all = text === "" ? known : (found?.players ?? NOBODY);
  const players = all.filter((player) => player.id !== except);
  const chosen = isOpen ? players[active] : undefined;

  const pick = (player: KnownPlayer) => {
    setTyped("");
    setOpen(false);
    setActive(-1);
    setAwaited(undefined);
    onPick(player);
  };
  useEffect(() => {
    if (awaited === undefined || found?.text !== awaited) return;
    setAwaited(undefined);
    const [best] = players;
    if (best) pick(best);
  });

  const onKeyDown = (event: KeyboardEvent) => {
    const move = (to: number) => {
      event.preventDefault();
      setOpen(true);
      setActive(players.length === 0 ? -1 : (to + players.length) % players.length);
    };
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") move(active + 1);
    else if (event.key === "ArrowUp") move(active < 0 ? -1 : active - 1);
    else if (event.key === "Enter") {
      event.preventDefault();
      if (chosen) pick(chosen);
      else if (text !== "") {
        setOpen(true);
        setAwaited(text);
        if (suggestions.error !== undefined) suggestions.retry();
        retryRegions?.();
      }
    } else if (event.key === "Escape") {
      if (!isOpen) setTyped("");
      setOpen(false);
      setActive(-1);
    }
  };

  const message = useMessage(text, suggestions, retryRegions !== undefined);
  const isShown = isOpen && (players.length > 0 || message !== undefined);
  return (
    <>
      <input
        ref={input}
        className="search-input"
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen ? `${id}-${active}` : undefined}
        placeholder={placeholder}
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
        onFocus={() => {
          setOpen(true);
          retryRegions?.();
        }}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <p className="visually-hidden" role="status">
        {isOpen && text !== "" && !isLoading && found?.text === text
          ? `${players.length} ${players.length === 1 ? "suggestion" : "suggestions"}`
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
              hasRegion={regions.length > 1}
              isActive={at === active}
              isBest={at === 0 && text !== ""}
              onPick={() => pick(player)}
            />
          ))}
        </div>
        {message !== undefined && <div className="search-note">{message}</div>}
      </div>
    </>
  );
}

interface OptionProps {
  id: string;
  player: KnownPlayer;
  hasRegion: boolean;
  isActive: boolean;
  /** Picked by Enter, even if it is not active. */
  isBest: boolean;
  onPick(): void;
}

function Option({ id, player, hasRegion, isActive, isBest, onPick }: OptionProps) {
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
      onClick={onPick}
    >
      <Avatar id={player.id} name={name} size={32} />
      <Name className="search-name">{name}</Name>
      {hasRegion && <span className="search-region">{player.shard.toUpperCase()}</span>}
      {isBest && (
        <span className="search-enter" aria-hidden="true">
          Enter
        </span>
      )}
    </div>
  );
}

function useMessage(
  text: string,
  { found, isLoading, error }: Suggestions,
  areRegionsUnknown: boolean,
): string | undefined {
  const { access } = useSession();
  if (access === "none") return "You need an API key to search.";
  if (text === "") return undefined;
  if (areRegionsUnknown) return UNREACHABLE;
  if (error !== undefined) return problemOf(error);
  if (isLoading || !found) return found ? undefined : "Searching…";
  if (found.players.length === 0) return `No player with a name like “${text}”.`;
  if (found.missing.length > 0)
    return `No answer from ${found.missing.map((region) => region.toUpperCase()).join(", ")}.`;
  return undefined;
}

const UNREACHABLE = "Can't reach the server. Try again in a moment.";

function problemOf(error: unknown): string {
  if (!(error instanceof MatchbookError)) return "The search failed. Try again.";
  if (error.kind === "network") return UNREACHABLE;
  if (error.kind === "limited")
    return `Too many requests. Try again in ${Math.max(1, Math.ceil(error.retryAfter ?? 1))} s.`;
  return error.detail;
}
