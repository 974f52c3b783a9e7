/** Client-side router: maps URLs to views and navigates between them without a reload. */

import { type AnchorHTMLAttributes, createElement, type MouseEvent } from "react";
import { newEntry } from "./scroll.ts";
import { createStore, useStore } from "./store.ts";

export type View =
  /** `shard`: with this region chosen. */
  | { name: "start"; shard?: string }
  | { name: "player"; shard: string; id: string; search?: URLSearchParams }
  | { name: "match"; shard: string; id: string }
  | { name: "heroes"; shard: string; search: URLSearchParams }
  | { name: "leaderboard"; shard: string; board: string; search: URLSearchParams }
  | { name: "status" }
  | { name: "developers"; page: DevelopersPage; guide?: string | undefined }
  | { name: "explorer"; search: URLSearchParams }
  | { name: "not-found"; path: string };

const DEVELOPERS_PAGES = ["keys", "guides", "endpoints", "usage", "changelog"] as const;

/** The pages of the developer area, except the explorer. Only "guides" has a guide; without one, it lists them. */
export type DevelopersPage = "quick-start" | (typeof DEVELOPERS_PAGES)[number];

/** The board that opens when none is named. */
export const FIRST_BOARD = "skill-tier";

export function viewOf({ pathname, search }: { pathname: string; search: string }): View {
  const path = pathname.length > 1 ? pathname.replace(/\/$/, "") : pathname;
  if (path === "/" || path === "/portal") return { name: "start" };
  if (path === "/portal/status") return { name: "status" };
  const [, portal, ...parts] = path.split("/").map(decoded);
  const unknown: View = { name: "not-found", path };
  if (portal !== "portal") return unknown;
  const query = new URLSearchParams(search);
  return developersView(parts, query) ?? regionView(parts, query) ?? unknown;
}

/** `developers/…` */
function developersView(parts: readonly string[], search: URLSearchParams): View | undefined {
  const [area, page, guide] = parts;
  if (area !== "developers" || parts.length > 3) return undefined;
  if (page === undefined) return { name: "developers", page: "quick-start" };
  if (guide !== undefined)
    return page === "guides" && guide !== "" ? { name: "developers", page, guide } : undefined;
  if (page === "explorer") return { name: "explorer", search };
  const known = DEVELOPERS_PAGES.find((one) => one === page);
  return known && { name: "developers", page: known };
}

/** `REGION/…` */
function regionView(parts: readonly string[], search: URLSearchParams): View | undefined {
  const [shard, kind, id] = parts;
  if (!shard || parts.length > 3) return undefined;
  if (parts.length === 1) return { name: "start", shard };
  if (kind === "heroes" && parts.length === 2) return { name: "heroes", shard, search };
  if (!id) return undefined;
  if (kind === "matches") return { name: "match", shard, id };
  if (kind === "leaderboards") return { name: "leaderboard", shard, board: id, search };
  return kind === "players" ? { name: "player", shard, id, search } : undefined;
}

export function hrefOf(view: View): string {
  switch (view.name) {
    case "start":
      return view.shard === undefined ? "/" : path(view.shard);
    case "player":
      return withQuery(path(view.shard, "players", view.id), view.search);
    case "match":
      return path(view.shard, "matches", view.id);
    case "heroes":
      return withQuery(path(view.shard, "heroes"), view.search);
    case "leaderboard":
      return withQuery(path(view.shard, "leaderboards", view.board), view.search);
    case "status":
      return path("status");
    case "explorer":
      return withQuery(path("developers", "explorer"), view.search);
    case "developers":
      if (view.page === "quick-start") return path("developers");
      return path("developers", view.page, ...(view.guide === undefined ? [] : [view.guide]));
    case "not-found":
      return view.path;
  }
}

const path = (...parts: string[]): string =>
  `/portal/${parts.map((part) => encodeURIComponent(part)).join("/")}`;

function withQuery(path: string, search?: URLSearchParams): string {
  const query = search ? readable(search) : "";
  return query === "" ? path : `${path}?${query}`;
}

/** A link within the portal. It renders a real `href`, so it can be copied or opened in a new tab. */
export function Link({
  to,
  onClick,
  ...rest
}: { to: View } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  return createElement("a", {
    ...rest,
    href: hrefOf(to),
    onClick(event: MouseEvent<HTMLAnchorElement>) {
      onClick?.(event);
      const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
      if (event.defaultPrevented || !isPlain || event.altKey) return;
      event.preventDefault();
      navigate(to);
    },
  });
}

/** The current path and query string, without the fragment. */
const address = createStore(location.pathname + location.search);
let lastNavigation: "none" | "forward" | "return" = "none";

function arrive(how: typeof lastNavigation): void {
  lastNavigation = how;
  address.set(location.pathname + location.search);
}

addEventListener("popstate", ({ state }) => {
  // A link to a fragment of the page has no state.
  arrive(state === null ? "forward" : "return");
});

export const useLocation = (): string => useStore(address);

/** Whether the visitor has navigated since the page was loaded. */
export const hasNavigated = (): boolean => lastNavigation !== "none";

/** Whether the visitor came to this page by Back or Forward. */
export const isReturning = (): boolean => lastNavigation === "return";

/** Use "replace" for changes that need no history entry, such as each letter typed into a filter. */
export function navigate(view: View, how: "push" | "replace" = "push"): void {
  const href = hrefOf(view);
  if (how === "push") {
    history.pushState(newEntry(), "", href);
    scrollTo(0, 0);
  } else {
    history.replaceState(history.state, "", href);
  }
  arrive("forward");
}

/** Keeps brackets, commas and colons unescaped, which a query string allows, so that the URL is readable. */
const readable = (search: URLSearchParams): string =>
  search.toString().replace(/%(?:5B|5D|2C|3A)/g, decodeURIComponent);

/** A part of a URL with an invalid escape stays as it is. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
