/** The search for players of all regions, and for matches by id, in the header and on the start page. "/" focuses it. */

import { useEffect, useRef } from "react";
import { useFamiliarPlayers } from "../favourites.ts";
import { navigate } from "../router.ts";
import { PlayerField } from "./player-field.tsx";

/** `isLarge` is for the start page, which shows the familiar players anyway. Only one box may be on a page. */
export function SearchBox({ isLarge = false }: { isLarge?: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const familiar = useFamiliarPlayers();
  // "/" focuses the box, except while the visitor types elsewhere.
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      const at = event.target as HTMLElement | null;
      if (at?.closest("input, select, textarea, dialog, [contenteditable]")) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <search className={`search${isLarge ? " search-large" : ""}`}>
      <svg className="search-icon" viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="8.5" cy="8.5" r="5.5" />
        <path d="M13 13l4.5 4.5" />
      </svg>
      <PlayerField
        input={input}
        label="Search for a player"
        placeholder={isLarge ? "Player name" : "Search for a player"}
        {...(!isLarge && { known: familiar })}
        onPick={({ isMatch, shard, id }) => {
          input.current?.blur();
          navigate({ name: isMatch ? "match" : "player", shard, id });
        }}
      />
      <span className="search-key" aria-hidden="true">
        /
      </span>
    </search>
  );
}
