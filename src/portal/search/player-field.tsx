/** A field that suggests players by name. Enter takes the best suggestion, or repeats a search that failed. */

import "./search.css";
import { type RefObject, useEffect, useMemo, useState } from "react";
import { MatchbookError } from "../../../client/src/index.ts";
import { tier } from "../format.ts";
import { Combobox } from "../kit/combobox.tsx";
import { Name } from "../kit/name.tsx";
import { Avatar } from "../kit/tile.tsx";
import { Time } from "../kit/time.tsx";
import { playerName } from "../names.ts";
import { useSession } from "../session.ts";
import { type Found, playersOf, type Suggestion } from "./find.ts";
import { type Suggestions, useSuggestions } from "./suggestions.ts";

interface Props {
  label: string;
  placeholder: string;
  /** The region to search; without it all of them, and matches by their ids. */
  shard?: string;
  /** Suggested before anything is typed: favourite and recent players. */
  known?: readonly Suggestion[];
  /** A player who is not suggested. */
  except?: string;
  input?: RefObject<HTMLInputElement | null>;
  onPick(found: Suggestion): void;
}

export function PlayerField({ label, placeholder, shard, known = [], ...rest }: Props) {
  const { except, input, onPick } = rest;
  const { access, matchbook } = useSession();
  const [typed, setTyped] = useState("");
  /** The text whose best suggestion is picked as soon as it is known. */
  const [awaited, setAwaited] = useState<string>();
  const text = typed.trim();
  const isEmpty = text === "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: an emptied field forgets what was found.
  const source = useMemo(() => playersOf(matchbook, shard), [matchbook, shard, isEmpty]);
  const suggestions = useSuggestions(text, access === "none" ? undefined : source);
  const { found, isLoading, error, retry } = suggestions;
  const all = isEmpty ? known : (found?.all ?? []);
  const options = all.filter(({ id }) => id !== except);
  const hasBest = !isEmpty && found?.isNearest === false;

  const type = (to: string) => {
    setTyped(to);
    setAwaited(undefined);
  };
  const pick = (one: Suggestion) => {
    type("");
    onPick(one);
  };
  useEffect(() => {
    if (awaited === undefined || found?.text !== awaited) return;
    setAwaited(undefined);
    const [best] = options;
    if (best && hasBest) pick(best);
  });
  return (
    <Combobox
      ref={input}
      className="search-input"
      aria-label={label}
      placeholder={placeholder}
      enterKeyHint="go"
      maxLength={64}
      typed={typed}
      onType={type}
      options={options}
      keyOf={(one) => `${one.shard} ${one.id}`}
      show={(one, isFirst) => (
        <>
          <Option found={one} hasRegion={shard === undefined} />
          {isFirst && hasBest && (
            <span className="search-enter" aria-hidden="true">
              Enter
            </span>
          )}
        </>
      )}
      onPick={pick}
      onEnter={(event) => {
        event.preventDefault();
        if (!isEmpty) setAwaited(text);
        if (error !== undefined) retry();
      }}
      listLabel={isEmpty ? "Favourite and recent players" : "Suggestions"}
      head={headOn(text, options.length, found)}
      note={access === "none" ? "You need an API key to search." : noteOn(text, suggestions)}
      areOld={isLoading}
    />
  );
}

function Option({ found, hasRegion }: { found: Suggestion; hasRegion: boolean }) {
  const { id, shard, skillTier, lastMatchAt } = found;
  const name = playerName(found.name);
  return (
    <>
      <Avatar id={id} name={name} size={32} />
      <span className="search-found">
        <Name className="search-name">{name}</Name>
        <span className="search-facts">
          {hasRegion && <span>{shard.toUpperCase()}</span>}
          {skillTier !== undefined && <span>{tier(skillTier)}</span>}
          {lastMatchAt !== undefined && <Time iso={lastMatchAt} />}
        </span>
      </span>
    </>
  );
}

function headOn(text: string, count: number, found: Found | undefined): string | undefined {
  if (count === 0) return undefined;
  if (text === "") return "Favourites and recent";
  return found?.isNearest
    ? `No player with a name like “${found.text}”. The nearest names:`
    : undefined;
}

function noteOn(text: string, { found, isLoading, error }: Suggestions<Found>): string | undefined {
  if (text === "") return undefined;
  if (error !== undefined) return problemOf(error);
  if (!found) return "Searching…";
  if (isLoading) return undefined;
  if (found.unavailable.length > 0)
    return `No answer from ${found.unavailable.map((region) => region.toUpperCase()).join(", ")}.`;
  return found.all.length === 0 ? `No player with a name like “${text}”.` : undefined;
}

function problemOf(error: unknown): string {
  if (!(error instanceof MatchbookError)) return "The search failed. Try again.";
  return error.kind === "network" ? "Can't reach the server. Try again in a moment." : error.detail;
}
