/** The sticky header: brand, search, navigation and theme. On small screens, a menu holds the rest. */

import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Button } from "./kit/button.tsx";
import { Logo } from "./logo.tsx";
import { FIRST_BOARD, hrefOf, Link, type View } from "./router.ts";
import { SearchBox } from "./search/box.tsx";
import { useSession } from "./session.ts";
import { ThemeSwitch } from "./theme-switch.tsx";

interface Section {
  label: string;
  to(shard: string): View;
  /** The pages that belong to the section. */
  holds: readonly View["name"][];
}

const SECTIONS: readonly Section[] = [
  { label: "Players", to: () => ({ name: "start" }), holds: ["start", "player", "match"] },
  {
    label: "Heroes",
    to: (shard) => ({ name: "heroes", shard, search: new URLSearchParams() }),
    holds: ["heroes"],
  },
  {
    label: "Leaderboards",
    to: (shard) => ({
      name: "leaderboard",
      shard,
      board: FIRST_BOARD,
      search: new URLSearchParams(),
    }),
    holds: ["leaderboard"],
  },
  {
    label: "Developers",
    to: () => ({ name: "developers", page: "quick-start" }),
    holds: ["developers", "explorer"],
  },
];

export function Header({ view }: { view: View }) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const address = hrefOf(view);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu.
  useEffect(() => setOpen(false), [address]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isOpen) return;
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu from anywhere in it.
    <header className="top" onKeyDown={onKeyDown}>
      <div className="top-inner">
        <Link to={{ name: "start" }} className="brand">
          <Logo /> <span className="brand-word">Matchbook</span>
        </Link>
        <div className="top-search">{view.name !== "start" && <SearchBox />}</div>
        <Button
          ref={button}
          look="plain"
          className="top-menu"
          aria-expanded={isOpen}
          aria-controls="top-more"
          onClick={() => setOpen(!isOpen)}
        >
          <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
            <path
              d={isOpen ? "M4 4l12 12M16 4L4 16" : "M2 5h16M2 10h16M2 15h16"}
              stroke="currentColor"
              strokeWidth="1.75"
              strokeLinecap="round"
            />
          </svg>
          <span className="visually-hidden">Menu</span>
        </Button>
        <div id="top-more" className={`top-more${isOpen ? " top-more-open" : ""}`}>
          <Navigation view={view} />
          <ThemeSwitch />
        </div>
      </div>
    </header>
  );
}

function Navigation({ view }: { view: View }) {
  const { shard } = useSession();
  const region = regionOf(view) ?? shard;
  return (
    <nav className="sections" aria-label="Main">
      {SECTIONS.map(({ label, to, holds }) => {
        const target = to(region);
        const isCurrent = holds.includes(view.name);
        return "shard" in target && target.shard === "" ? (
          // Keeps its room until a region is known, so that nothing moves then.
          <span key={label} className="section-wait" aria-hidden="true">
            {label}
          </span>
        ) : (
          <Link key={label} to={target} aria-current={isCurrent ? "page" : undefined}>
            {label}
          </Link>
        );
      })}
    </nav>
  );
}

const regionOf = (view: View): string | null | undefined =>
  view.name === "explorer" ? view.search.get("shard") : "shard" in view ? view.shard : undefined;
